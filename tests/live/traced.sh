# SPDX-License-Identifier: GPL-2.0-or-later
# without_skips PATTERN: without these lines, in which sonde tells of events that the kernel skipped. The runner of tests
# is told, and a test that fails gets another chance where the kernel preempts programs.
without_skips() { sed -u -e "/$1/{w $TMP/../skipped.$BASHPID" -e 'd}'; }
# traced SONDE-OPTION...: all that sonde says. A kernel that preempts programs of tracepoints (7.x) leaves out events of
# tasks that come meanwhile, most of them of others, and sonde tells how many: not a matter of tests that count no losses.
# Of a sonde that died of a signal the shell says nothing in a pipeline: said here.
traced() {
	local status
	if [ -n "$PREEMPTIBLE" ]; then
		"$SONDE" "$@" 2>&1 | without_skips 'the kernel skipped events'
		status=${PIPESTATUS[0]}
	else
		"$SONDE" "$@" 2>&1
		status=$?
	fi
	[ $status -le 128 ] || [ $status = 255 ] || echo "sonde: status $status"
	return $status
}
# attached FILE...: waits until a sonde with __BPFTRACE_NOTIFY_PROBES_ATTACHED, whose output is in one of the files, is attached.
attached() { for ((i = 0; i < 600; i++)); do grep -qs PROBES_ATTACHED "$@" && return; sleep 0.05; done; echo "not attached: $*"; cat "$@"; }
# counts_last: what sonde counts while it runs is told as it comes, in one line or two, between other lines or after them:
# here once, with its sum, at the end.
counts_last() {
	awk '
	function add(from, rest) {
		key = substr($0, 1, from - 1) rest
		if (!(key in sum)) {
			keys[++n_keys] = key
			before[key] = substr($0, 1, from - 1)
			after[key] = rest
		}
		sum[key] += substr($0, from)
	}
	match($0, /\([0-9]+ times?\)$/) { add(RSTART + 1, " times)"); next }
	match($0, /lost [0-9]+ /) { add(RSTART + 5, substr($0, RSTART + RLENGTH - 1)); next }
	{ print }
	END {
		for (i = 1; i <= n_keys; i++) {
			key = keys[i]
			if (sum[key] == 1)
				sub(/ times/, " time", after[key])
			print before[key] sum[key] after[key]
		}
	}'
}
