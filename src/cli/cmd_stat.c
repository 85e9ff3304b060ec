/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde stat: counts events while a command runs, of processes, CPUs or control groups. */
#include <linux/perf_event.h>
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

/* --filter after the i-th -e, whose events begin at first. */
static int filter_events(struct counting *st, u32 i, u32 first)
{
	const struct cli *c = st->c;
	const char *filter = i < c->select.n_event_filters ? c->select.event_filters[i] : NULL;

	for (u32 k = first; filter && k < st->events.n; k++) {
		struct stat_event *e = &st->events.v[k];

		if (e->probe || e->type != PERF_TYPE_TRACEPOINT)
			return say_usage(
				c,
				"--filter=%s: %s is no trace event, which has fields (probes: --where)",
				filter, e->name);
		e->filter = filter;
	}
	return 0;
}

static int read_events(struct counting *st)
{
	const struct cli *c = st->c;
	u32 details = count_details(c);
	int ret = 0;

	for (u32 i = 0; c->select.events && c->select.events[i] && !ret; i++) {
		u32 first = st->events.n;

		ret = stat_read_events(st, c->select.events[i]);
		ret = ret ? ret : filter_events(st, i, first);
	}
	for (u32 i = c->select.events ? 1 : 0; i <= details && !ret && !c->own.stat.none; i++)
		ret = stat_read_events(st, default_events[i]);
	if (!ret && !st->events.n && !c->own.stat.none)
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

static struct timespec timespec_of(u32 ms)
{
	return (struct timespec){ ms / 1000, ms % 1000 * 1000000L };
}

/* The first interval begins with the run, not before its probes are attached; -D comes first. */
static void start_timer(struct counting *st)
{
	const struct stat_options *o = &st->c->own.stat;
	struct itimerspec at = { .it_value = timespec_of(o->delay_ms) };

	if (!st->is_delayed)
		at.it_interval = at.it_value = timespec_of(o->interval_ms);
	if (o->timer >= 0)
		timerfd_settime(o->timer, 0, &at, NULL);
}

static void end_delay(struct counting *st)
{
	st->is_delayed = false;
	stat_enable(st, true);
	st->begin_ns = st->shown_ns = clock_mono_ns();
	start_timer(st);
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
	st->is_delayed = st->c->own.stat.delay_ms;
	if (!st->is_delayed && (!child || st->c->select.all || st->cgroup >= 0))
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
	if (st->is_delayed) {
		end_delay(st);
		return;
	}
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
	buf_puts(b, "config = { max_probes = 100000; max_map_keys = 65536 }\n");
	for (u32 i = 0; i < st->events.n; i++) {
		if (!st->events.v[i].probe)
			continue;
		buf_puts(b, st->events.v[i].probe);
		if (st->c->select.tids.n) {
			buf_puts(b, " /");
			job_put_tids(st->c, b, "tid");
			buf_putc(b, '/');
		}
		buf_printf(b, " { @p%u%s = count(); }\n", i,
			   st->by == STAT_BY_CPU    ? "[(uint32)cpu]" :
			   st->by == STAT_BY_THREAD ? "[(uint32)tid]" :
						      "");
	}
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
	if (st->was_begun && st->end_ns && !c->own.stat.interval_ms)
		stat_add_run(st);
	return ret;
}

/* --pre, --post. */
static int run_command(const struct counting *st, const char *option, const char *command)
{
	int status = command ? system(command) : 0;

	if (!status)
		return 0;
	say(st->c, "%s: the command failed: %s", option, command);
	return STATUS_WRONG;
}

/* What is before and after a run is not counted. */
static int run_with_commands(struct counting *st, const char *script)
{
	const struct stat_options *o = &st->c->own.stat;
	int ret = run_command(st, "--pre", o->before), after;

	if (ret)
		return ret;
	if (o->sync)
		sync();
	ret = run_once(st, script);
	after = run_command(st, "--post", o->after);
	return ret ? ret : after;
}

/* The lines at the end. */
static void put_results(struct counting *st, struct buf *b)
{
	const struct stat_options *o = &st->c->own.stat;

	if (o->interval_ms && st->was_begun && !has_all_intervals(st))
		stat_put_interval(st, b);
	if (o->interval_ms && o->summary && st->was_begun)
		stat_add_run(st);
	stat_put_all(st, b);
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
		ret = run_with_commands(st, script.s);
	put_results(st, &b);
	put(st, &b);
	buf_release(&script);
	return ret;
}

static void make_timer(struct counting *st)
{
	if (st->c->own.stat.interval_ms || st->c->own.stat.delay_ms)
		st->c->own.stat.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* ---- the command line */

/* "12,15" */
static const char *numbers(struct arena *a, const u32 *v, u32 n)
{
	struct buf b = { 0 };
	const char *text;

	for (u32 i = 0; i < n; i++)
		buf_printf(&b, "%s%u", i ? "," : "", v[i]);
	text = arena_strdup(a, b.s);
	buf_release(&b);
	return text;
}

static const char *what(struct counting *st)
{
	const struct cli *c = st->c;
	struct arena *a = &st->c->line.arena;

	if (c->select.cgroup)
		return arena_printf(a, "control group '%s'", c->select.cgroup);
	if (c->select.all)
		return "'system wide'";
	if (c->select.tids.n)
		return arena_printf(a, "thread id '%s'",
				    numbers(a, c->select.tids.v, c->select.tids.n));
	if (c->request.traced.n_pids)
		return arena_printf(a, "process id '%s'",
				    numbers(a, c->request.traced.pids, c->request.traced.n_pids));
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

/* -A and its kind. */
static int take_by(struct counting *st)
{
	const struct stat_options *o = &st->c->own.stat;
	const bool given[] = {
		[STAT_BY_CPU] = o->per_cpu,       [STAT_BY_THREAD] = o->per_thread,
		[STAT_BY_CORE] = o->per_core,     [STAT_BY_DIE] = o->per_die,
		[STAT_BY_SOCKET] = o->per_socket, [STAT_BY_NODE] = o->per_node,
	};
	u32 n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i]) {
			st->by = (enum stat_by)i;
			n++;
		}
	if (n > 1)
		return say_usage(
			st->c,
			"-A, --per-thread, --per-core, --per-die, --per-socket and --per-node exclude each other");
	if (st->by > STAT_BY_THREAD && !st->c->select.all)
		return say_usage(
			st->c,
			"--per-core, --per-die, --per-socket and --per-node count CPUs: with -a or -C");
	return 0;
}

static int check(const struct counting *st)
{
	const struct cli *c = st->c;
	const struct stat_options *o = &c->own.stat;

	if (st->has_probes && st->by > STAT_BY_THREAD)
		return say_usage(c,
				 "probes of the language are counted for each CPU (-A) or thread");
	if (st->has_probes && o->delay_ms)
		return say_usage(
			c, "-D is for counters: probes of the language count from the beginning");
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
	if (o->summary && !o->interval_ms)
		return say_usage(c, "--summary sums the intervals of -I");
	if (o->append && !c->output.file)
		return say_usage(c, "--append is for the file of -o");
	if (o->none && c->select.events)
		return say_usage(c, "-n counts nothing: without -e");
	if (o->repeat && (o->interval_ms || !c->request.traced.command))
		return say_usage(c, "-r repeats a command, without -I");
	if (o->table && o->repeat < 2)
		return say_usage(c, "--table has the times of the runs of -r");
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
	c->output.appends = c->own.stat.append;
	if (c->own.stat.separator && streq(c->own.stat.separator, "\\t")) /* as perf */
		c->own.stat.separator = "\t";
	ret = ret ? ret : take_by(st);
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
	       "that of CMD. With -p or -t, CMD is not counted: it only tells how long.",
	.example = "sonde stat ls -l /usr\n"
		   "sonde stat -e page-faults,context-switches:u,'sched:*' -r 5 -- make -j4\n"
		   "sonde stat -a -A -I 1000 -e cpu-clock,context-switches --duration 5s",
	.run = stat_main,
	.takes = SETS_JOB | SET_CPUS | SET_CGROUP | SET_EVENTS | SET_THREADS,
	.words_are_cmd = true,
	.cmd_times_pids = true,
};
