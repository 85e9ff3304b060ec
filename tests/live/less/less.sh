# SPDX-License-Identifier: GPL-2.0-or-later
# Situations with less than everything, each in a mount namespace of its own with a /run of its own, so that what is
# learned there is kept from others. $S is a copy of sonde that other users may execute.
. "$TOP/tests/live/arch.sh"
D=$(mktemp -d /tmp/less.XXXXXX) S=$D/sonde
trap 'rm -rf "$D"' EXIT
cp "$SONDE" "$S" && chmod 755 "$D" "$S" || exit 99
export S
ulimit -l unlimited 2>/dev/null || : # before 5.11 other users would lack locked memory rather than rights
# hide 'commands that hide something' 'what is run then'
hide() { unshare -m sh -c "mount -t tmpfs run /run; $1; $2" 2>&1; echo "=> $?"; }
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@" 2>&1; echo "=> $?"; }
# with capabilities 'bpf,perfmon' alone, as another user
caps() { local c=-all,+${1//,/,+}; shift; nobody --inh-caps="$c" --ambient-caps="$c" --bounding-set="$c" "$@"; }
NOTHING='begin { printf("said\n"); exit(); }'
RAW='rawtracepoint:sys_enter /pid == cpid && arg1 == '$(nr getpgid)'/ { @n = count(); }'
W="$S info --selftest-work=getpgid:300"
export NOTHING RAW W
