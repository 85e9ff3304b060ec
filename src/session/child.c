/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c. It is forked early, so that its pid is known, waits for a signal until
 * everything is attached, and is then executed. It dies with sonde (PDEATHSIG), and the run ends
 * when it ends. It waits in sigsuspend() and calls execve() in the handler of the signal, so that a
 * script that traces system calls sees only those of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
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

int watch_pid(s32 pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

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

static struct {
	char **argv;
	const char *path;
	int tell; /* closed by a successful execution */
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

NORETURN static void become(char **argv, const char *path, pid_t parent, int ready)
{
	struct sigaction sa = { .sa_handler = execute, .sa_flags = SA_NODEFER };
	const char *slash = strrchr(path, '/');
	sigset_t none;

	command.argv = argv;
	command.path = path;
	command.tell = ready;
	prctl(PR_SET_NAME,
	      slash ? slash + 1 : path); /* events before exec show the command, not us */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	if (getppid() != parent)
		_exit(0); /* it was gone before PDEATHSIG was set */
	if (sigaction(GO_SIGNAL, &sa, NULL) < 0 || write(ready, "", 1) != 1)
		_exit(0); /* which the parent sees by the pipe */
	while (sigsuspend(&none), errno == EINTR)
		;
	_exit(127);
}

/* Its own preparations are over, the entry of sigsuspend() included: what is traced from here on is
 * the command. */
static void await_asleep(pid_t pid)
{
	static const struct timespec turn = { 0, 20000 };

	for (int i = 0; i < 5000 && proc_state((u32)pid) == 'R'; i++)
		nanosleep(&turn, NULL);
}

/* Whether it wrote its letter, and not just ended. */
static bool is_ready(int fd)
{
	ssize_t n;
	char c;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

int child_start(struct run *r, struct err *err)
{
	char **argv = split_words(&r->c.arena, r->request->traced.command);
	const char *path = argv[0] ? path_find_program(&r->c.arena, argv[0]) : NULL;
	pid_t pid, parent = getpid();
	sigset_t go, was;
	int ready[2];

	if (!path)
		return err_usage(
			err, -ENOENT,
			"Failed to fork child: Path '%s' does not exist or is not executable (%s)",
			argv[0] ? argv[0] : "", strerror(ENOENT));
	if (pipe2(ready, O_CLOEXEC) <
	    0) /* a letter when the child is ready, errno when it cannot be executed */
		return err_sys(err, "make a pipe");
	sink_flush(r->sink);
	sigemptyset(&go);
	sigaddset(&go, GO_SIGNAL);
	sigprocmask(SIG_BLOCK, &go, &was); /* it may come before the child waits for it */
	pid = fork();
	if (pid == 0)
		become(argv, path, parent, ready[1]);
	sigprocmask(SIG_SETMASK, &was, NULL);
	close(ready[1]);
	if (pid < 0) {
		err_sys(err, "fork for -c");
		close(ready[0]);
		return err->code;
	}
	r->child.pid = pid;
	r->child.tells = ready[0];
	r->child.path = path;
	if (!is_ready(ready[0]) || fcntl(ready[0], F_SETFL, O_NONBLOCK) < 0)
		return err_set(err, -ECHILD,
			       "the process for the command of -c cannot be prepared");
	await_asleep(pid);
	r->child.fd = watch_pid(pid); /* -1: SIGCHLD reports its end */
	return 0;
}

/* By another call where that one is refused: filters of system calls name them one by one. */
static int send_signal(const struct run *r, int signo)
{
	if (kill(r->child.pid, signo) == 0 ||
	    syscall(SYS_pidfd_send_signal, r->child.fd, signo, NULL, 0) == 0 ||
	    syscall(SYS_tgkill, r->child.pid, r->child.pid, signo) == 0)
		return 0;
	return -errno;
}

int child_release(struct run *r, struct err *err)
{
	if (r->child.pid && send_signal(r, GO_SIGNAL) < 0)
		return err_sys(err, "start the command of -c: send it a signal");
	return 0;
}

/* As waitpid(); what it returns is kept for the caller of the run, unless the run was long enough: then
 * the command was told to end. */
static pid_t reap(struct run *r)
{
	int status = 0;
	pid_t got = waitpid(r->child.pid, &status, WNOHANG);

	if (got > 0 && r->host->wait_status && !r->had_enough)
		*r->host->wait_status = status;
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
	r->has_ended = true;
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
		send_signal(r, SIGTERM);
		send_signal(r, SIGCONT); /* a stopped one cannot end */
		await_end(r);
	}
	fd_close(&r->child.tells);
	fd_close(&r->child.fd);
}
