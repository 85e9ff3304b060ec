/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script of a run. In: the options. Out: text of the language, a print() for each record. */
#include "cli/job.h"
#include "cli/strace/strace.h"
#include "sym/callviews.h"

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

/* ---- -y: a record with what a descriptor is, before that of the call */

static const char file_of[] =
	"	if ((uint32)$fd < curtask.files.fdt.max_fds) {\n"
	"		$f = curtask.files.fdt.fd[$fd];\n"
	"		if ((uint64)$f != 0) { print((%d, tid, pid, nsecs, $fd, path($f.f_path))); }\n"
	"	}\n";

static const char *const argument_registers[CALL_MAX_ARGS] = {
#ifdef __aarch64__
	"regs[0]", "regs[1]", "regs[2]", "regs[3]", "regs[4]", "regs[5]"
#else
	"di", "si", "dx", "r10", "r8", "r9"
#endif
};

static bool takes_fd(const struct strace_options *o, u32 nr, u32 arg)
{
	const struct call_format *f = strace_has_call(o, nr) && syscall_event_name(nr) ?
					      call_format(syscall_event_name(nr)) :
					      NULL;

	return f && arg < f->n &&
	       (f->arg[arg].view.kind == VIEW_FD || f->arg[arg].view.kind == VIEW_AT);
}

static bool is_shown(const struct strace_options *o, const char *name)
{
	return syscall_number(name) >= 0 && strace_has_call(o, (u32)syscall_number(name));
}

static void put_file(struct buf *b, const char *fd)
{
	buf_printf(b, "	$fd = (int32)%s;\n", fd);
	buf_printf(b, file_of, RECORD_FILE);
}

/* The numbers of the calls whose argument is a descriptor, as a condition on $nr: 64 in each word. */
static bool put_numbers(struct buf *b, const struct strace_options *o, u32 arg)
{
	const char *between = "";

	for (u32 word = 0; word < SYSCALL_MAX / 64; word++) {
		u64 set = 0;

		for (u32 i = 0; i < 64; i++)
			set |= (u64)takes_fd(o, 64 * word + i, arg) << i;
		if (set)
			buf_printf(b, "%s($nr >> 6 == %u && (%#llxull >> ($nr & 63) & 1) == 1)",
				   between, word, (unsigned long long)set);
		between = set ? " || " : between;
	}
	return *between;
}

/*
 * One program for all calls: each program with path() takes verifiers as long as a hundred without.
 * It also runs for 32-bit calls, whose numbers differ, and then shows a descriptor too many.
 */
static void put_taken_files(struct buf *b, const struct strace_options *o)
{
	buf_puts(b, "rawtracepoint:sys_enter {\n	$nr = (uint64)args.id;\n");
	for (u32 arg = 0; arg < CALL_MAX_ARGS; arg++) {
		struct buf numbers = {};
		char fd[64];

		if (put_numbers(&numbers, o, arg)) {
			snprintf(fd, sizeof(fd), "args.regs.%s", argument_registers[arg]);
			buf_printf(b, "	if (%s) {\n", numbers.s);
			put_file(b, fd);
			buf_printf(
				b,
				"	if ($fd == %d) { print((%d, tid, pid, nsecs, $fd, path(curtask.fs.pwd))); }\n	}\n",
				STRACE_CWD, RECORD_FILE);
		}
		buf_release(&numbers);
	}
	buf_puts(b, "}\n");
}

/* Two that the call has stored. */
static void put_pair(struct buf *b, const struct strace_options *o, const char *call,
		     const char *arg)
{
	char fd[64];

	if (!is_shown(o, call))
		return;
	buf_printf(b, "syscall:=%s:return /retval == 0/ {\n", call);
	for (u32 i = 0; i < 2; i++) {
		snprintf(fd, sizeof(fd), "*uptr((int32 *)((uint64)args.%s + %u))", arg, 4 * i);
		put_file(b, fd);
	}
	buf_puts(b, "}\n");
}

static void put_returned_files(struct buf *b, const struct strace_options *o)
{
	const char *between = "";

	put_pair(b, o, "pipe", "fildes");
	put_pair(b, o, "pipe2", "fildes");
	put_pair(b, o, "socketpair", "usockvec");
	if (is_shown(o, "fcntl")) { /* F_DUPFD, F_DUPFD_CLOEXEC */
		buf_puts(
			b,
			"syscall:=fcntl:return /(args.cmd == 0 || args.cmd == 1030) && retval >= 0/ {\n");
		put_file(b, "retval");
		buf_puts(b, "}\n");
	}
	for (u32 nr = 0; nr < syscall_count(); nr++)
		if (strace_has_call(o, nr) && syscall_name(nr) &&
		    strace_returns_fd(syscall_name(nr))) {
			buf_printf(b, "%ssyscall:=%s:return", between, syscall_name(nr));
			between = ", ";
		}
	if (!*between)
		return;
	buf_puts(b, " /retval >= 0/ {\n");
	put_file(b, "retval");
	buf_puts(b, "}\n");
}

static void put_files(struct buf *b, const struct strace_options *o)
{
	put_taken_files(b, o);
	put_returned_files(b, o);
}

/* Reading the clock costs a call more than its record. */
static bool shows_times(const struct strace_options *o)
{
	return o->clock.time || o->clock.relative || o->spent || o->json;
}

static void put_calls(struct buf *b, const struct strace *st)
{
	const char *more = !st->o.summary ? "0" : st->o.wall ? "nsecs" : cpu_clock;
	const char *args = st->o.lines ? "argstr" : "0", *now = shows_times(&st->o) ? "nsecs" : "0";

	if (!count_calls(&st->o))
		return;
	put_probes(b, &st->o, "");
	buf_printf(b, " { print((%d, tid, pid, %s, probe, %s, 0, %s)); }\n", RECORD_ENTER, now,
		   more, args);
	put_probes(b, &st->o, ":return");
	buf_printf(b, " { print((%d, tid, pid, %s, probe, %s, retval, %s%s)); }\n", RECORD_RETURN,
		   now, more, st->o.stacks ? "ustack, " : "", args);
}

const char *strace_script(const struct strace *st)
{
	struct buf b = {};
	const char *text;

	if (st->o.lines)
		buf_printf(
			&b,
			"config = { perf_rb_pages = %llu; argstr_bytes = %u; argstr_hex = %u; argstr_rest = 1 }\n",
			(unsigned long long)job_ring_pages(), st->o.strings, st->o.hex);
	buf_printf(&b, life, RECORD_END, RECORD_EXEC, RECORD_BORN,
		   RECORD_FORKED); /* births come before their calls */
	if (st->o.lines && (st->o.files || st->o.n_paths))
		put_files(&b, &st->o);
	put_calls(&b, st);
	if (st->o.lines) {
		buf_printf(&b, signals, RECORD_SIGNAL);
		buf_printf(&b, ignored, RECORD_IGNORED);
		buf_printf(&b, "interval:ms:25 { print((%d, 0, 0, nsecs)); }\n", RECORD_TICK);
	}
	text = arena_strdup(&st->c->words_arena, b.s);
	buf_release(&b);
	return text;
}
