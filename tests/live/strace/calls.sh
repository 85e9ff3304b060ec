# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests: $CALLS is the program; numbers() replaces what differs from run to run (the times of a child are ticks of
# 10 ms: 0, but on a slow machine). in_call PID NUMBER waits until the process is in that system call, told FILE TEXT until
# the text is in the file.
. ../built.sh
CALLS=$TMP/calls
built gcc -O1 -w -pthread -o "$CALLS" calls.c || exit 99
numbers() { sed -E "s/0x[0-9a-f]{4,}/ADDRESS/g; s/(\[pid +)[0-9]+/\1PID/; s/^[0-9]+ +/PID /; s/pid=[0-9]+/pid=PID/g; s/\b(kill|tgkill|wait4|rt_sigqueueinfo)\([0-9]+(, [0-9]+)?/\1(PID/; s/= [0-9]{3,}$/= PID/; s/in pid [0-9]+/in pid PID/; s/uid=[0-9]+/uid=UID/g; s/si_([us])time=[0-9]{1,2}\b( \/\* [0-9.]+ s \*\/)?/si_\1time=0/g; s/<[0-9]\.[0-9]{6}>/<TIME>/; s/ +/ /g"; }
in_call() { until grep -qs "^$2 " /proc/$1/syscall; do sleep 0.05; done; }
told() { until grep -qs "$2" "$1"; do sleep 0.05; done; }
