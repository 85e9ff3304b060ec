/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde sched timehist: a line for each time that a thread has run, when it leaves the processor:
 * how long it was off before its wake-up, how long it waited then for the processor, how long it
 * ran. -s: sums of the threads.
 */
#include "cli/sched/sched.h"

static void put_head(struct sched *s)
{
	if (s->has_head || s->c->own.sched.summary)
		return;
	s->has_head = true;
	buf_puts(
		&s->sink->out,
		"           time    cpu  task name                       wait time  sch delay   run time\n"
		"                        [tid/pid]                          (msec)     (msec)     (msec)\n"
		"--------------- ------  ------------------------------  ---------  ---------  ---------\n");
}

/* Fractions of a microsecond are dropped, as perf does. */
static void put_line(struct sched *s, u64 time, u32 cpu, const char *name)
{
	put_head(s);
	buf_printf(&s->sink->out, "%8llu.%06llu [%04u]  %-30s",
		   (unsigned long long)time / 1000000000, (unsigned long long)time / 1000 % 1000000,
		   cpu, name);
}

static void put_ms(struct sched *s, u64 ns)
{
	buf_printf(&s->sink->out, "  %5llu.%03llu", (unsigned long long)ns / 1000000,
		   (unsigned long long)ns / 1000 % 1000);
}

static void add_run(struct sched_thread *t, u64 run)
{
	t->ran += run;
	t->min_run = t->n_runs ? MIN(t->min_run, run) : run;
	t->max_run = MAX(t->max_run, run);
	t->n_runs++;
}

static void put_run(struct sched *s, const struct sched_event *e, u64 since)
{
	struct sched_thread *t = e->thread;
	u64 now = e->e->time, delay = since && t->ready && t->ready <= since ? since - t->ready : 0;
	u64 wait = since && t->left && t->left <= since ? since - t->left : 0;

	add_run(t, since ? now - since : 0);
	if (s->c->own.sched.summary)
		return;
	put_line(s, now, e->e->cpu, sched_name(s, t));
	put_ms(s, wait);
	put_ms(s, delay);
	put_ms(s, since ? now - since : 0);
	buf_putc(&s->sink->out, '\n');
	sink_item(s->sink);
}

/* Of a processor that was idle: the thread 0 is another one on each. */
static void put_idle(struct sched *s, const struct sched_event *e, u64 since)
{
	struct sched_event idle = *e;

	while (s->idle.n <= e->e->cpu)
		vec_push(&s->arena, &s->idle, arena_new(&s->arena, struct sched_thread));
	idle.thread = s->idle.v[e->e->cpu];
	memcpy(idle.thread->comm, "<idle>", sizeof "<idle>");
	if (s->c->own.sched.idle && !s->c->own.sched.summary)
		put_run(s, &idle, since);
	idle.thread->left = e->e->time;
}

static void on_switch(struct sched *s, const struct sched_event *e)
{
	u64 *switched;

	while (s->switched.n <= e->e->cpu)
		vec_push(&s->arena, &s->switched, 0);
	switched = &s->switched.v[e->e->cpu];
	if (e->thread->tid)
		put_run(s, e, *switched);
	else
		put_idle(s, e, *switched);
	*switched = e->thread->left = e->e->time;
	e->thread->ready = 0;
}

static void on_wakeup(struct sched *s, const struct sched_event *e)
{
	struct sched_thread *t = e->thread, *waker;

	if (!t->ready)
		t->ready = e->e->time;
	if (!s->c->own.sched.wakeups || s->c->own.sched.summary)
		return;
	waker = hash_get(&s->by_tid, &e->e->tid, sizeof e->e->tid);
	put_line(s, e->e->time, e->e->cpu, waker ? sched_name(s, waker) : "<idle>");
	buf_printf(&s->sink->out, "%33s  awakened: %s\n", "", sched_name(s, t));
	sink_item(s->sink);
}

static void on_runtime(struct sched *s, const struct sched_event *e)
{
}

static void end(struct sched *s)
{
	struct buf *b = &s->sink->out;

	if (!s->c->own.sched.summary)
		return;
	buf_puts(
		b,
		"                          comm   sched-in     run-time    min-run     avg-run     max-run\n"
		"                                  (count)       (msec)     (msec)      (msec)      (msec)\n");
	for (u32 i = 0; i < s->threads.n; i++) {
		const struct sched_thread *t = s->threads.v[i];

		if (!t->n_runs || !t->tid)
			continue;
		buf_printf(b, "%30s  %9llu  %11.3f  %9.3f  %10.3f  %10.3f\n", sched_name(s, t),
			   (unsigned long long)t->n_runs, (double)(t->ran / 1000) / 1e3,
			   (double)(t->min_run / 1000) / 1e3,
			   (double)(t->ran / t->n_runs / 1000) / 1e3,
			   (double)(t->max_run / 1000) / 1e3);
	}
}

const struct sched_view sched_timehist = {
	"timehist", true, on_switch, on_wakeup, on_runtime, end
};
