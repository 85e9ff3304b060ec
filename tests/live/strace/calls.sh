# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests: $CALLS is the program; numbers() replaces what differs from run to run.
. ../built.sh
CALLS=$TMP/calls
built gcc -O1 -w -pthread -o "$CALLS" calls.c || exit 99
numbers() { sed -E "s/0x[0-9a-f]{4,}/ADDRESS/g; s/(\[pid +)[0-9]+/\1PID/; s/^[0-9]+ +/PID /; s/pid=[0-9]+/pid=PID/g; s/\b(kill|tgkill|wait4|rt_sigqueueinfo)\([0-9]+(, [0-9]+)?/\1(PID/; s/= [0-9]{3,}$/= PID/; s/in pid [0-9]+/in pid PID/; s/uid=[0-9]+/uid=UID/g; s/<[0-9]\.[0-9]{6}>/<TIME>/; s/ +/ /g"; }
