/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script of a run. In: the options. Out: text of the language, a print() for each record. */
#include "cli/job.h"
#include "cli/strace/strace.h"
#include "engine/engine.h"

/* The words of a siginfo: kernel_siginfo begins with three numbers, its union is at byte 16. */
static const char signals[] =
	"rawtracepoint:signal_deliver {\n"
	"	$at = (uint64)args.info;\n"
	"	print((%d, tid, pid, nsecs, args.sig, args.info.si_code, args.info.si_errno,\n"
	"	       *(uint64 *)($at + 16), *(uint64 *)($at + 24), *(uint64 *)($at + 32), *(uint64 *)($at + 40)%s));\n"
	"}\n";

/* The special values of info are SEND_SIG_NOINFO and SEND_SIG_PRIV; result 1 is
 * TRACE_SIGNAL_IGNORED. */
static const char ignored[] =
	"rawtracepoint:signal_generate /args.result == 1 && (uint64)args.info > 1/ {\n"
	"	$at = (uint64)args.info;\n"
	"	print((%d, args.task.pid, args.task.tgid, nsecs, args.sig, args.info.si_code, args.info.si_errno,\n"
	"	       *(uint64 *)($at + 16), *(uint64 *)($at + 24), *(uint64 *)($at + 32), *(uint64 *)($at + 40)));\n"
	"}\n";

/* TIF_32BIT of asm/thread_info.h; the end of the address space, since kernels before 5.11 have no
 * MM_CONTEXT_UPROBE_IA32. */
#ifdef __aarch64__
#define IS_32_BIT "curtask.thread_info.flags & (1 << 22)"
#else
#define IS_32_BIT "curtask.mm.task_size < 0x100000000"
#endif

/*
 * The count of live threads has been reduced by this one already. A signal that ends a process is
 * not delivered, unless it dumps core: it is still in one of the two queues.
 */
static const char life[] =
	"rawtracepoint:sched_process_exit {\n"
	"	$q = (struct sigqueue *)curtask.signal.shared_pending.list.next;\n"
	"	if ((curtask.exit_code & 127) != $q.info.si_signo) {\n"
	"		$q = (struct sigqueue *)curtask.pending.list.next;\n"
	"	}\n"
	"	$at = (uint64)$q + offsetof(struct sigqueue, info);\n"
	"	print((%d, tid, pid, nsecs, $q.info.si_signo, $q.info.si_code, $q.info.si_errno,\n"
	"	       *(uint64 *)($at + 16), *(uint64 *)($at + 24), *(uint64 *)($at + 32), *(uint64 *)($at + 40),\n"
	"	       curtask.exit_code, curtask.signal.live.counter));\n"
	"}\n"
	"rawtracepoint:sched_process_exec { print((%d, tid, pid, nsecs, " IS_32_BIT ")); }\n"
	"syscall:fork:return /retval == 0/ { print((%d, tid, pid, nsecs, curtask.real_parent.tgid)); }\n"
	"syscall:fork:return /retval > 0/ { print((%d, tid, pid, nsecs)); }\n";

/* Time on a processor, up to a constant: the scheduler adds to sum_exec_runtime at exec_start. */
static const char cpu_clock[] = "nsecs - curtask.se.exec_start + curtask.se.sum_exec_runtime";

static u32 count_calls(const struct strace_options *o)
{
	u32 n = 0;

	for (u32 nr = 0; nr < strace_end_of_calls(o); nr++)
		n += syscall_name(nr) && strace_has_call(o, nr);
	return n;
}

static void put_probes(struct buf *b, const struct strace_options *o, const char *suffix)
{
	u32 n = 0;

	if (o->all_calls) {
		buf_printf(b, "syscall:*%s%s", o->i386 ? "|i386_*" : "", suffix);
		return;
	}
	for (u32 nr = 0; nr < strace_end_of_calls(o); nr++)
		if (syscall_name(nr) && strace_has_call(o, nr))
			buf_printf(b, "%s=%s", n++ ? "|" : "syscall:", syscall_name(nr));
	buf_puts(b, suffix);
}

/* Reading the clock costs more than writing the record. */
static bool shows_times(const struct strace_options *o)
{
	return o->clock.time || o->clock.relative || o->spent || o->json;
}

/*
 * If SIGKILL is the only pending signal, also because another thread has ended the process
 * (zap_other_threads() of kernel/signal.c), the thread does not return to the program: an error
 * says only that the call was interrupted, or not made. %s: of the process.
 */
static const char result[] =
	"retval < 0 && (curtask.pending.signal.sig[0] & 256) != 0 && "
	"((curtask.pending.signal.sig[0] | %s.shared_pending.signal.sig[0]) & ~256 & ~curtask.blocked.sig[0]) == 0 ? "
	"%d : retval";

/*
 * For a pointer in a task, whose type they know, verifiers search all types of the kernel by name,
 * twice (kernel/bpf/btf.c: btf_nested_type_is_trusted()): half a millisecond in each of several
 * hundred programs. For a number they do not.
 */
static const char *process_signals(void)
{
	return feature_has(kernel_features(), FEAT_READ_KERNEL) ?
		       "kptr((struct signal_struct *)*kptr((uint64 *)((uint64)curtask + "
		       "offsetof(struct task_struct, signal))))" :
		       "curtask.signal";
}

static void put_calls(struct buf *b, const struct strace *st)
{
	const char *more = !st->o.summary ? "0" : st->o.wall ? "nsecs" : cpu_clock;
	const char *args = st->o.lines ? "argstr" : "0", *now = shows_times(&st->o) ? "nsecs" : "0";

	if (!count_calls(&st->o))
		return;
	put_probes(b, &st->o, "");
	buf_printf(b, " { print((%d, tid, pid, %s, probe, %s, 0%s%s, %s)); }\n", RECORD_ENTER, now,
		   more, st->o.pointer ? ", ustack(1)" : "", st->o.pids ? ", comm" : "", args);
	put_probes(b, &st->o, ":return");
	buf_printf(b, " { print((%d, tid, pid, %s, probe, %s, ", RECORD_RETURN, now, more);
	buf_printf(b, result, process_signals(), STRACE_NO_RESULT);
	buf_printf(b, ", %s%s)); }\n", st->o.stacks ? "ustack, " : "", args);
}

static bool has_any(const u64 *set, u32 n)
{
	for (u32 i = 0; i < n / 64; i++)
		if (set[i])
			return true;
	return false;
}

/* -e read=, -e write=: memory.c has no clauses for 32-bit programs. */
static bool dumps(const struct strace_options *o)
{
	return has_any(o->read_fds, STRACE_FD_MAX) || has_any(o->write_fds, STRACE_FD_MAX);
}

/* -v, -e abbrev= */
static bool is_whole(const struct strace_options *o)
{
	for (u32 nr = 0; nr < SYSCALL_MAX; nr++)
		if (!strace_in_set(o->abbrev, SYSCALL_MAX, nr))
			return true;
	return false;
}

static void put_config(struct buf *b, const struct strace *st)
{
	buf_printf(b, "config = { max_probes = %u", 2 * SYSCALL_MAX);
	if (st->o.lines)
		buf_printf(
			b,
			"; perf_rb_pages = %llu; max_strlen = 32768; buf_empty = 1; argstr_bytes = %u; argstr_hex = %u; "
			"argstr_rest = 1; argstr_whole = %u",
			(unsigned long long)job_ring_pages(),
			st->o.i386 && dumps(&st->o) ? (u32)STRACE_STRINGS_MOST :
						      MIN(st->o.strings, (u32)STRACE_STRINGS_MOST),
			st->o.hex, is_whole(&st->o));
	buf_puts(b, " }\n");
}

const char *strace_script(const struct strace *st)
{
	struct buf b = { 0 };
	const char *text;

	put_config(&b, st);
	buf_printf(&b, life, RECORD_END, RECORD_EXEC, RECORD_BORN,
		   RECORD_FORKED); /* births precede calls */
	if (st->o.lines && (st->o.files || st->o.n_paths))
		strace_put_file_clauses(&b, &st->o);
	if (st->o.lines)
		strace_put_memory(&b, st);
	put_calls(&b, st);
	if (st->o.lines) {
		buf_printf(&b, signals, RECORD_SIGNAL, st->o.pointer ? ", ustack(1)" : "");
		buf_printf(&b, ignored, RECORD_IGNORED);
		buf_printf(&b, "interval:ms:25 { print((%d, 0, 0, nsecs)); }\n", RECORD_TICK);
	}
	text = arena_strdup(&st->c->line.arena, b.s);
	buf_release(&b);
	return text;
}
