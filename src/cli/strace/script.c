/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script of a run. In: the options. Out: text of the language, a print() for each record. */
#include "cli/job.h"
#include "cli/strace/strace.h"

/* The words of a siginfo: kernel_siginfo begins with three numbers, its union is at byte 16. */
static const char signals[] =
	"rawtracepoint:signal_deliver {\n"
	"	$at = (uint64)args.info;\n"
	"	print((%d, tid, pid, nsecs, args.sig, args.info.si_code, args.info.si_errno,\n"
	"	       *(uint64 *)($at + 16), *(uint64 *)($at + 24), *(uint64 *)($at + 32), *(uint64 *)($at + 40)));\n"
	"}\n";

/* The special values of info are SEND_SIG_NOINFO and SEND_SIG_PRIV; result 1 is TRACE_SIGNAL_IGNORED. */
static const char ignored[] =
	"rawtracepoint:signal_generate /args.result == 1 && (uint64)args.info > 1/ {\n"
	"	$at = (uint64)args.info;\n"
	"	print((%d, args.task.pid, args.task.tgid, nsecs, args.sig, args.info.si_code, args.info.si_errno,\n"
	"	       *(uint64 *)($at + 16), *(uint64 *)($at + 24), *(uint64 *)($at + 32), *(uint64 *)($at + 40)));\n"
	"}\n";

/* TIF_32BIT of asm/thread_info.h; MM_CONTEXT_UPROBE_IA32 of asm/mmu.h, which 32-bit programs have. */
#ifdef __aarch64__
#define IS_32_BIT "curtask.thread_info.flags & (1 << 22)"
#else
#define IS_32_BIT "curtask.mm.context.flags & 1"
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
	"syscall:fork:return /retval == 0/ { print((%d, tid, pid, nsecs)); }\n"
	"syscall:fork:return /retval > 0/ { print((%d, tid, pid, nsecs)); }\n";

/* Time on a processor, up to a constant: the scheduler adds to sum_exec_runtime at exec_start. */
static const char cpu_clock[] = "nsecs - curtask.se.exec_start + curtask.se.sum_exec_runtime";

static u32 count_calls(const struct strace_options *o)
{
	u32 n = 0;

	for (u32 nr = 0; nr < syscall_count(); nr++)
		n += syscall_name(nr) && strace_has_call(o, nr);
	return n;
}

static void put_probes(struct buf *b, const struct strace_options *o, const char *suffix)
{
	u32 n = 0;

	if (o->all_calls) {
		buf_printf(b, "syscall:*%s", suffix);
		return;
	}
	for (u32 nr = 0; nr < syscall_count(); nr++)
		if (syscall_name(nr) && strace_has_call(o, nr))
			buf_printf(b, "%ssyscall:=%s%s", n++ ? ", " : "", syscall_name(nr), suffix);
}

static void put_calls(struct buf *b, const struct strace *st)
{
	const char *more = !st->o.summary ? "0" : st->o.wall ? "nsecs" : cpu_clock;
	const char *args = st->o.lines ? "argstr" : "0";

	if (!count_calls(&st->o))
		return;
	put_probes(b, &st->o, "");
	buf_printf(b, " { print((%d, tid, pid, nsecs, probe, %s, 0, %s)); }\n", RECORD_ENTER, more,
		   args);
	put_probes(b, &st->o, ":return");
	buf_printf(b, " { print((%d, tid, pid, nsecs, probe, %s, retval, %s%s)); }\n",
		   RECORD_RETURN, more, st->o.stacks ? "ustack, " : "", args);
}

const char *strace_script(const struct strace *st)
{
	struct buf b = {};
	const char *text;

	if (st->o.lines)
		buf_printf(
			&b,
			"config = { perf_rb_pages = %llu; argstr_bytes = %u; argstr_hex = %u }\n",
			(unsigned long long)job_ring_pages(), st->o.strings, st->o.hex);
	buf_printf(&b, life, RECORD_END, RECORD_EXEC, RECORD_BORN,
		   RECORD_FORKED); /* births come before their calls */
	put_calls(&b, st);
	if (st->o.lines) {
		buf_printf(&b, signals, RECORD_SIGNAL);
		buf_printf(&b, ignored, RECORD_IGNORED);
		buf_printf(&b, "interval:ms:50 { print((%d, 0, 0, nsecs)); }\n", RECORD_TICK);
	}
	text = arena_strdup(&st->c->words_arena, b.s);
	buf_release(&b);
	return text;
}
