/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of system(): sh -c, its output as one item. Its errors go where ours go, by
 * themselves; on a terminal through a pipe, because they hold foreign text (file names), which is
 * escaped. All commands share that pipe: what runs on in the background can write to it until the
 * run ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include "base/fd.h"
#include "base/visible.h"
#include "session/run.h"

enum { TEXT_MAX = 1 << 20 };

static void warn(struct run *r, const char *command)
{
	sink_warn(r->sink, arena_printf(&r->scratch, "system(\"%s\") cannot be run: %s", command,
					strerror(errno)));
}

/* 0 or -1 with errno. */
static int errors_open(struct run *r)
{
	int pair[2];

	if (!r->sink->visible_commands || r->command.err >= 0)
		return 0;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -1;
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	r->command.err = pair[0];
	r->command.err_end = pair[1];
	return 0;
}

static _Noreturn void become(const struct run *r, int out, const char *command)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(out, STDOUT_FILENO) < 0)
		_exit(127);
	if (r->command.err_end >= 0 && dup2(r->command.err_end, STDERR_FILENO) < 0)
		_exit(127);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void command_start(struct run *r, struct span span, const char *command)
{
	int out[2];
	pid_t pid;

	sink_flush(r->sink);
	if (errors_open(r) < 0 || pipe2(out, O_CLOEXEC) < 0) {
		warn(r, command);
		return;
	}
	pid = fork();
	if (pid == 0)
		become(r, out[1], command);
	if (pid < 0)
		warn(r, command);
	close(out[1]);
	if (pid < 0) {
		close(out[0]);
		return;
	}
	r->command.pid = pid;
	r->command.out = out[0];
	r->command.span = span;
}

/* The output of one command is one item; a very long one is shown in pieces. */
static void show(struct run *r)
{
	struct buf *text = &r->command.text;

	if (r->sink->visible_out)
		buf_visible(text, 0, VISIBLE_TEXT);
	r->sink->output->text(r->sink, TEXT_SYSTEM, text->s ? text->s : "", text->len);
	buf_clear(text);
}

void command_errors(struct run *r)
{
	struct buf *to = &r->sink->err;
	char chunk[16384];
	ssize_t n;

	while (r->command.err >= 0 && (n = read(r->command.err, chunk, sizeof chunk)) > 0) {
		size_t start = to->len;

		buf_add(to, chunk, (size_t)n);
		buf_visible(to, start, VISIBLE_TEXT);
		sink_flush(r->sink);
	}
}

/* NULL: it succeeded. */
static const char *failure(struct run *r, int status)
{
	if (WIFSIGNALED(status))
		return arena_printf(&r->scratch, "child process did not exit normally (signal %d)",
				    WTERMSIG(status));
	return WEXITSTATUS(status) ? arena_printf(&r->scratch, "command exited with code %d",
						  WEXITSTATUS(status)) :
				     NULL;
}

static void end(struct run *r)
{
	const char *why;
	int status = 0;

	close(r->command.out);
	r->command.out = -1;
	waitpid(r->command.pid, &status, 0);
	r->command.pid = 0;
	why = failure(r, status);
	if (r->command.text.len || !why)
		show(r);
	command_errors(r);
	if (why)
		r->sink->output->message(r->sink, LEVEL_ERRORF, r->command.span, why);
}

/* Reads both: a command blocks if its errors are not read. */
static bool wait_for_output(struct run *r)
{
	struct pollfd p[2] = { { .fd = r->command.out, .events = POLLIN },
			       { .fd = r->command.err, .events = POLLIN } };

	if (poll(p, 2, -1) > 0 && p[1].revents)
		command_errors(r);
	return p[0].revents;
}

bool command_read(struct run *r)
{
	char chunk[16384];
	ssize_t n;

	if (!wait_for_output(r))
		return false;
	n = read(r->command.out, chunk, sizeof chunk);
	if (n > 0) {
		buf_add(&r->command.text, chunk, (size_t)n);
		if (r->command.text.len >= TEXT_MAX)
			show(r);
		return false;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return false;
	if (n < 0)
		sink_warn(r->sink,
			  arena_printf(&r->scratch,
				       "the output of a command of system() cannot be read: %s",
				       strerror(errno)));
	end(r);
	return true;
}

void command_release(struct run *r)
{
	command_errors(r);
	fd_close(&r->command.err);
	fd_close(&r->command.err_end);
	buf_release(&r->command.text);
}
