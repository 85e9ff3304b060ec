/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows "= ", and how the text of arguments is divided at the entry. */
#include <string.h>
#include "base/os_names.h"
#include "cli/strace/strace.h"
#include "trace/call_quote.h"
#include "trace/call_text.h"

/*
 * Calls that differ from the rest: in how the result is shown, whether all results are valid, and
 * in how many arguments are known at the entry. fs/, mm/ and kernel/ of the kernel define which
 * arguments a call sets.
 */
static const struct result_row {
	const char *calls;
	enum strace_result result;
	bool never_fails;
} rows[] = {
	{ "brk", RESULT_HEX, true },
	{ "mmap mmap2 mremap shmat", RESULT_HEX, false },
	{ "umask", RESULT_OCTAL, true },
	{ "modify_ldt", RESULT_U32, true }, /* the kernel does not extend the sign of its errors */
	{ "getpid getppid gettid getuid geteuid getgid getegid getpgrp alarm personality "
	  "getuid32 geteuid32 getgid32 getegid32 sgetmask",
	  RESULT_NUMBER, true },
};

static const struct {
	const char *calls;
	u32 n;
} at_entry[] = {
	{ "pipe pipe2 getcwd uname sysinfo times getresuid getresgid getrandom gettimeofday getcpu time "
	  "rt_sigpending sigpending oldolduname olduname",
	  0 },
	{ "read pread64 readv preadv preadv2 getdents getdents64 stat lstat fstat statfs fstatfs wait4 "
	  "readlink recvfrom recvmsg recvmmsg accept accept4 getsockname getpeername clock_gettime "
	  "clock_getres nanosleep rt_sigtimedwait sigaltstack getrusage getitimer getrlimit getgroups "
	  "listxattr llistxattr flistxattr sched_getparam get_robust_list capget epoll_wait epoll_pwait "
	  "epoll_pwait2 msgrcv mq_timedreceive sched_rr_get_interval adjtimex waitpid stat64 lstat64 fstat64 "
	  "oldstat oldlstat oldfstat ugetrlimit clock_gettime64 clock_getres_time64 timer_gettime64 getgroups32 "
	  "timer_gettime timerfd_gettime64",
	  1 },
	{ "newfstatat readlinkat rt_sigaction rt_sigprocmask waitid setitimer getxattr lgetxattr fgetxattr "
	  "sched_getaffinity sched_getattr clock_adjtime timer_create io_setup statfs64 fstatfs64 fstatat64 sigaction "
	  "sigprocmask _llseek",
	  2 },
	{ "prlimit64 socketpair getsockopt clock_nanosleep", 3 },
	{ "statx", 4 },
	{ "clone3", 1 },
};

static const char returning_fds[] =
	"open openat openat2 creat open_by_handle_at dup dup2 dup3 socket accept accept4 epoll_create epoll_create1 eventfd "
	"eventfd2 timerfd_create signalfd signalfd4 inotify_init inotify_init1 fanotify_init memfd_create memfd_secret "
	"pidfd_open pidfd_getfd userfaultfd io_uring_setup perf_event_open fsopen fsmount fspick open_tree mq_open "
	"landlock_create_ruleset mount_setattr";

static const char returning_pids[] = "getpid getppid gettid fork vfork clone clone3 wait4";

bool strace_returns_fd(const char *name)
{
	return lists_word(returning_fds, name, strlen(name));
}

void strace_describe(struct strace_call *c)
{
	int nr = syscall_number(c->name);

	c->name = syscall_plain_name(c->name);
	c->nr = nr < 0 ? SYSCALL_MAX : (u32)nr;
	c->n_at_entry = UINT32_MAX;
	for (u32 i = 0; i < ARRAY_SIZE(at_entry); i++)
		if (lists_word(at_entry[i].calls, c->name, strlen(c->name)))
			c->n_at_entry = at_entry[i].n;
	c->returns_fd = strace_returns_fd(c->name);
	c->lists_fds = lists_word("poll ppoll select pselect6", c->name, strlen(c->name)) &&
		       c->nr < SYSCALL_I386 && strace_lists_files();
	c->returns_pid = lists_word(returning_pids, c->name, strlen(c->name));
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (lists_word(rows[i].calls, c->name, strlen(c->name))) {
			c->result = rows[i].result;
			c->never_fails = rows[i].never_fails;
		}
}

bool strace_is_error(const struct strace_call *call, s64 ret)
{
	return ret < 0 && ret >= -4095 && !call->never_fails;
}

/* ---- codes that restart a call: include/linux/errno.h; they never reach a program */

static const struct {
	s64 code;
	const char *name, *text;
} restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

static void put_error(struct buf *b, s64 code)
{
	const char *name = os_error_name((u32)code);

	for (u32 i = 0; i < ARRAY_SIZE(restarts); i++)
		if (restarts[i].code == code) {
			buf_printf(b, "? %s (%s)", restarts[i].name, restarts[i].text);
			return;
		}
	if (name)
		buf_printf(b, "-1 %s (%s)", name, os_error_text((u32)code));
	else
		buf_printf(b, "-1 (errno %lld)", (long long)code);
}

void strace_put_result(struct buf *b, const struct strace_call *call, const struct names *names,
		       const void *value, u32 size, s64 ret)
{
	if (strace_is_error(call, ret))
		put_error(b, -ret);
	else if (call->result == RESULT_HEX)
		buf_printf(b, "%#llx", (unsigned long long)ret);
	else if (call->result == RESULT_OCTAL)
		buf_printf(b, "%#03llo", (unsigned long long)ret);
	else if (call->result == RESULT_U32 && (s32)ret < 0)
		buf_printf(b, "%u %s (%s)", (u32)ret, os_error_name(-(u32)ret),
			   os_error_text(-(u32)ret));
	else
		call_result_text(b, names, value, size, ret);
	if (call->returns_pid)
		put_comm(b, names->style, ret);
	if (call->returns_fd && ret >= 0)
		put_file(b, names, (s32)ret, false);
}

/* ---- arguments as text */

const char *strace_after_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		s += *s == '\\' && s[1];
	return *s ? s + 1 : s;
}

/* Past a comment such as 24 vars. */
static const char *after_comment(const char *s)
{
	const char *end = strstr(s + 2, "*/");

	return end ? end + 2 : s + strlen(s);
}

size_t strace_args_length(const char *args, u32 n)
{
	const char *s = args;
	u32 depth = 0;

	if (!n)
		return 0;
	while (*s) {
		if (*s == '"') {
			s = strace_after_string(s);
			continue;
		}
		if (s[0] == '/' && s[1] == '*') {
			s = after_comment(s);
			continue;
		}
		if (strchr("([{", *s))
			depth++;
		else if (strchr(")]}", *s) && depth)
			depth--;
		else if (*s == ',' && !depth && !--n)
			return (size_t)(s - args) + 1 + (s[1] == ' ');
		s++;
	}
	return (size_t)(s - args);
}

/* Past a structure: what follows is known at the return. */
static size_t structure_length(const char *args)
{
	size_t n = strace_args_length(args, 1);
	const char *after = strstr(args, " => ");

	if (after && (size_t)(after - args) < n)
		return (size_t)(after - args);
	return n > 2 && !memcmp(args + n - 2, ", ", 2) ? n - 2 : n;
}

size_t strace_entry_length(const struct strace_call *call, const char *args)
{
	if (call->n_at_entry == UINT32_MAX)
		return strlen(args);
	return streq(call->name, "clone3") ? structure_length(args) :
					     strace_args_length(args, call->n_at_entry);
}
