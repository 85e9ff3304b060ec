/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c. It is forked early, so that its pid is known, waits until everything is
 * attached, and is then executed. It dies with sonde (PDEATHSIG, PTRACE_O_EXITKILL), and the run
 * ends when it ends.
 *
 * A script that traces system calls must see only those of the command. If the process waited in a
 * system call, the return of that call would be traced. So sonde seizes it with ptrace(), and it
 * sends itself SIGSTOP: it stops in kill(), after the tracepoint of the return. PTRACE_DETACH
 * continues it, and its next system call is execve(). The command itself has no tracer. Where
 * ptrace() is refused (sonde runs in a debugger, Yama, seccomp), it waits in sigsuspend() and calls
 * execve() in the handler of a signal; then the return of rt_sigsuspend() is traced.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "base/clock.h"
#include "base/fd.h"
#include "session/run.h"
#include "sym/procs.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

/* Words of the command: split on spaces, quotes keep them together. A quote without an end is a
 * character. */
static char **split_words(struct arena *a, const char *s)
{
	VEC(char *) words = { 0 };
	struct buf word = { 0 };

	while (*s) {
		char quote = 0;
		bool any = false;

		while (*s == ' ' || *s == '\t' || *s == '\n')
			s++;
		buf_clear(&word);
		for (; *s && (quote || (*s != ' ' && *s != '\t' && *s != '\n')); s++, any = true) {
			if (quote ? *s == quote : (*s == '\'' || *s == '"') && strchr(s + 1, *s))
				quote = quote ? 0 : *s;
			else if (*s == '\\' && quote != '\'' && s[1])
				buf_putc(&word, *++s);
			else
				buf_putc(&word, *s);
		}
		if (any)
			vec_push(a, &words, arena_strndup(a, word.s ? word.s : "", word.len));
	}
	vec_push(a, &words, NULL);
	buf_release(&word);
	return words.v;
}

enum { GO_SIGNAL = SIGUSR1, END_MS = 2000 };
enum how { STOP = 't', SLEEP = 's' }; /* to wait */

static struct {
	char **argv;
	const char *path;
	int told, tell; /* a letter when it is ready, errno when it cannot be executed */
	int hear, ask;  /* enum how */
} command;

/* Nothing is blocked here: the mask is sigsuspend()'s, and SA_NODEFER adds nothing to it. */
static void execute(int signo)
{
	int why;

	execv(command.path, command.argv);
	why = errno;
	if (write(command.tell, &why, sizeof why) != sizeof why)
		_exit(127);
	_exit(126);
}

/* IDs that are changed take PR_SET_PDEATHSIG with them. */
static bool take_ids(const struct traced_user *u)
{
	gid_t groups[ARRAY_SIZE(u->groups)];

	if (!u)
		return true;
	for (u32 i = 0; i < u->n_groups; i++)
		groups[i] = u->groups[i];
	return !setgroups(u->n_groups, groups) && !setresgid(u->gid, u->gid, u->gid) &&
	       !setresuid(u->uid, u->uid, u->uid);
}

static void stop_and_execute(void)
{
	const pid_t me = getpid();
	sigset_t none;

	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) == 0 && kill(me, SIGSTOP) == 0)
		execute(0);
}

static void sleep_and_execute(void)
{
	struct sigaction sa = { .sa_handler = execute, .sa_flags = SA_NODEFER };
	sigset_t none;

	sigemptyset(&none);
	if (sigaction(GO_SIGNAL, &sa, NULL) == 0 && write(command.tell, "", 1) == 1)
		while (sigsuspend(&none), errno == EINTR)
			;
}

/* A byte, past signals. */
static bool read_byte(int fd, char *to)
{
	ssize_t n;

	do
		n = read(fd, to, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* Its end of the pipes alone, so that it sees the end of sonde; signals reach it, but for that to
 * go. */
static bool is_apart(void)
{
	sigset_t go;

	sigemptyset(&go);
	sigaddset(&go, GO_SIGNAL);
	close(command.told);
	close(command.ask);
	return sigprocmask(SIG_SETMASK, &go, NULL) == 0;
}

NORETURN static void become(const struct run *r, pid_t parent)
{
	const char *path = command.path;
	char how;

	prctl(PR_SET_NAME, base_name(path)); /* events before exec show the command, not us */
	if (!is_apart() || !take_ids(r->request->traced.user))
		_exit(0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_PTRACER, parent); /* of Yama: processes of sonde, too, may stop it */
	signal(SIGPIPE, SIG_DFL);
	if (getppid() != parent)
		_exit(0); /* it was gone before PDEATHSIG was set */
	if (write(command.tell, "", 1) != 1 || !read_byte(command.hear, &how))
		_exit(0); /* which the parent sees by the pipe */
	if (how == STOP)
		stop_and_execute();
	else
		sleep_and_execute();
	_exit(127);
}

/* Its own preparations are over, the entry of sigsuspend() included: what is traced from here on is
 * the command. */
static bool await_asleep(struct child_process *c)
{
	static const struct timespec turn = { 0, 20000 };
	char ready;

	if (!read_byte(c->tells, &ready))
		return false;
	for (int i = 0; i < 5000 && proc_state((u32)c->pid) == 'R'; i++)
		nanosleep(&turn, NULL);
	return true;
}

static bool await_stop(struct child_process *c)
{
	static const struct timespec now = { 0, 0 };
	int status = 0;
	sigset_t stop;
	pid_t got;

	do
		got = waitpid(c->pid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	c->held = got > 0 && WIFSTOPPED(status);
	sigemptyset(&stop);
	sigaddset(&stop, SIGCHLD);
	sigtimedwait(&stop, NULL, &now); /* which tells of its end, later */
	return c->held;
}

/* An engine that holds the command itself, when it is executed, is its tracer then. */
static bool is_held_by_engine(const struct compiled *c)
{
	for (u32 i = 0; i < c->n_engines; i++)
		if (c->engines[i]->launch)
			return true;
	return false;
}

/* Whether it said that it is ready, and waits as told. */
static bool make_wait(struct run *r)
{
	char how, ready;

	if (!read_byte(r->child.tells, &ready))
		return false;
	how = !is_held_by_engine(&r->c) &&
			      ptrace(PTRACE_SEIZE, r->child.pid, 0, PTRACE_O_EXITKILL) == 0 ?
		      STOP :
		      SLEEP;
	if (write(command.ask, &how, 1) != 1)
		return false;
	return how == STOP ? await_stop(&r->child) : await_asleep(&r->child);
}

static int fork_child(struct run *r, struct err *err)
{
	const pid_t parent = getpid();
	sigset_t go, was;
	pid_t pid;

	sink_flush(r->sink);
	sigemptyset(&go);
	sigaddset(&go, GO_SIGNAL);
	sigprocmask(SIG_BLOCK, &go, &was); /* it may come before the child waits for it */
	pid = fork();
	if (pid == 0)
		become(r, parent);
	sigprocmask(SIG_SETMASK, &was, NULL);
	if (pid < 0)
		return err_sys(err, "fork for -c");
	r->child.pid = pid;
	r->sink->command_pid = (u32)pid;
	return 0;
}

static int start(struct run *r, struct err *err)
{
	int ret = fork_child(r, err);

	r->child.tells = command.told;
	close(command.tell);
	close(command.hear);
	if (ret < 0)
		return ret;
	if (!make_wait(r) || fcntl(command.told, F_SETFL, O_NONBLOCK) < 0)
		return err_set(err, -ECHILD,
			       "the process for the command of -c cannot be prepared");
	r->child.fd = proc_pidfd((u32)r->child.pid); /* -1: SIGCHLD reports its end */
	return 0;
}

static int make_pipe(int *reads, int *writes)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	*reads = pair[0];
	*writes = pair[1];
	return 0;
}

int child_start(struct run *r, struct err *err)
{
	const struct traced *t = &r->request->traced;
	int ret;

	command.argv = split_words(&r->c.arena, t->command ? t->command : t->timer);
	command.path = command.argv[0] ? path_find_program(&r->c.arena, command.argv[0]) : NULL;
	if (!command.path)
		return err_usage(
			err, -ENOENT,
			"Failed to fork child: Path '%s' does not exist or is not executable (%s)",
			command.argv[0] ? command.argv[0] : "", strerror(ENOENT));
	r->child.path = command.path;
	if (make_pipe(&command.told, &command.tell) < 0)
		return err_sys(err, "make a pipe");
	if (make_pipe(&command.hear, &command.ask) < 0) {
		ret = err_sys(err, "make a pipe");
		close(command.told);
		close(command.tell);
		return ret;
	}
	ret = start(r, err);
	close(command.ask);
	return ret;
}

/* By another call where that one is refused: filters of system calls name them one by one. */
static int send_signal(const struct child_process *c, int signo)
{
	if (kill(c->pid, signo) == 0 ||
	    syscall(SYS_pidfd_send_signal, c->fd, signo, NULL, 0) == 0 ||
	    syscall(SYS_tgkill, c->pid, c->pid, signo) == 0)
		return 0;
	return -errno;
}

/* signo: what it gets on its way; 0: nothing. -ESRCH: somebody ended it. */
static int let_go(struct child_process *child, int signo)
{
	child->held = false;
	return ptrace(PTRACE_DETACH, child->pid, 0, signo) < 0 ? -errno : 0;
}

int child_release(struct run *r, struct err *err)
{
	int ret = freezer_start(r, err);

	if (ret < 0)
		return ret;
	if (r->child.held)
		ret = let_go(&r->child, 0);
	else if (r->child.pid)
		ret = send_signal(&r->child, GO_SIGNAL);
	errno = -ret;
	return ret < 0 && ret != -ESRCH ? err_sys(err, "let the command of -c run") : 0;
}

/* As waitpid(); what it returns is kept for the caller of the run, unless the run was long enough:
 * then the command was told to end. */
static pid_t reap(struct run *r)
{
	const struct beside *beside = r->host->beside;
	struct rusage usage;
	int status = 0;
	pid_t got = wait4(r->child.pid, &status, WNOHANG, &usage);

	if (got > 0 && r->host->wait_status && !r->end.had_enough)
		*r->host->wait_status = status;
	if (got > 0 && beside && beside->usage)
		*beside->usage = usage;
	return got;
}

/* waitpid() fails if another caller has reaped it. */
static bool has_ended(struct run *r)
{
	return r->child.pid && reap(r) != 0 && errno != EINTR;
}

void child_look(struct run *r)
{
	errno = 0;
	if (!has_ended(r))
		return;
	r->child.pid = 0;
	fd_close(&r->child.fd); /* it stays readable */
	r->end.has_ended = r->request->traced.timer || !processes_live(r);
}

int child_verdict(struct run *r, struct err *err)
{
	int why;

	if (r->child.tells < 0 || read(r->child.tells, &why, sizeof why) != sizeof why)
		return 0;
	return err_usage(err, -why, "the command of -c cannot be executed: %s: %s", r->child.path,
			 strerror(why));
}

static void warn_of_rest(struct run *r)
{
	sink_warn(r->sink,
		  arena_printf(&r->c.arena,
			       "the command of -c does not end at SIGTERM: process %d runs on",
			       r->child.pid));
}

/* A command that does not end is left running: it got the signal, and waiting would block sonde,
 * too. */
static void await_end(struct run *r)
{
	static const struct timespec turn = { 0, 1000000 };
	u64 end = clock_mono_ns() + END_MS * 1000000ull;
	pid_t got;

	while ((got = reap(r)) == 0 || (got < 0 && errno == EINTR)) {
		if (clock_mono_ns() > end) {
			warn_of_rest(r);
			return;
		}
		nanosleep(&turn, NULL);
	}
}

void child_end(struct run *r)
{
	if (r->child.pid) {
		if (r->child.held)
			let_go(&r->child, SIGTERM);
		send_signal(&r->child, SIGTERM);
		send_signal(&r->child, SIGCONT); /* a stopped one cannot end */
		await_end(r);
	}
	fd_close(&r->child.tells);
	fd_close(&r->child.fd);
}
