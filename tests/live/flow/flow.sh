# SPDX-License-Identifier: GPL-2.0-or-later
. "$TOP/tests/live/traced.sh"
. "$TOP/tests/live/built.sh"
CALLS=$TMP/calls
built gcc -g -O2 -pthread -o "$CALLS" calls.c || exit 1
# flow OPTION...: the tree alone, without times, threads and addresses.
flow() { traced flow -q "$@" | sed -E 's/^[^|]*\| //; s/0x[0-9a-f]{6,}/0xADDRESS/g'; }
