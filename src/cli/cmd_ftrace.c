/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde ftrace: the kernel's function tracers, events and triggers, as its file "trace" prints
 * them. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/fd.h"
#include "cli/ftrace/ftrace.h"
#include "cli/job.h"
#include "cli/record_start.h"
#include "cli/export_file.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/output.h"

/* ---- while it runs */

static int begin(void *ctx, s32 child, struct err *err)
{
	struct ftrace *f = ctx;
	int ret = instance_make(f, err);

	ret = ret < 0 ? ret : ftrace_set_up(f, child, err);
	ret = ret < 0 ? ret : rings_open(f, err);
	if (ret >= 0 && !f->keeps && !f->is_latency) {
		lines_head(f);
		graph_head(f);
	}
	return ret < 0 ? ret : instance_put(f, "tracing_on", "1", 0, err);
}

/* hist and snapshot leave what they found in files. */
static void put_file(struct ftrace *f, const char *file)
{
	struct buf b = { 0 };

	if (instance_read(f, file, &b) >= 0 && b.len)
		buf_add(&f->text, b.s, b.len);
	buf_release(&b);
}

static void put_results(struct ftrace *f)
{
	bool has_snapshot = false;

	for (u32 i = 0; i < f->events.n; i++) {
		const struct ftrace_event *e = &f->events.v[i];
		bool has_hist = false;

		for (u32 k = 0; k < e->triggers.n; k++) {
			has_hist |= starts_with(e->triggers.v[k], "hist");
			has_snapshot |= strstr(e->triggers.v[k], "snapshot") != NULL;
		}
		for (u32 k = 0; has_hist && k < e->dirs.n; k++) /* of all its triggers */
			put_file(f, arena_printf(&f->arena, "%s/hist", e->dirs.v[k]));
	}
	if (has_snapshot)
		put_file(f, "snapshot");
	if (f->is_latency)
		put_file(f, "trace");
}

static void over(void *ctx)
{
	struct ftrace *f = ctx;
	struct err err = { 0 };

	if (!*f->dir)
		return;
	instance_put(f, "tracing_on", "0", 0, &err);
	put_results(f);
	rings_drain(f, true);
	rings_close(f);
	ftrace_restore(f);
	instance_remove(f);
	err_release(&err);
}

static void ready(void *ctx)
{
	struct ftrace *f = ctx;
	u64 n;

	if (read(f->timer, &n, sizeof n) == sizeof n)
		rings_drain(f, false);
}

static const struct output output_ftrace = {
	.name = "ftrace",
	.attached = none_attached,
	TEXT_MESSAGES,
	.value = text_value,
	.table = none_table,
	.lost = text_lost,
	.end = none_end,
};

static void tell(const struct ftrace *f)
{
	if (f->n_lost || f->n_unknown_losses)
		say(f->c, "%llu events%s were lost: the buffer was full (-b 65536 makes it larger)",
		    (unsigned long long)f->n_lost,
		    f->n_unknown_losses ? ", and more that are not counted," : "");
}

/* The run's exit status. */
static int run(struct ftrace *f, const struct output *output)
{
	struct cli *c = f->c;
	struct itimerspec every = { { 0, 50000000 }, { 0, 50000000 } };
	struct rusage usage;
	struct beside beside = {
		.ctx = f, .begin = begin, .over = over, .fd = -1, .ready = ready, .usage = &usage
	};
	struct job job = { .script = "begin { }",
			   .output = output,
			   .status_of_cmd = true,
			   .on_stderr = !f->keeps,
			   .separate_files = !f->keeps };
	int ret;

	f->timer = beside.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	timerfd_settime(f->timer, 0, &every, NULL);
	c->request.engine.name = "interpreter"; /* nothing of the kernel is asked */
	c->request.traced.scope = SCOPE_SCRIPT;
	c->host.beside = &beside;
	ret = job_run(c, &job);
	over(f);
	fd_close(&f->timer);
	return ret;
}

static int print(struct ftrace *f)
{
	int ret;

	if (f->c->output.file && (f->out = output_open(f->c)) < 0)
		return STATUS_WRONG;
	f->escapes = escape_wanted(f->c, f->out);
	f->c->sink.state = f;
	ret = run(f, &output_ftrace);
	tell(f);
	return ret;
}

static int keep(struct ftrace *f)
{
	struct record_start start = { 0 };
	struct recording recording = { .plan = &start.plan };
	struct cli *c = f->c;
	int ret = record_make_file(c);

	if (ret)
		return ret;
	record_start_make(&start, c);
	start.plan.has_stacks = true;
	c->sink.state = &recording;
	ret = run(f, &output_recording);
	if (recording.bytes)
		record_tell(c, &recording, c->output.file);
	else
		record_drop_empty(c);
	record_start_release(&start);
	return ret;
}

/* "x.data": a recording; the format of others is made of one. */
static int choose_output(struct ftrace *f)
{
	struct cli *c = f->c;

	f->keeps = c->output.file && ends_with(c->output.file, ".data");
	f->clock = c->own.ftrace.clock ? c->own.ftrace.clock : f->keeps ? "boot" : "mono";
	if (f->keeps && f->is_latency)
		return say_usage(c, "-t %s leaves the text of one time, which is no recording",
				 f->tracer);
	if (f->keeps && exporter_by_suffix(c->output.file))
		return say_usage(c, "-o %s: record to x.data; sonde export x.data -o %s makes it",
				 c->output.file, c->output.file);
	if (f->keeps && !streq(f->clock, "boot"))
		return say_usage(c, "--clock %s: times of recordings are of the clock boot",
				 f->clock);
	return 0;
}

/* ---- the command line */

/* Those that swap the buffer with one that keeps the longest time. */
static bool is_latency_tracer(const char *name)
{
	static const char *const all[] = { "irqsoff", "preemptoff", "preemptirqsoff",
					   "wakeup",  "wakeup_rt",  "wakeup_dl" };

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (streq(all[i], name))
			return true;
	return false;
}

/* What the options mean if -t does not say it. */
static int choose_tracer(struct ftrace *f)
{
	const struct cli *c = f->c;
	const struct ftrace_options *o = &c->own.ftrace;
	bool for_graph = o->graph || o->nograph || o->depth || c->select.over_ns;

	f->tracer = o->tracer                                      ? o->tracer :
		    for_graph                                      ? "function_graph" :
		    o->functions || c->select.module || o->notrace ? "function" :
								     NULL;
	f->is_graph = f->tracer && streq(f->tracer, "function_graph");
	f->is_latency = f->tracer && is_latency_tracer(f->tracer);
	if (f->tracer && streq(f->tracer, "nop"))
		f->tracer = NULL;
	if (for_graph && !f->is_graph)
		return say_usage(c, "-G, -g, -D and --over are of the tracer function_graph");
	if (f->tracer || f->events.n)
		return 0;
	return say_usage(
		c,
		"what to trace: -T 'vfs_*' for functions, -G FUNC for their calls, -e SYSTEM:EVENT for events");
}

static int ftrace(struct cli *c)
{
	struct ftrace *f = xcalloc(1, sizeof *f);
	int ret;

	f->c = c;
	f->out = STDOUT_FILENO;
	arena_init(&f->arena);
	ret = ftrace_read_events(f);
	ret = ret ? ret : choose_tracer(f);
	ret = ret ? ret : job_targets(c, JOB_NEEDS_TARGET);
	ret = ret ? ret : choose_output(f);
	if (!ret) {
		instance_remove_left();
		lines_init(f);
		ret = f->keeps ? keep(f) : print(f);
		lines_release(f);
	}
	if (f->out != STDOUT_FILENO)
		fd_close(&f->out);
	free(f->cpus);
	arena_release(&f->arena);
	free(f);
	return ret;
}

const struct command command_ftrace = {
	.name = "ftrace",
	.args = "[CMD [ARG]...]",
	.brief = "trace functions and events with the kernel's tracers",
	.doc = "Function tracers, events with filters and triggers, in an instance of tracefs of its own, which is removed at the end "
	       "(after kill -9 by the next run): settings of other tracers do not change. Lines are those of the kernel's file trace. -T traces functions (patterns), "
	       "-G draws the calls within a function with their times, -e traces events. --filter and --trigger belong to the -e before them. Of CMD "
	       "and its children, the threads of -p, or all (-a). Losses of a full buffer are reported where they occurred, and their sum at the end. -o FILE.data "
	       "makes a recording as sonde record does (for script, report, export, tui and scripts, as tracepoint:ftrace:function). The exit status is that of CMD.",
	.example =
		"sonde ftrace -T 'vfs_*' -- ls /usr\n"
		"sonde ftrace -G vfs_read -D 3 -- cat /etc/passwd\n"
		"sonde ftrace -a -e sched:sched_switch --filter 'prev_prio < 100' --trigger stacktrace --duration 1s\n"
		"sonde ftrace -a -e kmem:kmalloc --trigger 'hist:keys=call_site.sym:vals=bytes_req' --duration 5s",
	.run = ftrace,
	.takes = (SETS_JOB | SET_CPUS | SET_OVER | SET_STACK | SET_EVENTS | SET_MODULE) &
		 ~(u32)SET_FORMAT,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
