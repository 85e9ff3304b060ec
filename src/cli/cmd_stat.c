/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde stat: counts events while a command runs, of processes, CPUs or control groups. */
#include <stdlib.h>
#include <sys/timerfd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "cli/job.h"
#include "cli/option.h"
#include "cli/stat/stat.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/output.h"

/* Without -e; then what each -d adds, as in perf stat. */
static const char *const default_events[] = {
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses",
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static u32 count_details(const struct cli *c)
{
	u32 n = 0;

	for (u32 i = 0; i < c->line.n_given; i++)
		n += streq(c->line.given[i].row->name, "detailed");
	return MIN(n, (u32)ARRAY_SIZE(default_events) - 1);
}

static int read_events(struct counting *st)
{
	const struct cli *c = st->c;
	u32 details = count_details(c);
	int ret = 0;

	for (u32 i = 0; c->select.events && c->select.events[i] && !ret; i++)
		ret = stat_read_events(st, c->select.events[i]);
	for (u32 i = c->select.events ? 1 : 0; i <= details && !ret; i++)
		ret = stat_read_events(st, default_events[i]);
	if (!ret && !st->events.n)
		ret = say_usage(c, "-e: no event is named");
	return ret;
}

/* ---- while it runs */

static void init_values(struct counting *st)
{
	for (u32 i = 0; i < st->events.n; i++) {
		struct stat_event *e = &st->events.v[i];

		while (e->now.n < st->rows.n) {
			vec_push(&st->c->line.arena, &e->now, ((struct stat_value){ 0 }));
			vec_push(&st->c->line.arena, &e->before, ((struct stat_value){ 0 }));
			vec_push(&st->c->line.arena, &e->shown, ((struct stat_value){ 0 }));
		}
	}
}

/* The first interval begins with the run, not before its probes are attached. */
static void start_timer(struct counting *st)
{
	u32 ms = st->c->own.stat.interval_ms;
	struct itimerspec every = { { ms / 1000, ms % 1000 * 1000000L },
				    { ms / 1000, ms % 1000 * 1000000L } };

	if (ms)
		timerfd_settime(st->c->own.stat.timer, 0, &every, NULL);
}

static int begin(void *ctx, s32 child, struct err *err)
{
	struct counting *st = ctx;
	int ret = stat_add_targets(st, child, err);

	if (!ret)
		ret = stat_open(st, child, err);
	if (ret)
		return ret;
	init_values(st);
	if (!child || st->c->select.all || st->cgroup >= 0)
		stat_enable(st, true);
	st->was_begun = true;
	st->begin_ns = st->shown_ns = clock_mono_ns();
	start_timer(st);
	return 0;
}

static void over(void *ctx)
{
	struct counting *st = ctx;

	st->end_ns = clock_mono_ns();
	stat_read(st);
	stat_enable(st, false);
}

static void put(struct counting *st, struct buf *b)
{
	if (b->len && write_all(st->out, b->s, b->len) < 0)
		say(st->c, "the results cannot be written to the file of -o");
	buf_release(b);
}

/* --interval-count: a command goes on to its end, as in perf. */
static bool has_all_intervals(const struct counting *st)
{
	u32 n = st->c->own.stat.interval_count;

	return n && st->n_intervals >= n;
}

static void ready(void *ctx)
{
	struct counting *st = ctx;
	struct buf b = { 0 };
	u64 n;

	if (read(st->c->own.stat.timer, &n, sizeof n) != sizeof n || has_all_intervals(st))
		return;
	st->n_intervals++;
	st->end_ns = clock_mono_ns();
	stat_read(st);
	stat_put_interval(st, &b);
	put(st, &b);
	if (has_all_intervals(st) && !st->c->request.traced.command)
		st->c->sink.is_done = true;
}

/* ---- probes of the language: the maps of the script are "@p" and the number of the event */

static void put_script(struct counting *st, struct buf *b)
{
	const struct stat_options *o = &st->c->own.stat;

	buf_puts(b, "config = { max_probes = 100000; max_map_keys = 65536 }\n");
	for (u32 i = 0; i < st->events.n; i++)
		if (st->events.v[i].probe)
			buf_printf(b, "%s { @p%u%s = count(); }\n", st->events.v[i].probe, i,
				   o->per_cpu    ? "[(uint32)cpu]" :
				   o->per_thread ? "[(uint32)tid]" :
						   "");
	if (!st->has_probes)
		buf_puts(b, "begin { }\n");
}

static struct stat_value *value_of(struct counting *st, u32 event, const void *key)
{
	u32 id = 0;

	if (key)
		memcpy(&id, key, sizeof id);
	for (u32 i = 0; i < st->rows.n; i++)
		if (!key || st->rows.v[i].id == id)
			return &st->events.v[event].now.v[i];
	return NULL;
}

static void table(struct sink *s, const struct table *t)
{
	struct counting *st = s->state;
	u32 event = (u32)strtoul(t->map->name + strlen("@p"), NULL, 10);

	if (event >= st->events.n || !st->rows.n)
		return;
	for (u32 i = 0; i < st->rows.n; i++) {
		struct stat_value *v = &st->events.v[event].now.v[i];

		v->enabled = v->running = clock_mono_ns() - st->begin_ns;
	}
	for (u32 i = 0; i < t->rows.n; i++) {
		struct stat_value *v = value_of(st, event, t->rows.v[i].key);

		if (v)
			v->n = (u64)table_number(t->map->value, t->rows.v[i].value);
	}
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct buf why = { 0 };

	put_loss_reason(&why, loss);
	sink_say(s, "sonde: not counted: %llu events: %s\n", (unsigned long long)count, why.s);
	buf_release(&why);
}

static const struct output output_stat = {
	.name = "stat",
	.attached = none_attached,
	TEXT_MESSAGES,
	.value = none_value,
	.table = table,
	.lost = lost,
	.end = none_end,
};

/* ---- runs */

static int run_once(struct counting *st, const char *script)
{
	struct cli *c = st->c;
	struct beside beside = { .ctx = st,
				 .begin = begin,
				 .over = over,
				 .fd = c->own.stat.timer,
				 .ready = ready,
				 .usage = &st->usage };
	struct job job = { .script = script,
			   .output = &output_stat,
			   .status_of_cmd = true,
			   .on_stderr = true,
			   .separate_files = true };
	int ret;

	c->host.beside = &beside;
	c->sink.state = st;
	st->was_begun = false;
	ret = job_run(c, &job);
	stat_close(st);
	if (st->was_begun && st->end_ns)
		c->own.stat.interval_ms ? (void)0 : stat_add_run(st);
	return ret;
}

static int run_all(struct counting *st)
{
	struct buf script = { 0 }, b = { 0 };
	u32 n = st->c->own.stat.repeat ? st->c->own.stat.repeat : 1;
	int ret = 0;

	put_script(st, &script);
	if (!st->has_probes) { /* nothing of the kernel is asked */
		st->c->request.engine.name = "interpreter";
		st->c->request.traced.scope = SCOPE_SCRIPT;
	}
	for (u32 i = 0; i < n && ret < STATUS_REFUSED; i++)
		ret = run_once(st, script.s);
	if (st->c->own.stat.interval_ms && st->was_begun && !has_all_intervals(st))
		stat_put_interval(st, &b);
	else
		stat_put_all(st, &b);
	put(st, &b);
	buf_release(&script);
	return ret;
}

static void make_timer(struct counting *st)
{
	if (st->c->own.stat.interval_ms)
		st->c->own.stat.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* ---- the command line */

static const char *what(struct counting *st)
{
	const struct cli *c = st->c;
	struct arena *a = &st->c->line.arena;

	if (c->select.cgroup)
		return arena_printf(a, "control group '%s'", c->select.cgroup);
	if (c->select.all)
		return "'system wide'";
	if (c->request.traced.n_pids)
		return arena_printf(a, "process id '%u'", c->request.traced.pids[0]);
	if (c->request.traced.command)
		return arena_printf(a, "'%s'", c->request.traced.command);
	return arena_printf(a, "'CPU(s) %s'", c->select.cpus);
}

/* -a and -C count CPUs, also while a command runs. */
static int take_targets(struct cli *c)
{
	int ret;

	if (c->select.cgroup && c->request.traced.n_pids)
		return say_usage(c, "-G and -p exclude each other");
	ret = job_targets(c, JOB_TRACES_ALL);
	c->select.all = c->select.all || c->select.cgroup ||
			(c->select.cpus && !c->request.traced.n_pids);
	if (!ret && !c->select.all && !c->request.traced.n_pids && !c->request.traced.command)
		return say_usage(
			c,
			"what to count: a command, -p PID, -a for all CPUs, -C LIST or -G CGROUP");
	if (c->select.all)
		c->request.traced.scope = SCOPE_SCRIPT;
	return ret;
}

static int check(const struct counting *st)
{
	const struct cli *c = st->c;
	const struct stat_options *o = &c->own.stat;

	if (o->per_cpu && o->per_thread)
		return say_usage(c, "-A and --per-thread exclude each other");
	if (o->per_thread && c->request.traced.command && !c->select.all)
		return say_usage(
			c,
			"--per-thread counts threads that exist: with -p PID or -a; the threads of a command that "
			"is yet to start are counted together");
	if (c->request.traced.where && !st->has_probes)
		return say_usage(
			c,
			"--where is for probes of the language: counters ask nothing of an event");
	if (o->interval_count && !o->interval_ms)
		return say_usage(c, "--interval-count counts intervals of -I");
	if (o->repeat && (o->interval_ms || !c->request.traced.command))
		return say_usage(c, "-r repeats a command, without -I");
	return 0;
}

static int stat_main(struct cli *c)
{
	struct counting *st = xcalloc(1, sizeof *st);
	int ret = take_targets(c);

	st->c = c;
	st->cgroup = -1;
	st->out = STDERR_FILENO;
	c->own.stat.timer = -1;
	c->own.stat.json |= c->sink.output == &output_json;
	ret = ret ? ret : read_events(st);
	ret = ret ? ret : check(st);
	if (!ret && c->output.file && (st->out = output_open(c)) < 0)
		ret = STATUS_WRONG;
	if (!ret) {
		st->of = what(st);
		make_timer(st);
		ret = run_all(st);
	}
	fd_close(&c->own.stat.timer);
	if (st->out != STDERR_FILENO)
		fd_close(&st->out);
	free(st);
	return ret;
}

const struct command command_stat = {
	.name = "stat",
	.args = "[CMD [ARG]...]",
	.brief = "count events of a command, processes, CPUs or a control group",
	.doc = "Counts as perf stat does, with its names: software and hardware events, cache events, raw ones (r01c2), terms of a unit "
	       "(cpu/event=0x3c,umask=1/), trace events (sched:sched_switch, sched:*), with :u and :k after them, and {A,B} for a group; also any probe of the "
	       "language (kprobe:vfs_read, uprobe:FILE:FUNCTION, usdt:...). CMD is counted from its execution on, with its children. "
	       "If there are more events than counters, numbers are scaled, and the share of the time that they were counted is shown; what the machine "
	       "does not have is <not supported>, what never ran <not counted>. The result goes to standard error or to the file of -o. The exit status is "
	       "that of CMD.",
	.example = "sonde stat ls -l /usr\n"
		   "sonde stat -e page-faults,context-switches:u,'sched:*' -r 5 -- make -j4\n"
		   "sonde stat -a -A -I 1000 -e cpu-clock,context-switches --duration 5s",
	.run = stat_main,
	.takes = SETS_JOB | SET_CPUS | SET_CGROUP | SET_EVENTS,
	.words_are_cmd = true,
};
