/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde strace: the system calls of a command or of processes, in the format of strace(1). */
#include <stdio.h>
#include <stdlib.h>
#include "cli/job.h"
#include "cli/strace/strace.h"
#include "output/output.h"

/* -o '|COMMAND' and '!COMMAND': what gets the lines. */
static int open_pipe(struct strace *st)
{
	const char *to = st->c->output.file;

	if (!to || (*to != '|' && *to != '!'))
		return 0;
	if (st->o.separate)
		return say_usage(st->c, "-o %s and -ff: a command is no file for each thread", to);
	st->pipe = popen(to + 1, "we");
	if (!st->pipe)
		return say_usage(st->c, "-o %s: cannot be started", to);
	st->c->output.file = arena_printf(&st->c->line.arena, "/proc/self/fd/%d", fileno(st->pipe));
	return 0;
}

static int trace(struct strace *st)
{
	struct cli *c = st->c;
	struct job job = {
		.script = strace_script(st),
		.output = &output_strace,
		.status_of_cmd = true,
		.on_stderr = true,
		.separate_files = st->o.separate,
		.append = st->o.append,
		.verbatim = true,
	};

	st->s = &c->sink;
	st->o.json = c->sink.output == &output_json;
	for (u32 i = 0; i < c->request.traced.n_pids; i++)
		strace_add_process(st, c->request.traced.pids[i]);
	st->awaits_exec = c->request.traced.command != NULL;
	if (c->request.verbose)
		say_note(c, "the script:\n%s", job.script);
	return job_run(c, &job);
}

/* Whether an expression has the word retval outside of strings. */
static bool reads_result(const char *expr)
{
	static const char word[] = "retval", in_words[] = "_.0123456789abcdefghijklmnopqrstuvwxyz"
							  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	bool in_string = false;

	for (const char *s = expr; s && *s; s++) {
		size_t n = strspn(s, in_words);

		if (!in_string && n == sizeof word - 1 && !memcmp(s, word, n))
			return true;
		if (*s == '"')
			in_string = !in_string;
		s += n ? n - 1 : in_string && *s == '\\' && s[1];
	}
	return false;
}

static int run(struct cli *c)
{
	struct strace *st;
	int ret = job_targets(c, JOB_NEEDS_TARGET);

	if (ret)
		return ret;
	if (reads_result(c->request.traced.where))
		return say_usage(
			c,
			"--where is evaluated when a call begins, which has no result yet: -Z shows calls that failed, -z those that succeeded, and -e status=SET others by their result");
	if (c->request.traced.lossless && !c->request.traced.command)
		return say_usage(
			c,
			"--lossless stops what it traces: it needs a command that sonde starts, not -p or -a");
	st = xcalloc(1, sizeof *st);
	st->c = c;
	c->own.strace = st;
	ret = strace_read_options(st);
	ret = ret ? ret : open_pipe(st);
	ret = ret ? ret : trace(st);
	if (st->pipe)
		pclose(st->pipe);
	strace_release(st);
	free(st);
	return ret;
}

const struct command command_strace = {
	.name = "strace",
	.args = "-p PID | CMD [ARG]...",
	.brief = "print system calls, as strace does",
	.doc = "Children are followed unless there is --no-follow. Lines are those of strace(1), and so are the options. "
	       "The trace goes to standard error, or to the file of -o, and the exit status is that of CMD. Processes "
	       "are not stopped at their calls: tracing needs no ptrace, works for processes that a debugger holds, and "
	       "costs well under a microsecond for each call. A call that has not returned within 50 ms is shown as "
	       "begun. What the kernel's buffers cannot hold is counted and reported; --lossless stops CMD instead.",
	.example = "sonde strace ls /usr\n"
		   "sonde strace -e trace=%file -T -o make.trace make\n"
		   "sonde strace -c -p 1234",
	.run = run,
	.takes = SETS_JOB | SET_CALLS,
	.words_are_cmd = true,
	.cmd_and_pids = true,
};
