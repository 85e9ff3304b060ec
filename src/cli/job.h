/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that brings its own script: from the words of the command line to a run.
 *
 *	static int count(struct cli *c)
 *	{
 *		int ret = job_targets(c, JOB_NEEDS_TARGET);
 *		struct job job = {
 *			.script = "tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }",
 *			.status_of_cmd = true,
 *		};
 *
 *		return ret ? ret : job_run(c, &job);
 *	}
 *
 *	const struct command command_count = {
 *		.name = "count", .args = "CMD [ARG]...", .run = count,
 *		.takes = SETS_JOB, .words_are_cmd = true, ...
 *	};
 *
 * So such commands agree on -p PID[,PID], -a, -- CMD ARGS, --where, --no-follow, --duration, -o, -f
 * and on the exit status. Options of one command are rows of option.c in GROUP_HIDDEN with
 * .command; they may have letters that sonde uses otherwise.
 */
#ifndef SONDE_CLI_JOB_H
#define SONDE_CLI_JOB_H

#include "cli/cli.h"

enum job_need {
	JOB_NEEDS_TARGET, /* an error without -p, -a or CMD */
	JOB_TRACES_ALL,   /* without them: the whole machine */
};

struct job {
	/* text of the language; borrowed during the run; NULL: that of script_read() */
	const char *script;
	/* where its records and maps go; NULL: -f, the suffix of -o, text */
	const struct output *output;
	/* After the run, whether it failed or not, before a signal ends this process as it ended
	 * CMD: 0, or the exit status after a message. May be NULL. */
	int (*finish)(struct cli *c, void *ctx);
	void *finish_ctx;
	bool status_of_cmd;  /* the exit status is that of CMD, as of strace(1) */
	bool on_stderr;      /* results go there instead of to standard output */
	bool separate_files; /* the output opens files of its own, named after that of -o */
	bool append;         /* to the file of -o */
	bool verbatim; /* the terminal gets what is traced as it is: the output escapes itself */
};

/*
 * Takes what is to be traced from the options and CMD ARGS: c->request.traced is complete
 * afterwards. Its scope is SCOPE_TREE, or SCOPE_OWN with --no-follow. 0, or 1 after a message.
 */
int job_targets(struct cli *c, enum job_need need);
/* Whether it may be the process that is about to execute the command: not one of -p, nor a child of
 * those. */
bool job_is_launcher(const struct cli *c, u32 pid);

/* A number of at most six digits and what follows it; NULL: there is none. */
const char *job_read_number(const char *s, u32 *n);
/* "2-3", "2": a range of numbers, and what follows it; NULL: there is none. */
const char *job_read_range(const char *s, u32 *first, u32 *last);
/* Calls take for each range of "0,2-3"; false: it is no such list. */
bool job_read_ranges(const char *list, void (*take)(void *ctx, u32 first, u32 last), void *ctx);
/* The message about a -C that is none. */
int job_refuse_cpus(const struct cli *c);
/* -t as a condition on the expression `thread`: "tid == 12 || tid == 15"; nothing without it. */
void job_put_tids(const struct cli *c, struct buf *b, const char *thread);
/* -C as a condition of the language; nothing without it. 0, or 1 after a message. */
int job_put_cpus(struct cli *c, struct buf *b);
/* Makes it a condition of every clause of the script, besides --where. The same. */
int job_only_cpus(struct cli *c);

/* Pages of a ring buffer for bursts: a hundredth of memory, at most 32 MB, which the kernel
 * allocates in 6 ms. */
u64 job_ring_pages(void);

/* What a run has shown. */
struct job_sum {
	u64 events, lost;
	u64 begun_ns; /* monotonic; 0: nothing was attached */
};

/* On a terminal, unless -q: events, losses, and the processor time that sonde used. */
void job_tell(const struct cli *c, const struct job_sum *sum);

/*
 * Compiles and runs it, after job_targets(). The exit status: that of CMD with status_of_cmd,
 * unless the run failed; if a signal ended CMD, that signal ends this process, too. Else the run's.
 */
int job_run(struct cli *c, const struct job *job);

#endif
