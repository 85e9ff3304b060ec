# SPDX-License-Identifier: GPL-2.0-or-later
# traced SONDE-OPTION...: all that sonde says. A kernel that preempts programs of tracepoints (7.x) leaves out events of
# tasks that come meanwhile, most of them of others, and sonde tells how many: not a matter of tests that count no losses.
# The runner of tests is told, and if the test fails it gets another chance.
# Of a sonde that died of a signal the shell says nothing in a pipeline: said here.
traced() {
	local status
	case $(cat /sys/kernel/debug/sched/preempt 2>/dev/null) in
	*'(full)'* | *'(lazy)'*)
		"$SONDE" "$@" 2>&1 | sed -u -e "/the kernel skipped events/{w $TMP/../skipped.$BASHPID" -e 'd}'
		status=${PIPESTATUS[0]};;
	*)
		"$SONDE" "$@" 2>&1
		status=$?;;
	esac
	[ $status -le 128 ] || [ $status = 255 ] || echo "sonde: status $status"
	return $status
}
# counts_last: what sonde counts while it runs is told as it comes, in one line or two, between other lines or after them:
# here once, with its sum, at the end.
counts_last() {
	awk '
	function add(from, to) {
		key = substr($0, 1, from - 1) "#" substr($0, to)
		if (!(key in sum))
			keys[++n_keys] = key
		sum[key] += substr($0, from)
	}
	match($0, /\([0-9]+ times?\)$/) { add(RSTART + 1, length($0) + 1); next }
	match($0, /lost [0-9]+ /) { add(RSTART + 5, RSTART + RLENGTH - 1); next }
	{ print }
	END {
		for (i = 1; i <= n_keys; i++) {
			key = keys[i]
			sub("#", sum[key] (key ~ /#$/ ? sum[key] == 1 ? " time)" : " times)" : ""), key)
			print key
		}
	}'
}
