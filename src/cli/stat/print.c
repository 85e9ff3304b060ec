/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was counted, as a table, as lines of fields (-x) and as objects (-j), in perf stat's
 * layouts:
 *
 *	              4.04 msec task-clock                       #    0.019 CPUs utilized
 *	3.96,msec,task-clock,3962670,100.00,0.049,CPUs utilized
 *
 * The number after # is computed of two events of the same row.
 */
#include <linux/perf_event.h>
#include "base/json.h"
#include "base/root.h"
#include "cli/stat/stat.h"

struct metric {
	double value;
	const char *unit; /* NULL: there is none */
	bool is_percent;
};

struct shown {
	struct counting *st;
	struct buf *b;
	double seconds; /* that the values are of */
	double (*value)(const struct counting *st, u32 event, u32 row);
	struct stat_value (*times)(const struct counting *st, u32 event, u32 row);
	u64 at_ns; /* -I: since the beginning; 0: no interval */
	bool has_spread;
};

/* ---- values: of an interval, and means of runs */

static struct stat_value interval_times(const struct counting *st, u32 event, u32 row)
{
	return st->events.v[event].shown.v[row];
}

static double interval_value(const struct counting *st, u32 event, u32 row)
{
	return stat_scaled(&st->events.v[event].shown.v[row]);
}

static const struct stat_runs *runs_of(const struct counting *st, u32 event, u32 row)
{
	return &st->runs.v[event * st->rows.n + row];
}

static double mean_of(const struct stat_runs *r)
{
	return r->n ? r->sum / r->n : 0;
}

static double mean_value(const struct counting *st, u32 event, u32 row)
{
	return mean_of(runs_of(st, event, row));
}

/* Standard error of the mean. */
static double spread_of(const struct stat_runs *r)
{
	double mean = mean_of(r), n = r->n;

	return n < 2 ? 0 : square_root((r->squares - n * mean * mean) / (n - 1) / n);
}

static double percent_of(const struct stat_runs *r)
{
	return r->sum > 0 ? 100 * spread_of(r) / mean_of(r) : 0;
}

static void add_value(struct stat_runs *r, double x)
{
	r->sum += x;
	r->squares += x * x;
	r->n++;
}

void stat_add_run(struct counting *st)
{
	struct arena *a = &st->c->line.arena;

	while (st->runs.n < st->events.n * st->rows.n + 1)
		vec_push(a, &st->runs, ((struct stat_runs){ 0 }));
	for (u32 i = 0; i < st->events.n; i++)
		for (u32 row = 0; row < st->rows.n; row++) {
			const struct stat_value *now = &st->events.v[i].now.v[row];
			struct stat_value *sum = &st->events.v[i].shown.v[row];

			if (!st->n_runs) /* of an interval */
				*sum = (struct stat_value){ 0 };
			add_value(&st->runs.v[i * st->rows.n + row], stat_scaled(now));
			sum->enabled += now->enabled;
			sum->running += now->running;
		}
	vec_push(a, &st->seconds, (double)(st->end_ns - st->begin_ns) / 1e9);
	add_value(&st->runs.v[st->runs.n - 1], *vec_last(&st->seconds));
	st->n_runs++;
}

/* ---- the number after # */

enum { CACHE_MISS = 1 << 16 };

static const struct ratio {
	u32 config, of; /* of PERF_TYPE_HARDWARE */
	const char *unit;
	bool is_percent;
} ratios[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, "insn per cycle", false },
	{ PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "of all branches", true },
	{ PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, "of all cache refs", true },
	{ PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES, "frontend cycles idle",
	  true },
	{ PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES, "backend cycles idle",
	  true },
};

/* The value of another event in the row; 0: it is not counted. */
static double other(const struct shown *s, u32 row, u32 type, u64 config)
{
	for (u32 i = 0; i < s->st->events.n; i++) {
		const struct stat_event *e = &s->st->events.v[i];

		if (!e->probe && e->type == type && e->config[0] == config)
			return s->value(s->st, i, row);
	}
	return 0;
}

static double clock_of(const struct shown *s, u32 row)
{
	double ns = other(s, row, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	return ns > 0 ? ns : other(s, row, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static struct metric share(double part, double whole, const char *unit)
{
	return (struct metric){ 100 * part / whole, unit, true };
}

static struct metric rate(double n, double ns)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	double value = n * 1e9 / ns;
	u32 i = 0;

	for (; value >= 1000 && i + 1 < ARRAY_SIZE(units); i++)
		value /= 1000;
	return (struct metric){ value, units[i], false };
}

static struct metric metric_of(const struct shown *s, u32 event, u32 row)
{
	const struct stat_event *e = &s->st->events.v[event];
	double n = s->value(s->st, event, row), ns = clock_of(s, row), of;

	if (e->unit == UNIT_CLOCK)
		return (struct metric){ n / 1e9 / s->seconds, "CPUs utilized", false };
	for (u32 i = 0; i < ARRAY_SIZE(ratios) && e->type == PERF_TYPE_HARDWARE && !e->probe; i++)
		if (ratios[i].config == e->config[0] &&
		    (of = other(s, row, PERF_TYPE_HARDWARE, ratios[i].of)) > 0)
			return ratios[i].is_percent ?
				       share(n, of, ratios[i].unit) :
				       (struct metric){ n / of, ratios[i].unit, false };
	if (e->type == PERF_TYPE_HW_CACHE && e->config[0] & CACHE_MISS &&
	    (of = other(s, row, e->type, e->config[0] & 0xffff)) > 0)
		return share(n, of, "of all accesses");
	if (e->type == PERF_TYPE_HARDWARE && !e->probe &&
	    e->config[0] == PERF_COUNT_HW_CPU_CYCLES && ns > 0)
		return (struct metric){ n / ns, "GHz", false };
	return ns > 0 ? rate(n, ns) : (struct metric){ 0 };
}

/* ---- a line */

struct line {
	const struct stat_event *event;
	const struct stat_row *row;
	const char *missing; /* instead of a value, or NULL */
	double value, spread;
	struct stat_value times;
	struct metric metric;
};

static struct line line_of(const struct shown *s, u32 event, u32 row)
{
	const struct stat_event *e = &s->st->events.v[event];
	struct line l = { .event = e, .row = &s->st->rows.v[row] };

	l.times = s->times(s->st, event, row);
	l.missing = !e->is_supported ? "<not supported>" : l.times.running ? NULL : "<not counted>";
	l.value = s->value(s->st, event, row) / (e->unit == UNIT_CLOCK ? 1e6 : 1);
	l.spread = s->has_spread ? percent_of(runs_of(s->st, event, row)) : 0;
	if (!l.missing)
		l.metric = metric_of(s, event, row);
	return l;
}

static const char *unit_of(const struct line *l)
{
	return l->event->unit == UNIT_CLOCK ? "msec" : "";
}

static void put_number(struct buf *b, const struct line *l, int width)
{
	if (l->missing)
		buf_printf(b, "%*s", width, l->missing);
	else
		buf_printf(b, l->event->unit == UNIT_CLOCK ? "%*.2f" : "%*.0f", width, l->value);
}

static double share_running(const struct stat_value *v)
{
	return v->enabled ? 100 * (double)v->running / (double)v->enabled : 100;
}

/* Whether rows are of several CPUs, whose number is shown. */
static bool has_cpus(const struct counting *st)
{
	return st->by > STAT_BY_THREAD;
}

static void put_text(const struct shown *s, const struct line *l)
{
	struct buf *b = s->b;

	if (s->at_ns)
		buf_printf(b, "%16.9f ", (double)s->at_ns / 1e9);
	if (l->row->name)
		buf_printf(b, "%*s%-*s ", (int)l->row->indent, "", (int)l->row->width,
			   l->row->name);
	if (has_cpus(s->st))
		buf_printf(b, "%4u ", l->row->n_cpus);
	put_number(b, l, 18);
	buf_printf(b, " %4s %-32s", unit_of(l), l->event->name);
	if (l->metric.unit)
		buf_printf(b, l->metric.is_percent ? " # %8.2f%% %s" : " # %8.3f %s",
			   l->metric.value, l->metric.unit);
	if (s->has_spread && !l->missing)
		buf_printf(b, "  ( +- %5.2f%% )", l->spread);
	if (l->times.running != l->times.enabled && !l->missing)
		buf_printf(b, "  (%.2f%%)", share_running(&l->times));
	buf_trim_end(b);
	buf_putc(b, '\n');
}

static void put_fields(const struct shown *s, const struct line *l)
{
	const char *sep = s->st->c->own.stat.separator;
	struct buf *b = s->b;

	if (s->at_ns)
		buf_printf(b, "%16.9f%s", (double)s->at_ns / 1e9, sep);
	else if (s->st->c->own.stat.interval_ms)
		buf_printf(b, "%16s%s", "summary", sep);
	if (l->row->name)
		buf_printf(b, "%s%s", l->row->name, sep);
	if (has_cpus(s->st))
		buf_printf(b, "%u%s", l->row->n_cpus, sep);
	put_number(b, l, 0);
	buf_printf(b, "%s%s%s%s%s", sep, unit_of(l), sep, l->event->name, sep);
	if (s->has_spread)
		buf_printf(b, "%.2f%%%s", l->spread, sep);
	buf_printf(b, "%llu%s%.2f%s", (unsigned long long)l->times.running / MAX(s->st->n_runs, 1u),
		   sep, share_running(&l->times), sep);
	if (l->metric.unit)
		buf_printf(b, l->metric.is_percent ? "%.2f" : "%.3f", l->metric.value);
	buf_printf(b, "%s%s%s\n", sep, l->metric.is_percent ? "% " : "",
		   l->metric.unit ? l->metric.unit : "");
}

/* The name of a row in JSON, and the titles of its columns after "time" of -I. */
static const struct {
	const char *json, *titles;
} keys[] = {
	[STAT_BY_NONE] = { "", "" },
	[STAT_BY_CPU] = { "cpu", " CPU       " },
	[STAT_BY_THREAD] = { "thread", "             comm-pid     " },
	[STAT_BY_CORE] = { "core", " core            cpus" },
	[STAT_BY_DIE] = { "die", " die          cpus" },
	[STAT_BY_SOCKET] = { "socket", " socket cpus" },
	[STAT_BY_NODE] = { "node", " node   cpus" },
};

static void put_json(const struct shown *s, const struct line *l)
{
	struct buf *b = s->b;

	buf_putc(b, '{');
	if (s->at_ns)
		buf_printf(b, "\"interval\" : %.9f, ", (double)s->at_ns / 1e9);
	if (l->row->name) {
		buf_printf(b, "\"%s\" : ", keys[s->st->by].json);
		json_strz(b, l->row->name + (s->st->by == STAT_BY_CPU ? strlen("CPU") : 0));
		buf_puts(b, ", ");
	}
	if (has_cpus(s->st))
		buf_printf(b, "\"aggregate-number\" : %u, ", l->row->n_cpus);
	buf_puts(b, "\"counter-value\" : ");
	if (l->missing)
		buf_printf(b, "\"%s\"", l->missing);
	else
		buf_printf(b, "\"%f\"", l->value);
	buf_printf(b, ", \"unit\" : \"%s\", \"event\" : ", unit_of(l));
	json_strz(b, l->event->name);
	if (s->has_spread)
		buf_printf(b, ", \"variance\" : %.2f", l->spread);
	buf_printf(
		b,
		", \"event-runtime\" : %llu, \"pcnt-running\" : %.2f, \"metric-value\" : %f, \"metric-unit\" : \"%s%s\"}\n",
		(unsigned long long)l->times.running / MAX(s->st->n_runs, 1u),
		share_running(&l->times), l->metric.value, l->metric.is_percent ? "%  " : "",
		l->metric.unit ? l->metric.unit : "");
}

static void put_line(const struct shown *s, u32 event, u32 row)
{
	const struct stat_options *o = &s->st->c->own.stat;
	struct line l = line_of(s, event, row);

	if (l.missing && s->st->by == STAT_BY_THREAD && s->st->c->select.all)
		return; /* threads that did not run are not shown */
	(o->json ? put_json : o->separator ? put_fields : put_text)(s, &l);
}

/* Event by event; where rows are of several CPUs row by row. */
static void put_lines(const struct shown *s)
{
	u32 n_events = s->st->events.n, n_rows = s->st->rows.n;

	for (u32 i = 0; i < n_events * n_rows; i++)
		if (has_cpus(s->st))
			put_line(s, i % n_events, i / n_events);
		else
			put_line(s, i / n_rows, i % n_rows);
}

/* ---- tables */

void stat_put_interval(struct counting *st, struct buf *b)
{
	struct shown s = { .st = st, .b = b, .value = interval_value, .times = interval_times };

	s.at_ns = st->end_ns - st->begin_ns;
	s.seconds = (double)(st->end_ns - st->shown_ns) / 1e9;
	for (u32 i = 0; i < st->events.n; i++)
		for (u32 row = 0; row < st->rows.n; row++) {
			struct stat_event *e = &st->events.v[i];

			e->shown.v[row] = (struct stat_value){
				e->now.v[row].n - e->before.v[row].n,
				e->now.v[row].enabled - e->before.v[row].enabled,
				e->now.v[row].running - e->before.v[row].running,
			};
			e->before.v[row] = e->now.v[row];
		}
	if (!st->has_head && !st->c->own.stat.json && !st->c->own.stat.separator)
		buf_printf(b, "#           time%s             counts unit events\n",
			   keys[st->by].titles);
	st->has_head = true;
	put_lines(&s);
	st->shown_ns = st->end_ns;
}

/* --table: a bar of one # for each 5 % from the mean, and one more. */
static void put_times(const struct counting *st, struct buf *b, double mean, int digits)
{
	struct buf first = { 0 };

	buf_printf(&first, "%18.*f", digits, mean);
	buf_printf(b, "\n%*s# Table of individual measurements:\n", (int)strspn(first.s, " "), "");
	for (u32 i = 0; i < st->seconds.n; i++) {
		double run = st->seconds.v[i], percent = 100 * (run - mean) / run;

		buf_printf(b, "%18.*f (%+.*f) ", digits, run, digits, run - mean);
		buf_pad(b, '#', 1 + (u32)(percent < 0 ? -percent : percent) / 5);
		buf_putc(b, '\n');
	}
	buf_printf(b, "\n%*s# Final result:", (int)strspn(first.s, " "), "");
	buf_release(&first);
}

static void put_elapsed(struct counting *st, struct buf *b)
{
	const struct stat_runs *r = &st->runs.v[st->runs.n - 1];
	double sd = spread_of(r);
	int digits = 2;

	if (st->n_runs < 2) {
		buf_printf(b, "\n%18.9f seconds time elapsed\n", r->sum);
		return;
	}
	for (double x = sd; x < 1 && digits < 9; digits++)
		x *= 10;
	if (st->c->own.stat.table)
		put_times(st, b, mean_of(r), digits);
	buf_printf(b, "\n%18.*f +- %.*f seconds time elapsed  ( +- %5.2f%% )\n", digits, mean_of(r),
		   digits, sd, percent_of(r));
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void put_usage(const struct counting *st, struct buf *b)
{
	if (st->n_runs > 1 || !st->usage.ru_maxrss || !st->c->request.traced.command ||
	    st->c->select.all)
		return;
	buf_printf(b, "\n%18.9f seconds user\n%18.9f seconds sys\n", seconds_of(st->usage.ru_utime),
		   seconds_of(st->usage.ru_stime));
}

void stat_put_all(struct counting *st, struct buf *b)
{
	const struct stat_options *o = &st->c->own.stat;
	struct shown s = { .st = st, .b = b, .value = mean_value, .times = interval_times };
	bool is_table = !o->json && !o->separator;

	if (!st->n_runs)
		return;
	s.seconds = mean_of(&st->runs.v[st->runs.n - 1]);
	s.has_spread = st->n_runs > 1;
	if (is_table)
		buf_printf(b, "\n Performance counter stats for %s", st->of);
	if (is_table && st->n_runs > 1)
		buf_printf(b, " (%u runs)", st->n_runs);
	buf_puts(b, is_table ? ":\n\n" : "");
	put_lines(&s);
	if (!is_table)
		return;
	put_elapsed(st, b);
	put_usage(st, b);
	buf_puts(b, "\n\n");
}
