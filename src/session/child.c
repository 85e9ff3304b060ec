/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c: forked early so that its pid is known, stopped on a pipe until everything is
 * attached, then executed. It dies with us (PDEATHSIG); we end when it ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "base/fd.h"
#include "session/run.h"
#include "sym/procs.h"

int watch_pid(s32 pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Words of the command: split on spaces, quotes keep them together. */
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
			if (quote ? *s == quote : *s == '\'' || *s == '"')
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

NORETURN static void become(char **argv, const char *path, int go)
{
	sigset_t none;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (read(go, &c, 1) != 1)
		_exit(0); /* the parent gave up */
	execv(path, argv);
	_exit(126);
}

int child_start(struct run *r, struct err *err)
{
	char **argv = split_words(&r->c.arena, r->o->command);
	const char *path = argv[0] ? path_find_program(&r->c.arena, argv[0]) : NULL;
	int go[2];
	pid_t pid;

	if (!path)
		return err_set(err, -ENOENT, "the command \"%s\" of -c is not found", argv[0] ? argv[0] : "");
	if (pipe2(go, O_CLOEXEC) < 0)
		return err_sys(err, "make a pipe");
	sink_flush(r->o->sink);
	pid = fork();
	if (pid < 0)
		return err_sys(err, "fork for -c");
	if (pid == 0) {
		close(go[1]);
		become(argv, path, go[0]);
	}
	close(go[0]);
	r->child = pid;
	r->child_go = go[1];
	r->child_fd = watch_pid(pid);
	return 0;
}

void child_release(struct run *r)
{
	if (r->child_go >= 0 && write(r->child_go, "g", 1) < 0)
		r->exiting = true;
	fd_close(&r->child_go);
}

void child_end(struct run *r)
{
	fd_close(&r->child_go);
	if (r->child) {
		kill(r->child, SIGTERM);
		waitpid(r->child, NULL, 0);
	}
	fd_close(&r->child_fd);
	fd_close(&r->target_fd);
}
