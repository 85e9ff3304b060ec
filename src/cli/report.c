/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: the events of a recording in the order of time. Output: sums.
 *
 * A thread runs from a switch to it until the switch away. It waits from the wake-up, or from the
 * switch away if it could have gone on, until it runs. Only spans whose beginning and end were
 * recorded count: for threads that were not recorded, and after losses, the switch
 * from a thread may be missing, so that another thread leaves the processor than the last one to
 * enter it. Where a part of the file is missing or damaged, all spans are interrupted but those of
 * threads on other processors.
 */
#include <stdlib.h>
#include "cli/report.h"
#include "export/calls.h"
#include "export/export.h"
#include "store/gaps.h"

static void add_span(struct spans *s, u64 from, u64 to)
{
	u64 ns = to - MIN(from, to);

	s->n++;
	s->sum += ns;
	s->max = MAX(s->max, ns);
}

/* ---- counters */

static struct report_event *event_of(struct report *r, const char *name)
{
	struct report_event *e = hash_gets(&r->by_event, name);

	if (e)
		return e;
	e = arena_new(&r->arena, struct report_event);
	e->name = arena_strdup(&r->arena, name);
	hash_puts(&r->by_event, e->name, e);
	vec_push(&r->arena, &r->events, e);
	return e;
}

static struct report_thread *thread_of(struct report *r, u32 tid)
{
	struct report_thread *t = hash_get(&r->by_tid, &tid, sizeof tid);

	if (t)
		return t;
	t = arena_new(&r->arena, struct report_thread);
	t->tid = tid;
	hash_put(&r->by_tid, &t->tid, sizeof t->tid, t);
	vec_push(&r->arena, &r->threads, t);
	return t;
}

static struct report_call *call_of(struct report *r, const char *name)
{
	struct report_call *c = hash_gets(&r->by_call, name);

	if (c)
		return c;
	c = arena_new(&r->arena, struct report_call);
	c->name = arena_strdup(&r->arena, name);
	hash_puts(&r->by_call, c->name, c);
	vec_push(&r->arena, &r->calls, c);
	return c;
}

static void name_thread(struct report_thread *t, const char *comm, u32 len)
{
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, comm, MIN(len, sizeof t->comm));
}

static struct report_thread *thread_in(struct report *r, const struct trace_event *e,
				       const char *pid, const char *comm)
{
	u32 tid = (u32)event_number(e, pid), len;
	const char *name = event_string(e, comm, &len);
	struct report_thread *t = tid ? thread_of(r, tid) : NULL; /* idle threads all are 0 */

	if (t && len)
		name_thread(t, name, len);
	return t;
}

/* ---- events that begin and end spans */

static struct report_thread **running_on(struct report *r, u32 cpu)
{
	while (r->running.n <= cpu)
		vec_push(&r->arena, &r->running, NULL);
	return &r->running.v[cpu];
}

/* prev leaves the processor: what is known of others that ran there is no longer true. */
static void leave(struct report *r, struct report_thread *prev, u32 cpu)
{
	struct report_thread **running = running_on(r, cpu);

	if (*running == prev)
		return;
	if (*running)
		(*running)->runs_since = 0;
	if (prev)
		prev->runs_since = 0;
}

static void on_switch(struct report *r, const struct trace_event *e)
{
	enum { PREEMPTED = 0x100 }; /* TASK_REPORT_MAX */
	struct report_thread *prev = thread_in(r, e, "prev_pid", "prev_comm"),
			     *next = thread_in(r, e, "next_pid", "next_comm");
	s64 state = event_number(e, "prev_state");

	r->has_switches = true;
	leave(r, prev, e->cpu);
	if (prev) {
		if (prev->runs_since)
			add_span(&prev->on_cpu, prev->runs_since, e->time);
		prev->runs_since = 0;
		prev->runnable_since = !state || state & PREEMPTED ? e->time : 0;
	}
	*running_on(r, e->cpu) = next;
	if (next) {
		if (next->runnable_since && !next->runs_since)
			add_span(&next->waits, next->runnable_since, e->time);
		next->runnable_since = 0;
		next->runs_since = e->time;
	}
}

static void on_wakeup(struct report *r, const struct trace_event *e)
{
	struct report_thread *t = thread_in(r, e, "pid", "comm");

	if (t && !t->runs_since && !t->runnable_since)
		t->runnable_since = e->time;
}

static void on_call(struct report *r, const struct trace_event *e, const struct call_event *call)
{
	struct report_thread *t = thread_of(r, e->tid);
	struct report_call *c = call_of(r, call->name);
	s64 ret;

	r->has_entries |= !call->is_exit;
	r->has_exits |= call->is_exit;
	if (!call->is_exit) {
		c->n_entries++;
		t->call_since = e->time;
		t->call = c->name;
		return;
	}
	ret = event_number(e, "ret");
	c->n_exits++;
	c->n_errors += ret < 0 && ret >= -4095;
	if (t->call_since && streq(t->call, c->name))
		add_span(&c->times, t->call_since, e->time);
	t->call_since = 0;
}

/* ---- gaps */

static void forget(struct report *r, u64 edge)
{
	for (u32 i = 0; i < r->running.n; i++)
		if (r->running.v[i] && !store_gap_hides(r->tables, edge, i))
			r->running.v[i]->goes_on = true;
		else
			r->running.v[i] = NULL;
	for (u32 i = 0; i < r->threads.n; i++) {
		struct report_thread *t = r->threads.v[i];

		if (!t->goes_on)
			t->runs_since = t->runnable_since = t->call_since = 0;
		t->goes_on = false;
	}
}

static void pass_gaps(struct report *r, u64 time)
{
	u64 edge;

	while ((edge = store_gap_edge(r->tables, r->gaps_to, time))) {
		forget(r, edge);
		r->gaps_to = edge;
	}
	r->gaps_to = time;
}

static const struct {
	const char *name;
	void (*take)(struct report *r, const struct trace_event *e);
} takers[] = { { "sched:sched_switch", on_switch },
	       { "sched:sched_waking", on_wakeup },
	       { "sched:sched_wakeup", on_wakeup },
	       { "sched:sched_wakeup_new", on_wakeup } };

void report_add(struct report *r, const struct trace_event *e)
{
	struct call_event call;

	if (r->tables && r->tables->gaps.n && e->time > r->gaps_to)
		pass_gaps(r, e->time);
	event_of(r, e->format->name)->n++;
	if (e->tid) {
		struct report_thread *t = thread_of(r, e->tid);

		name_thread(t, e->comm, (u32)strnlen(e->comm, sizeof t->comm));
		t->n_events++;
	}
	for (u32 i = 0; i < ARRAY_SIZE(takers); i++)
		if (streq(takers[i].name, e->format->name))
			takers[i].take(r, e);
	if (call_of_event(e, &call))
		on_call(r, e, &call);
}

/* ---- order */

static int descending(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_count(const void *a, const void *b)
{
	const struct report_event *const *x = a, *const *y = b;
	int order = descending((*x)->n, (*y)->n);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

static int by_cpu(const void *a, const void *b)
{
	const struct report_thread *const *x = a, *const *y = b;
	int order = descending((*x)->on_cpu.sum, (*y)->on_cpu.sum);

	if (!order)
		order = descending((*x)->n_events, (*y)->n_events);
	return order ? order : descending((*y)->tid, (*x)->tid);
}

static int by_time(const void *a, const void *b)
{
	const struct report_call *const *x = a, *const *y = b;
	int order = descending((*x)->times.sum, (*y)->times.sum);

	if (!order)
		order = descending((*x)->n_entries + (*x)->n_exits,
				   (*y)->n_entries + (*y)->n_exits);
	return order ? order : strcmp((*x)->name, (*y)->name);
}

void report_sort(struct report *r)
{
	if (r->events.n)
		qsort(r->events.v, r->events.n, sizeof *r->events.v, by_count);
	if (r->threads.n)
		qsort(r->threads.v, r->threads.n, sizeof *r->threads.v, by_cpu);
	if (r->calls.n)
		qsort(r->calls.v, r->calls.n, sizeof *r->calls.v, by_time);
}

void report_release(struct report *r)
{
	hash_release(&r->by_event);
	hash_release(&r->by_tid);
	hash_release(&r->by_call);
	arena_release(&r->arena);
}
