/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde lock: waits for locks of the kernel (Linux 5.19) by caller, and for futexes by process and
 * address. */
#include "cli/sums.h"

#define FUTEX_WAITS                                                                                \
	"($op == 0 || $op == 6 || $op == 9 || $op == 11 || $op == 13)" /* include/uapi/linux/futex.h */

static const struct sums_group groups[] = {
	/* flags: LCB_F_* of include/trace/events/lock.h */
	{ "lock",
	  "contended locks of the kernel",
	  { "kind" },
	  "lock:contention_begin,lock:contention_end",
	  "tracepoint:lock:contention_begin { @begun[tid, args.lock_addr] = (nsecs, (uint32)args.flags, kstack(8)); }\n"
	  "tracepoint:lock:contention_end /has_key(@begun, (tid, args.lock_addr))/ {\n"
	  "	let $b = @begun[tid, args.lock_addr];\n"
	  "	let $ns = nsecs - $b.0;\n"
	  "	let $f = $b.1;\n"
	  "	let $k = $f & 32 ? \"mutex\" : $f & 8 ? \"rtmutex\" : $f & 16 ? ($f & 2 ? \"pcpu-sem:R\" : \"pcpu-sem:W\") :\n"
	  "		$f & 1 ? ($f & 2 ? \"rwlock:R\" : $f & 4 ? \"rwlock:W\" : \"spinlock\") :\n"
	  "		$f & 2 ? \"rwsem:R\" : $f & 4 ? \"rwsem:W\" : \"semaphore\";\n"
	  "	@lock_n[$k, $b.2] = count(); @lock_ns[$k, $b.2] = sum($ns); @lock_max_ns[$k, $b.2] = max($ns);\n"
	  "	_ = delete(@begun, (tid, args.lock_addr));\n}\n"
	  "end { clear(@begun); }\n" },
	{ "futex",
	  "waits for futexes",
	  { "command", "pid", "address" },
	  "syscalls:sys_enter_futex,syscalls:sys_exit_futex",
	  "tracepoint:syscalls:sys_enter_futex {\n"
	  "	let $op = args.op & 0x7f;\n"
	  "	if " FUTEX_WAITS " { @waits[tid] = (nsecs, (uint64)args.uaddr); }\n}\n"
	  "tracepoint:syscalls:sys_exit_futex /has_key(@waits, tid)/ {\n"
	  "	let $w = @waits[tid];\n"
	  "	let $ns = nsecs - $w.0;\n"
	  "	let $at = (void *)$w.1;\n"
	  "	@futex_n[comm, pid, $at] = count(); @futex_ns[comm, pid, $at] = sum($ns); @futex_max_ns[comm, pid, $at] = max($ns);\n"
	  "	_ = delete(@waits, tid);\n}\n"
	  "end { clear(@waits); }\n" },
};

static int lock(struct cli *c)
{
	return sums_run(c, groups, ARRAY_SIZE(groups));
}

const struct command command_lock = {
	.name = "lock",
	.args = "[CMD [ARG]...]",
	.brief = "sum up waits for locks by caller, and for futexes",
	.doc = "Locks of the kernel that had to be waited for (Linux 5.19 and later), by kind and the stack that waits; futexes, which locks of programs are made of, "
	       "by process and address. How many waits, the time in them, the longest. Of CMD, of -p, or of the machine until Ctrl-C or --duration; of a recording "
	       "with --from (its stacks with record -g).",
	.example = "sonde lock -- make -j8\n"
		   "sonde lock -p 1234 --duration 5s\n"
		   "sonde record -a -e 'lock:*' --duration 1s && sonde lock --from sonde.data",
	.run = lock,
	.takes = SETS_JOB | SET_CPUS | SET_FROM,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
