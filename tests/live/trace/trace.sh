# SPDX-License-Identifier: GPL-2.0-or-later
. "$TOP/tests/live/traced.sh"
. "$TOP/tests/live/built.sh"
# t OPTION...: sonde trace without what varies: numbers of threads, processors, times, addresses, fields of new kernels.
t() {
	traced trace -q "$@" | sed -E 's/-[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]{6}: /: /; s/(pid|prio|PID)=[0-9]+/\1=N/g; s/0x[0-9a-f]{6,}/0xADDRESS/g; s/ group_dead=true//; s/^ *//'
}
