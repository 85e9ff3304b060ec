/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde sched latency: how long threads that could run waited for a processor. A wait begins at a
 * wake-up of a thread that sleeps, or at a switch away from one that could go on; the switch to the
 * thread ends it. A thread that is switched to before anything else is known of it has waited 0;
 * one of which only a runtime is known waits since then, as perf counts it.
 */
#include <stdlib.h>
#include "cli/sched/sched.h"
#include "trace/value.h"

static void wait_from(struct sched_thread *t, u64 now)
{
	t->state = THREAD_WAITS;
	t->since = now;
}

static void leave(struct sched_thread *t, s64 state, u64 now)
{
	if (!state)
		wait_from(t, now);
	else
		t->state = THREAD_SLEEPS;
}

static void enter(struct sched_thread *t, u64 now, bool is_shown)
{
	u64 delay;

	t->entered = now;
	if (t->state == THREAD_NEW)
		wait_from(t, now);
	if (t->state != THREAD_WAITS)
		return;
	t->state = THREAD_RUNS;
	if (!is_shown)
		return;
	delay = now - MIN(now, t->since);
	t->n_delays++;
	t->delays += delay;
	if (delay > t->max_delay) {
		t->max_delay = delay;
		t->max_start = t->since;
		t->max_end = now;
	}
}

/* Whether the last switch on that processor was to the thread: what comes in between is not in each
 * recording. */
static bool has_run(struct sched *s, const struct sched_event *e)
{
	const struct sched_thread *was = sched_runs(s, e->e->cpu, e->next);

	return was == e->thread && was->entered && was->entered <= e->e->time;
}

static void on_switch(struct sched *s, const struct sched_event *e)
{
	if (has_run(s, e) && !s->has_runtimes && sched_shows_cpu(s, e->e->cpu))
		e->thread->runtime += e->e->time - e->thread->entered;
	leave(e->thread, e->state, e->e->time);
	enter(e->next, e->e->time, sched_shows_cpu(s, e->e->cpu));
}

static void on_wakeup(struct sched *s, const struct sched_event *e)
{
	if (e->thread->state == THREAD_NEW || e->thread->state == THREAD_SLEEPS)
		wait_from(e->thread, e->e->time);
}

static void on_runtime(struct sched *s, const struct sched_event *e)
{
	if (e->thread->state == THREAD_NEW)
		wait_from(e->thread, e->e->time);
	if (sched_shows_cpu(s, e->e->cpu))
		e->thread->runtime += e->runtime;
}

/* ---- the table */

static u64 average(const struct sched_thread *t)
{
	return t->n_delays ? t->delays / t->n_delays : 0;
}

static u64 longest(const struct sched_thread *t)
{
	return t->max_delay;
}

static u64 switches(const struct sched_thread *t)
{
	return t->n_delays;
}

static u64 runtime(const struct sched_thread *t)
{
	return t->runtime;
}

static int descending(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static const char *sort_by; /* qsort() passes nothing on */

static const struct {
	const char *name;
	u64 (*of)(const struct sched_thread *t);
} columns[] = {
	{ "avg", average },
	{ "max", longest },
	{ "switch", switches },
	{ "runtime", runtime },
};

/* By the columns of a list, the first one first. */
static int by_list(const struct sched_thread *x, const struct sched_thread *y, const char *list)
{
	int order = 0;

	for (const char *s = list; *s && !order; s += strcspn(s, ","), s += *s == ',')
		for (u32 i = 0; i < ARRAY_SIZE(columns); i++)
			if (strcspn(s, ",") == strlen(columns[i].name) &&
			    starts_with(s, columns[i].name))
				order = descending(columns[i].of(x), columns[i].of(y));
	return order;
}

bool sched_is_sort_list(const char *list)
{
	for (const char *s = list;; s += strcspn(s, ",") + 1) {
		u32 i = 0;

		while (i < ARRAY_SIZE(columns) && (strcspn(s, ",") != strlen(columns[i].name) ||
						   !starts_with(s, columns[i].name)))
			i++;
		if (i == ARRAY_SIZE(columns))
			return false;
		if (!s[strcspn(s, ",")])
			return true;
	}
}

static int by_keys(const void *a, const void *b)
{
	const struct sched_thread *x = *(struct sched_thread *const *)a,
				  *y = *(struct sched_thread *const *)b;
	int order = by_list(x, y, sort_by);

	order = order ? order : by_list(x, y, "avg,max,switch,runtime");
	return order ? order : descending(y->tid, x->tid);
}

static void merge(struct sched_thread *to, const struct sched_thread *t)
{
	to->n_merged++;
	to->n_delays += t->n_delays;
	to->delays += t->delays;
	to->runtime += t->runtime;
	if (t->max_delay > to->max_delay) {
		to->max_delay = t->max_delay;
		to->max_start = t->max_start;
		to->max_end = t->max_end;
	}
}

/* Threads of a name are one row, unless --pids. */
static void merge_names(struct sched *s)
{
	struct hash by_comm = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < s->threads.n; i++) {
		struct sched_thread *t = s->threads.v[i], *same = hash_gets(&by_comm, t->comm);

		if (same && !s->c->own.sched.pids) {
			merge(same, t);
			continue;
		}
		hash_puts(&by_comm, t->comm, t);
		s->threads.v[n++] = t;
	}
	s->threads.n = n;
	hash_release(&by_comm);
}

/* Seconds, cut off after microseconds, as perf does. */
static void put_time(struct buf *b, const char *what, u64 ns)
{
	buf_printf(b, " | max %s: %5llu.%06llu s", what, (unsigned long long)ns / 1000000000,
		   (unsigned long long)ns / 1000 % 1000000);
}

static void put_row(struct sched *s, const struct sched_thread *t)
{
	struct buf *b = &s->sink->out, name = { 0 };

	put_foreignz(&name, s->names, t->comm);
	buf_printf(&name, t->n_merged ? ":(%u)" : ":%u", t->n_merged ? t->n_merged + 1 : t->tid);
	buf_printf(b, "  %-21s |%11.3f ms |%9llu | avg:%8.3f ms | max:%8.3f ms", name.s,
		   (double)t->runtime / 1e6, (unsigned long long)t->n_delays,
		   (double)average(t) / 1e6, (double)t->max_delay / 1e6);
	put_time(b, "start", t->max_start);
	put_time(b, "end", t->max_end);
	buf_putc(b, '\n');
	buf_release(&name);
}

static void end(struct sched *s)
{
	u64 ran = 0, n = 0;

	merge_names(s);
	sort_by = s->c->own.sched.sort ? s->c->own.sched.sort : "avg";
	if (s->threads.n)
		qsort(s->threads.v, s->threads.n, sizeof *s->threads.v, by_keys);
	buf_puts(
		&s->sink->out,
		"  Task                  |   Runtime ms  | Switches |  Avg delay ms   |  Max delay ms   |     Max delay start       |     Max delay end\n");
	for (u32 i = 0; i < s->threads.n; i++) {
		const struct sched_thread *t = s->threads.v[i];

		if (!t->n_delays || !t->tid)
			continue;
		put_row(s, t);
		ran += t->runtime;
		n += t->n_delays;
	}
	buf_printf(&s->sink->out, "  TOTAL:                |%11.3f ms |%9llu |\n",
		   (double)ran / 1e6, (unsigned long long)n);
}

const struct sched_view sched_latency = { .name = "latency",
					  .on_switch = on_switch,
					  .on_wakeup = on_wakeup,
					  .on_runtime = on_runtime,
					  .end = end };
