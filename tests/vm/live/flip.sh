# SPDX-License-Identifier: GPL-2.0-or-later
# Somebody who turns every switch of tracefs all the time, other tracers on the same probes, and what sonde answers beside.
# arch.sh comes before it.
T=/sys/kernel/tracing
# Until it is told to end (SIGTERM), with every switch as it was.
flip() {
	local told=
	trap 'told=yes' TERM
	while [ -z "$told" ]; do
		echo 0 >$T/tracing_on
		echo "p:mine ${SYS}getppid" >>$T/kprobe_events
		echo 1 >$T/events/kprobes/enable
		echo 1 >$T/events/syscalls/enable
		echo 'id == 1' >$T/events/raw_syscalls/sys_enter/filter
		echo raw_syscalls:sys_enter >$T/set_event
		echo >$T/set_event
		echo function >$T/current_tracer
		echo ${SYS}getppid >$T/set_ftrace_filter
		echo 1 >$T/tracing_on
		echo nop >$T/current_tracer
		echo >$T/set_ftrace_filter
		echo 0 >$T/events/enable
		echo 0 >$T/events/raw_syscalls/sys_enter/filter
		echo >$T/kprobe_events
	done 2>/dev/null
}
# perf and bpftrace on what sonde counts, for as long as they are left alone
others() {
	perf record -q -a -o /dev/null -e syscalls:sys_enter_getppid -e raw_syscalls:sys_enter >/dev/null 2>&1 &
	bpftrace -e "kprobe:${SYS}getppid, kretprobe:${SYS}getppid, tracepoint:syscalls:sys_enter_getppid { @[probe] = count(); }" >/dev/null 2>&1 &
}
counts='tracepoint:syscalls:sys_enter_getppid { @ppid = count(); } tracepoint:raw_syscalls:sys_enter /args.id == '$(nr getppid)'/ { @raw = count(); } kprobe:'$SYS'getppid { @k = count(); } kretprobe:'$SYS'getppid { @kr = count(); } rawtracepoint:sys_enter /args.id == '$(nr getppid)'/ { @rt = count(); } fentry:'$SYS'getppid { @f = count(); }'
# Of the counts in a file those that are not N. Where tracepoints may be preempted (7.x) the kernel leaves out what comes while
# another task stands in the same program, and sonde says how many events it skipped: those alone may be missing.
not_exact() {
	awk -v n="$1" '/ the kernel skipped events/ { t = $0; sub(/ times?\)$/, "", t); sub(/.*\(/, "", t); told += t } /^@/ { counts++; if ($NF != n) { wrong = wrong $0 "\n"; missing += n - $NF; if (missing < 0) over = 1 } }
		END { if (missing > told || over) printf "%s", wrong; print counts " counts, each " n }' "$2"
}
