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
		buf_printf(b, "syscall:*%s", suffix);
		if (o->i386)
			buf_printf(b, ", syscall:i386_*%s", suffix);
		return;
	}
	for (u32 nr = 0; nr < strace_end_of_calls(o); nr++)
		if (syscall_name(nr) && strace_has_call(o, nr))
			buf_printf(b, "%ssyscall:=%s%s", n++ ? ", " : "", syscall_name(nr), suffix);
}

/* ---- -y: a record with what a descriptor is, before that of the call */

static const char file_of[] =
	"	if ((uint32)$fd < curtask.files.fdt.max_fds) {\n"
	"		$f = curtask.files.fdt.fd[$fd];\n"
	"		if ((uint64)$f != 0) {\n"
	"			print((%d, tid, pid, nsecs, $fd, path($f.f_path, 1024)%s));\n"
	"%s"
	"		}\n"
	"	}\n";
static const char more_of_file[] = ", $f.f_inode.i_mode, $f.f_inode.i_rdev";

/*
 * -yy: S_IFSOCK. struct sock_common has both IPv4 addresses in skc_addrpair and both of IPv6 from
 * skc_v6_daddr on; the inode of a socket is in the same struct socket_alloc. kptr: numbers become
 * pointers to user memory in syscall clauses.
 */
static const char socket_of[] =
	"			if (($f.f_inode.i_mode & 0170000) == 0140000) {\n"
	"				$sk = ((struct socket *)$f.private_data).sk;\n"
	"				$w = (uint64)$sk + offsetof(struct sock_common, skc_v6_daddr);\n"
	"				$u = (struct unix_sock *)$sk;\n"
	"				$is_unix = $sk.__sk_common.skc_family == 1;\n"
	"				$peer = $is_unix ? (uint64)$u.peer : 0;\n"
	"				$inode = $peer != 0 ? (uint64)kptr((struct sock *)$peer).sk_socket : 0;\n"
	"				$at = $is_unix ? (uint64)$u.addr : 0;\n"
	"				print((%d, tid, pid, nsecs, $fd, $f.f_inode.i_ino, $sk.__sk_common.skc_family, $sk.sk_type,\n"
	"				       $sk.sk_protocol, $sk.__sk_common.skc_num, $sk.__sk_common.skc_dport,\n"
	"				       $sk.__sk_common.skc_addrpair, *kptr((uint64 *)$w), *kptr((uint64 *)($w + 8)), *kptr((uint64 *)($w + 16)),\n"
	"				       *kptr((uint64 *)($w + 24)),\n"
	"				       $inode != 0 ? kptr((struct socket_alloc *)$inode).vfs_inode.i_ino : 0,\n"
	"				       $sk.__sk_common.skc_family == 16 ? ((struct netlink_sock *)$sk).portid : 0,\n"
	"				       $at != 0 ? kptr((struct unix_address *)$at).len - 2 : 0,\n"
	"				       buf(kptr((uint8 *)($at + offsetof(struct unix_address, name) + 2)), 108)));\n"
	"			}\n";

static const char *const i386_registers[CALL_MAX_ARGS] = { "bx", "cx", "dx", "si", "di", "bp" };
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

static void put_file_of(struct buf *b, const struct strace_options *o, const char *fd)
{
	struct buf of_socket = { 0 };

	if (o->files & DECODE_SOCKET)
		buf_printf(&of_socket, socket_of, RECORD_SOCKET);
	buf_printf(b, "	$fd = (int32)%s;\n", fd);
	buf_printf(b, file_of, RECORD_FILE, o->files & ~(u32)DECODE_PATH ? more_of_file : "",
		   of_socket.len ? of_socket.s : "");
	buf_release(&of_socket);
}

/* The numbers of the calls whose argument is a descriptor, as a condition on $nr: 64 in each
 * word. */
static bool put_numbers(struct buf *b, const struct strace_options *o, u32 arg)
{
	const char *between = "";

	for (u32 word = 0; word < (o->i386 ? SYSCALL_MAX : SYSCALL_I386) / 64; word++) {
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
 * Where 32-bit calls are not traced it also runs for them, and then shows a descriptor too many.
 */
static void put_taken_files(struct buf *b, const struct strace_options *o)
{
	buf_puts(b, "rawtracepoint:sys_enter {\n	$nr = (uint64)args.id;\n");
	if (o->i386) /* TS_COMPAT of asm/thread_info.h */
		buf_printf(
			b,
			"	$i386 = (curtask.thread_info.status & 2) != 0;\n	$nr += $i386 ? %d : 0;\n",
			SYSCALL_I386);
	for (u32 arg = 0; arg < CALL_MAX_ARGS; arg++) {
		struct buf numbers = { 0 };
		char fd[64];

		if (put_numbers(&numbers, o, arg)) {
			snprintf(fd, sizeof fd,
				 o->i386 ? "($i386 ? args.regs.%s : args.regs.%s)" :
					   "args.regs.%.0s%s",
				 i386_registers[arg], argument_registers[arg]);
			buf_printf(b, "	if (%s) {\n", numbers.s);
			put_file_of(b, o, fd);
			buf_printf(
				b,
				"	if ($fd == %d) { print((%d, tid, pid, nsecs, $fd, path(curtask.fs.pwd, 1024))); }\n	}\n",
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
		snprintf(fd, sizeof fd, "*uptr((int32 *)((uint64)args.%s + %u))", arg, 4 * i);
		put_file_of(b, o, fd);
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
		put_file_of(b, o, "retval");
		buf_puts(b, "}\n");
	}
	if (is_shown(o, "bpf")) { /* result_bpf of callstructs.def */
		buf_puts(
			b,
			"syscall:=bpf:return /retval >= 0 && args.cmd < 34 && (0x3500e60a1ull >> args.cmd & 1) == 1/ {\n");
		put_file_of(b, o, "retval");
		buf_puts(b, "}\n");
	}
	for (u32 nr = 0; nr < strace_end_of_calls(o); nr++)
		if (strace_has_call(o, nr) && syscall_name(nr) &&
		    strace_returns_fd(syscall_plain_name(syscall_name(nr)))) {
			buf_printf(b, "%ssyscall:=%s:return", between, syscall_name(nr));
			between = ", ";
		}
	if (!*between)
		return;
	buf_puts(b, " /retval >= 0/ {\n");
	put_file_of(b, o, "retval");
	buf_puts(b, "}\n");
}

static void put_files(struct buf *b, const struct strace_options *o)
{
	put_taken_files(b, o);
	put_returned_files(b, o);
}

/* Reading the clock costs more than writing the record. */
static bool shows_times(const struct strace_options *o)
{
	return o->clock.time || o->clock.relative || o->spent || o->json;
}

/*
 * If SIGKILL is the only pending signal, also because another thread has ended the process
 * (zap_other_threads() of kernel/signal.c), the thread does not return to the program: an error
 * says only that the call was interrupted, or not made.
 */
static const char result[] =
	"retval < 0 && (curtask.pending.signal.sig[0] & 256) != 0 && "
	"((curtask.pending.signal.sig[0] | curtask.signal.shared_pending.signal.sig[0]) & ~256 & ~curtask.blocked.sig[0]) == 0 ? "
	"%d : retval";

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
	buf_printf(b, result, STRACE_NO_RESULT);
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
		put_files(&b, &st->o);
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
