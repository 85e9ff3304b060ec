/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: the options of a command that traces, and its script. Out: a run and its exit status. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "builtin/builtin.h"
#include "cli/job.h"
#include "sym/procs.h"

/* ---- what is traced */

/* -a with a command: all of the machine while it runs, as perf takes it. */
static int check_ways(const struct cli *c, enum job_need need)
{
	const struct traced *t = &c->request.traced;

	if (t->n_pids && c->select.all)
		return say_usage(c, "-p excludes -a");
	if (t->n_pids && t->command && !c->command->cmd_and_pids)
		return say_usage(c, "-p excludes a command");
	if (!t->n_pids && !t->command && !c->select.all && need == JOB_NEEDS_TARGET)
		return say_usage(c, "what to trace: a command, -p PID or -a");
	return 0;
}

int job_targets(struct cli *c, enum job_need need)
{
	struct traced *t = &c->request.traced;

	if (c->line.n_after)
		t->command = join_command(c, c->line.after, c->line.n_after);
	if (t->n_pids && c->command->cmd_times_pids) {
		t->timer = t->command;
		t->command = NULL;
	}
	t->scope = c->select.all || (!t->command && !t->n_pids) ? SCOPE_SCRIPT :
		   c->select.no_follow                          ? SCOPE_OWN :
								  SCOPE_TREE;
	return check_ways(c, need);
}

bool job_is_launcher(const struct cli *c, u32 pid)
{
	return !c->request.traced.n_pids || proc_parent(pid) == (u32)getpid();
}

void job_put_tids(const struct cli *c, struct buf *b, const char *thread)
{
	for (u32 i = 0; i < c->select.tids.n; i++)
		buf_printf(b, "%s%s == %u", i ? " || " : "", thread, c->select.tids.v[i]);
}

/* ---- processors */

const char *job_read_number(const char *s, u32 *n)
{
	size_t len = strspn(s, "0123456789");

	*n = (u32)strtoul(s, NULL, 10);
	return len && len <= 6 ? s + len : NULL;
}

const char *job_read_range(const char *s, u32 *first, u32 *last)
{
	s = job_read_number(s, first);
	*last = *first;
	if (s && *s == '-')
		s = job_read_number(s + 1, last);
	return s && *last >= *first ? s : NULL;
}

bool job_read_ranges(const char *list, void (*take)(void *ctx, u32 first, u32 last), void *ctx)
{
	u32 first, last;

	for (const char *s = list; s; s = *s == ',' ? s + 1 : NULL) {
		s = job_read_range(s, &first, &last);
		if (!s || (*s && *s != ','))
			return false;
		take(ctx, first, last);
	}
	return true;
}

int job_refuse_cpus(const struct cli *c)
{
	return say_usage(c, "--cpus=%s: a list of CPUs, as 0,2-3", c->select.cpus);
}

static void put_range(void *ctx, u32 first, u32 last)
{
	struct buf *b = ctx;

	buf_printf(b, "%s(cpu >= %u && cpu <= %u)", b->len ? " || " : "", first, last);
}

int job_put_cpus(struct cli *c, struct buf *b)
{
	struct buf cond = { 0 };
	bool is_list = !c->select.cpus || job_read_ranges(c->select.cpus, put_range, &cond);

	if (is_list && cond.len)
		buf_printf(b, "(%s)", cond.s);
	buf_release(&cond);
	return is_list ? 0 : job_refuse_cpus(c);
}

int job_only_cpus(struct cli *c)
{
	const char **where = &c->request.traced.where;
	struct buf b = { 0 };
	int ret = job_put_cpus(c, &b);

	if (!ret && c->select.cpus)
		*where = *where ? arena_printf(&c->line.arena, "%s && (%s)", b.s, *where) :
				  arena_strdup(&c->line.arena, b.s);
	buf_release(&b);
	return ret;
}

/* ---- the run */

/* A core file would be one of ours. */
static void end_by(int signo)
{
	static const struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	signal(signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signo);
}

static int status_of(int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	end_by(WTERMSIG(wait_status));
	return 128 + WTERMSIG(wait_status); /* one that does not end a process */
}

u64 job_ring_pages(void)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), pages = (u64)sysconf(_SC_PHYS_PAGES) / 100;

	return MIN(pages, (32ull << 20) / page);
}

static double own_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

void job_tell(const struct cli *c, const struct job_sum *sum)
{
	if (c->output.quiet || !sum->begun_ns || !isatty(STDERR_FILENO))
		return;
	say(c, "%llu event%s in %.1f s, %llu lost; sonde used %.2f s of processor time",
	    (unsigned long long)sum->events, sum->events == 1 ? "" : "s",
	    (double)(clock_mono_ns() - sum->begun_ns) / 1e9, (unsigned long long)sum->lost,
	    own_seconds());
}

static void set_script(struct cli *c, const struct job *job)
{
	struct request *q = &c->request;

	c->host.themes = builtin_themes;
	q->diag.color = color_wanted(STDERR_FILENO);
	if (!job->script)
		return;
	q->script.name = arena_printf(&c->line.arena, "<%s>", c->command->name);
	q->script.is_of_command = true;
	q->script.text = job->script;
	q->script.len = strlen(job->script);
}

static int open_sink(struct cli *c, const struct job *job)
{
	const char *output = c->output.file;
	int ret;

	c->output.file = job->separate_files ? NULL : output;
	ret = sink_open(c);
	if (!ret && !c->output.file && job->on_stderr)
		sink_to(c, STDERR_FILENO);
	c->output.file = output;
	return ret;
}

int job_run(struct cli *c, const struct job *job)
{
	struct err err = { 0 };
	int wait_status = -1, ret, lost;

	set_script(c, job);
	c->host.wait_status = job->status_of_cmd ? &wait_status : NULL;
	if (job->output)
		c->sink.output = job->output;
	c->output.appends = job->append;
	if (open_sink(c, job))
		return STATUS_WRONG;
	if (job->verbatim)
		c->sink.visible_out = false;
	ret = session_run(&c->request, &c->host, &err);
	lost = sink_close(c);
	say_err(c, &err);
	err_release(&err);
	ret = ret ? ret : lost;
	if (job->finish) {
		int finished = job->finish(c, job->finish_ctx);

		ret = ret ? ret : finished;
	}
	if (ret)
		return ret;
	return wait_status == -1 ? 0 : status_of(wait_status);
}
