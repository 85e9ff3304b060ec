# SPDX-License-Identifier: GPL-2.0-or-later
# traced SONDE-OPTION...: all that sonde says. A kernel that preempts programs of tracepoints (7.x) leaves out events of
# tasks that come meanwhile, most of them of others, and sonde tells how many: not a matter of tests that count no losses.
traced() {
	case $(cat /sys/kernel/debug/sched/preempt 2>/dev/null) in
	*'(full)'* | *'(lazy)'*)
		"$SONDE" "$@" 2>&1 | sed -u '/the kernel skipped events/d'
		return "${PIPESTATUS[0]}";;
	esac
	"$SONDE" "$@" 2>&1
}
