# SPDX-License-Identifier: GPL-2.0-or-later
# As lib.sh, with mix.c as the workload.
. "$TOP/tests/live/built.sh"
. "$TOP/tests/live/traced.sh"
M=$TMP/mix
built gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -pthread -w -o "$M" "$TOP/tests/live/mix.c" || exit 99
# mix JOB [sonde options]: traces exactly that process tree
mix() { local job=$1; shift; traced -q --follow -c "$M $job" "$@"; }
# ready FILE: waits until the sonde that writes FILE says that all is attached (not with -q)
ready() { for ((i = 0; i < 200; i++)); do grep -q '^Attached' "$1" && return; sleep 0.05; done; echo "not attached"; }
