# SPDX-License-Identifier: GPL-2.0-or-later
# For tests whose `run:` begins with `. ./lib.sh`: builds the workload once per test and traces it alone.
. "$TOP/tests/live/built.sh"
. "$TOP/tests/live/traced.sh"
W=$TMP/work
built gcc -O1 -g -static -w -o "$W" "$TOP/tests/live/work.c" || exit 99
work_is_dynamic() { built gcc -O1 -g -w -o "$W" "$TOP/tests/live/work.c" || exit 99; }
# on 'work arguments' [sonde options]: traces exactly that process tree
on() { local what=$1; shift; traced -q --follow -c "$W $what" "$@"; }
