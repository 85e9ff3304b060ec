/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -y: clauses that print what descriptors are, each before the record of the call or of its return.
 * Descriptors are arguments, results, or in memory, where the views of calls say.
 */
#include "cli/strace/strace.h"
#include "engine/engine.h"
#include "sym/callviews.h"

static const char file_of[] =
	"	if ((uint32)$fd < curtask.files.fdt.max_fds) {\n"
	"		$f = curtask.files.fdt.fd[$fd];\n"
	"		if ((uint64)$f != 0) {\n"
	"%s"
	"			print((%d, tid, pid, nsecs, $fd, path($f.f_path, 1024)%s));\n"
	"%s"
	"		}\n"
	"	}\n";
static const char more_of_file[] = ", $f.f_inode.i_mode, $f.f_inode.i_rdev";
/* Of a pidfd, the struct pid: since Linux 6.9 it is a file of pidfs. 0: the process has been waited
 * for. */
static const char pid_of_file[] =
	"			$pid = (uint64)$f.f_inode.i_sb.s_magic == 0x50494446 ? (uint64)$f.f_inode.i_private : (uint64)$f.private_data;\n"
	"			$number = (uint64)kptr((struct pid *)$pid).tasks[0].first != 0 ? kptr((struct pid *)$pid).numbers[0].nr : 0;\n";

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

#ifdef __aarch64__
#define SECOND_REGISTER "regs[1]"
#define FOURTH_REGISTER "regs[3]"
#define FIRST_AT_EXIT "args.regs.orig_x0"
#define NUMBER_AT_EXIT "args.regs.syscallno"
#define IS_64_BIT "(curtask.thread_info.flags & (1 << 22)) == 0" /* TIF_32BIT */
#else
#define SECOND_REGISTER "si"
#define FOURTH_REGISTER "r10"
#define FIRST_AT_EXIT "args.regs.di"
#define NUMBER_AT_EXIT "args.regs.orig_ax"
#define IS_64_BIT "(curtask.thread_info.status & 2) == 0" /* TS_COMPAT of asm/thread_info.h */
#endif

static const char *const i386_registers[CALL_MAX_ARGS] = { "bx", "cx", "dx", "si", "di", "bp" };
static const char *const argument_registers[CALL_MAX_ARGS] = {
#ifdef __aarch64__
	"regs[0]", "regs[1]", "regs[2]", "regs[3]", "regs[4]", "regs[5]"
#else
	"di", "si", "dx", "r10", "r8", "r9"
#endif
};

/* Perhaps: then the record is one too many. */
static bool is_fd(const struct call_view *v)
{
	bool found = v->kind == VIEW_FD || v->kind == VIEW_AT;

	for (u32 i = 0; v->kind == VIEW_CHOICE && !v->choice->by_member && i < v->choice->n; i++)
		found |= v->choice->v[i].view.kind == VIEW_FD;
	return found;
}

static bool takes_fd(const struct strace_options *o, u32 nr, u32 arg)
{
	const struct call_format *f = strace_has_call(o, nr) && syscall_event_name(nr) ?
					      call_format(syscall_event_name(nr)) :
					      NULL;

	return f && arg < f->n && is_fd(&f->arg[arg].view);
}

static bool is_shown(const struct strace_options *o, const char *name)
{
	return syscall_number(name) >= 0 && strace_has_call(o, (u32)syscall_number(name));
}

/* Of $fd. */
static void put_file(struct buf *b, const struct strace_options *o)
{
	struct buf of_socket = { 0 }, more = { 0 };

	if (o->files & DECODE_SOCKET)
		buf_printf(&of_socket, socket_of, RECORD_SOCKET);
	if (o->files & ~(u32)DECODE_PATH)
		buf_printf(&more, "%s, %s", more_of_file,
			   o->files & DECODE_PIDFD ? "$number" : "0");
	buf_printf(b, file_of, o->files & DECODE_PIDFD ? pid_of_file : "", RECORD_FILE,
		   more.len ? more.s : "", of_socket.len ? of_socket.s : "");
	buf_release(&more);
	buf_release(&of_socket);
}

static void put_file_of(struct buf *b, const struct strace_options *o, const char *fd)
{
	buf_printf(b, "	$fd = (int32)%s;\n", fd);
	put_file(b, o);
}

static bool returns_fd(const struct strace_options *o, u32 nr, u32 arg)
{
	return strace_has_call(o, nr) && syscall_name(nr) &&
	       strace_returns_fd(syscall_plain_name(syscall_name(nr)));
}

/* Numbers of calls as a condition on $nr: 64 in each word. */
static bool put_numbers(struct buf *b, const struct strace_options *o,
			bool (*is_in)(const struct strace_options *o, u32 nr, u32 arg), u32 arg)
{
	const char *between = "";

	for (u32 word = 0; word < strace_end_of_calls(o) / 64; word++) {
		u64 set = 0;

		for (u32 i = 0; i < 64; i++)
			set |= (u64)is_in(o, 64 * word + i, arg) << i;
		if (set)
			buf_printf(b, "%s($nr >> 6 == %u && (%#llxull >> ($nr & 63) & 1) == 1)",
				   between, word, (unsigned long long)set);
		between = set ? " || " : between;
	}
	return *between;
}

/* TS_COMPAT of asm/thread_info.h */
static void put_i386(struct buf *b)
{
	buf_printf(b,
		   "	$i386 = (curtask.thread_info.status & 2) != 0;\n"
		   "	$nr += $i386 ? %d : 0;\n",
		   SYSCALL_I386);
}

/*
 * One program for all calls: each program with path() takes verifiers as long as a hundred without.
 * Where 32-bit calls are not traced it also runs for them, and then shows a descriptor too many.
 */
static void put_taken_files(struct buf *b, const struct strace_options *o)
{
	buf_puts(b, "rawtracepoint:sys_enter {\n	$nr = (uint64)args.id;\n");
	if (o->i386)
		put_i386(b);
	for (u32 arg = 0; arg < CALL_MAX_ARGS; arg++) {
		struct buf numbers = { 0 };
		char fd[64];

		if (put_numbers(&numbers, o, takes_fd, arg)) {
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

/* Calls that store two. */
static const struct {
	const char *call, *arg, *at_exit;
} pairs[] = { { "pipe", "fildes", FIRST_AT_EXIT },
	      { "pipe2", "fildes", FIRST_AT_EXIT },
	      { "socketpair", "usockvec", "args.regs." FOURTH_REGISTER } };

/* Where lists are not followed. */
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

/* The descriptor that a call has returned. */
static bool put_returned(struct buf *b, const struct strace_options *o)
{
	struct buf when = { 0 };
	const char *between = put_numbers(&when, o, returns_fd, 0) ? " || " : "";
	bool some;

	if (is_shown(o, "fcntl")) { /* F_DUPFD, F_DUPFD_CLOEXEC */
		buf_printf(&when,
			   "%s($nr == %d && ((uint32)args.regs.%s == 0 || "
			   "(uint32)args.regs.%s == 1030))",
			   between, syscall_number("fcntl"), SECOND_REGISTER, SECOND_REGISTER);
		between = " || ";
	}
	if (is_shown(o, "bpf")) /* result_bpf of callstructs.def */
		buf_printf(&when,
			   "%s($nr == %d && (uint32)%s < 34 && "
			   "(0x3500e60a1ull >> ((uint64)%s & 63) & 1) == 1)",
			   between, syscall_number("bpf"), FIRST_AT_EXIT, FIRST_AT_EXIT);
	some = when.len != 0;
	if (some)
		buf_printf(b, "	if (%s) { $one = (int32)args.ret; $count = 1; }\n", when.s);
	buf_release(&when);
	return some;
}

/* ---- in memory */

enum { SETS = 3 /* of descriptors, of select() */ };

struct listing {
	struct buf *b;
	const struct call_format *f;
	u32 nr, n_sets;
	const char *when; /* a further condition, or "" */
	bool some;
};

static const char *register_of(u32 arg)
{
	return argument_registers[arg];
}

static u64 words_of(const struct call_struct *st, u32 base)
{
	u64 words = 0;

	for (u32 i = 0; i < st->n; i++) {
		const struct call_view *v = &st->v[i].view;
		u32 at = base + st->v[i].offset;

		if ((v->kind == VIEW_FD || v->kind == VIEW_AT) && at < 4 * 64)
			words |= 1ull << at / 4;
		if (v->kind == VIEW_STRUCT || v->kind == VIEW_MEMBERS)
			words |= words_of(v->st, at);
	}
	return words;
}

static void begin_list(struct listing *l)
{
	buf_printf(l->b, "	if ($nr == %u%s) {", l->nr, l->when);
	l->some = true;
}

static void list_array(struct listing *l, const struct call_view *v, u32 arg)
{
	u32 size = view_size(v->of), at = 0;

	if (v->len.kind != LEN_ARG || !size)
		return;
	if (v->of->kind == VIEW_STRUCT) {
		u64 words = words_of(v->of->st, 0);

		if (!words)
			return;
		at = 4 * (u32)__builtin_ctzll(words);
	} else if (v->of->kind != VIEW_FD) {
		return;
	}
	begin_list(l);
	buf_printf(
		l->b,
		" $list = (uint64)args.regs.%s + %u; $count = (int64)args.regs.%s; $step = (uint64)%u; }\n",
		register_of(arg), at, register_of(v->len.value), size);
}

static void list_object(struct listing *l, const struct call_view *v, u32 arg)
{
	u64 words;

	if (v->kind == VIEW_ARRAY) {
		list_array(l, v, arg);
	} else if (v->kind == VIEW_FD_SET && v->len.kind == LEN_BITS && l->n_sets < SETS) {
		begin_list(l);
		buf_printf(l->b,
			   " $set%u = (uint64)args.regs.%s; $count = (int64)args.regs.%s; }\n",
			   l->n_sets++, register_of(arg), register_of(v->len.value));
	} else if (v->kind == VIEW_FD) {
		begin_list(l);
		buf_printf(l->b,
			   " $list = (uint64)args.regs.%s; $words = (uint64)1; $count = 1; }\n",
			   register_of(arg));
	} else if (v->kind == VIEW_STRUCT && (words = words_of(v->st, 0))) {
		begin_list(l);
		buf_printf(
			l->b,
			" $list = (uint64)args.regs.%s; $words = (uint64)%#llx; $count = %d; }\n",
			register_of(arg), (unsigned long long)words, 64 - __builtin_clzll(words));
	}
}

/* What a pointer leads to, perhaps by the value of another argument. */
static void list_view(struct listing *l, const struct call_view *v, u32 arg)
{
	const struct call_choice *c = v->kind == VIEW_CHOICE ? v->choice :
				      v->kind == VIEW_POINTER && v->of->kind == VIEW_CHOICE ?
							       v->of->choice :
							       NULL;
	char when[96];

	if (!c) {
		if (v->kind == VIEW_POINTER && v->dir != VIEW_OUT)
			list_object(l, v->of, arg);
		return;
	}
	for (u32 i = 0; !c->by_member && i < c->n; i++) {
		const struct call_view *one = &c->v[i].view;

		snprintf(when, sizeof when, " && ((uint64)args.regs.%s & %#x) == %#llx",
			 register_of(c->where), c->mask,
			 (unsigned long long)((u64)c->v[i].value & c->mask));
		l->when = when;
		if (v->kind == VIEW_POINTER)
			list_object(l, one, arg);
		else if (one->kind == VIEW_POINTER && one->dir != VIEW_OUT)
			list_object(l, one->of, arg);
	}
	l->when = "";
}

/* One of the first control messages has the descriptors (SOL_SOCKET, SCM_RIGHTS). */
static void put_rights(struct buf *b, const char *message)
{
	buf_printf(
		b,
		"\n		$c = *uptr((uint64 *)((uint64)%s + 32)); $end = $c + *uptr((uint64 *)((uint64)%s + 40));\n"
		"		for $k : 0..4 {\n"
		"			$n = $c != 0 && $c + 16 <= $end && $list == 0 ? *uptr((uint64 *)$c) : (uint64)0;\n"
		"			if ($n >= 16 && *uptr((uint64 *)($c + 8)) == 0x100000001) { "
		"$list = $c + 16; $step = (uint64)4; $count = (int64)($n - 16) / 4; }\n"
		"			$c += ($n + 7) / 8 * 8;\n"
		"		}\n	}\n",
		message, message);
}

/* The descriptors of a list, of sets, or those words of a structure; or one. */
static void put_loop(struct buf *b, const struct strace_options *o)
{
	buf_puts(b, "	$count = $count > 1024 ? 1024 : $count;\n"
		    "	for $i : 0..$count {\n"
		    "		$fd = $one; $j = (uint64)$i;\n"
		    "		if ($list == 0) {\n"
		    "			$bits = (uint64)0;\n");
	for (u32 i = 0; i < SETS; i++)
		buf_printf(
			b,
			"			if ($set%u != 0) { $bits |= (uint64)*uptr((uint8 *)($set%u + $j / 8)); }\n",
			i, i);
	buf_puts(b, "			if (($bits >> ($j & 7) & 1) == 1) { $fd = (int32)$j; }\n"
		    "		} else if ($words == 0) {\n"
		    "			$fd = *uptr((int32 *)($list + $step * $j));\n"
		    "		} else if (($words >> $j & 1) == 1) {\n"
		    "			$fd = *uptr((int32 *)($list + 4 * $j));\n"
		    "		}\n");
	put_file(b, o);
	buf_puts(b, "	}\n}\n");
}

static const char no_list[] =
	"	$list = (uint64)0; $count = (int64)0; $step = (uint64)0; $words = (uint64)0;\n"
	"	$set0 = (uint64)0; $set1 = (uint64)0; $set2 = (uint64)0; $c = (uint64)0; $n = (uint64)0; $one = (int32)-1;\n";

static void put_listed_files(struct buf *b, const struct strace_options *o)
{
	struct buf lists = { 0 };
	struct listing l = { .b = &lists, .when = "" };

	for (l.nr = 0; l.nr < SYSCALL_I386; l.nr++) {
		const char *event = syscall_name(l.nr) && strace_has_call(o, l.nr) ?
					    syscall_event_name(l.nr) :
					    NULL;

		l.f = event ? call_format(event) : NULL;
		l.n_sets = 0;
		for (u32 arg = 0; l.f && arg < l.f->n; arg++)
			list_view(&l, &l.f->arg[arg].view, arg);
	}
	if (is_shown(o, "sendmsg")) {
		buf_printf(&lists, "	if ($nr == %d) {", syscall_number("sendmsg"));
		put_rights(&lists, "args.regs." SECOND_REGISTER);
		l.some = true;
	}
	if (l.some) {
		buf_printf(b, "rawtracepoint:sys_enter /%s/ {\n	$nr = (uint64)args.id;\n%s",
			   IS_64_BIT, no_list);
		buf_add(b, lists.s, lists.len);
		put_loop(b, o);
	}
	buf_release(&lists);
}

/* What a call has stored. */
static bool put_stored(struct buf *b, const struct strace_options *o)
{
	bool received = is_shown(o, "recvmsg"), cloned = is_shown(o, "clone3");

	for (u32 i = 0; i < ARRAY_SIZE(pairs); i++)
		if (is_shown(o, pairs[i].call))
			buf_printf(b,
				   "	if ($nr == %d) { $list = (uint64)%s; "
				   "$words = (uint64)3; $count = 2; }\n",
				   syscall_number(pairs[i].call), pairs[i].at_exit);
	if (received) {
		buf_printf(b, "	if ($nr == %d) {", syscall_number("recvmsg"));
		put_rights(b, "args.regs." SECOND_REGISTER);
	}
	if (cloned) /* CLONE_PIDFD */
		buf_printf(
			b,
			"	if ($nr == %d && (*uptr((uint64 *)(uint64)%s) & 0x1000) != 0) { "
			"$list = *uptr((uint64 *)((uint64)%s + 8)); $words = (uint64)1; $count = 1; }\n",
			syscall_number("clone3"), FIRST_AT_EXIT, FIRST_AT_EXIT);
	return received || cloned || is_shown(o, "socketpair") || is_shown(o, "pipe2") ||
	       is_shown(o, "pipe");
}

/* One program for all calls, too. */
static void put_files_at_exit(struct buf *b, const struct strace_options *o)
{
	struct buf which = { 0 };
	bool some = put_returned(&which, o), lists = strace_lists_files();

	some |= lists && put_stored(&which, o);
	if (some) {
		buf_printf(b,
			   "rawtracepoint:sys_exit /(int64)args.ret >= 0%s/ {\n"
			   "	$nr = (uint64)%s;\n",
			   o->i386 ? "" : " && " IS_64_BIT, NUMBER_AT_EXIT);
		if (o->i386)
			put_i386(b);
		buf_printf(b, "%s%s", no_list, which.s);
		if (lists) {
			put_loop(b, o);
		} else {
			buf_puts(b, "	$fd = $one;\n");
			put_file(b, o);
			buf_puts(b, "}\n");
		}
	}
	for (u32 i = 0; i < ARRAY_SIZE(pairs) && !lists; i++)
		put_pair(b, o, pairs[i].call, pairs[i].arg);
	buf_release(&which);
}

void strace_put_file_clauses(struct buf *b, const struct strace_options *o)
{
	put_taken_files(b, o);
	if (strace_lists_files())
		put_listed_files(b, o);
	put_files_at_exit(b, o);
}
