/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input: events in the order of time. Output: spans.
 *
 * A switch away from a thread ends its stay on the processor only if the last switch there was to
 * that thread, as in sonde report. A thread that sleeps becomes runnable when it is woken:
 * sched_waking comes before sched_wakeup, and the first of them counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include "export/calls.h"
#include "export/export.h"
#include "export/timeline/model.h"
#include "store/gaps.h"

enum { MOST_MEMBERS = 5 };

struct event_role {
	void (*take)(struct model *m, struct timeline_now *now, const struct trace_event *e,
		     timeline_emit *emit, void *ctx);
	const struct event_member *members[MOST_MEMBERS];
	u32 name; /* of a named system call */
	bool is_raw;
};

/* ---- tables that grow */

static void *grow(void *old, u32 *n, u32 *room, u32 wanted, size_t size)
{
	if (wanted > *room) {
		*room = wanted + wanted / 2 + 8;
		old = xrealloc(old, *room * size);
	}
	if (wanted > *n) {
		memset((char *)old + *n * size, 0, (wanted - *n) * size);
		*n = wanted;
	}
	return old;
}

static struct task_now *task_now(struct timeline_now *now, u32 task)
{
	now->tasks = grow(now->tasks, &now->n_tasks, &now->task_room, task + 1, sizeof *now->tasks);
	return &now->tasks[task];
}

static struct cpu_now *cpu_now(struct timeline_now *now, u32 cpu)
{
	now->cpus = grow(now->cpus, &now->n_cpus, &now->cpu_room, cpu + 1, sizeof *now->cpus);
	return &now->cpus[cpu];
}

void now_copy(struct timeline_now *to, const struct timeline_now *from)
{
	to->tasks = grow(to->tasks, &to->n_tasks, &to->task_room, from->n_tasks, sizeof *to->tasks);
	to->cpus = grow(to->cpus, &to->n_cpus, &to->cpu_room, from->n_cpus, sizeof *to->cpus);
	to->n_tasks = from->n_tasks;
	to->n_cpus = from->n_cpus;
	to->gaps_to = from->gaps_to;
	if (from->n_tasks)
		memcpy(to->tasks, from->tasks, from->n_tasks * sizeof *to->tasks);
	if (from->n_cpus)
		memcpy(to->cpus, from->cpus, from->n_cpus * sizeof *to->cpus);
}

void now_release(struct timeline_now *now)
{
	free(now->tasks);
	free(now->cpus);
	*now = (struct timeline_now){ 0 };
}

size_t now_bytes(const struct timeline_now *now)
{
	return now->task_room * sizeof *now->tasks + now->cpu_room * sizeof *now->cpus;
}

u32 model_task(struct model *m, u32 tid)
{
	/* 0 is in no table: entries are one more than the number. */
	uintptr_t at = (uintptr_t)hash_get(&m->by_tid, &tid, sizeof tid);
	u32 *key;

	if (at)
		return (u32)at - 1;
	key = arena_new(&m->arena, u32);
	*key = tid;
	vec_push(&m->arena, &m->tasks, (struct timeline_task){ .tid = tid });
	hash_put(&m->by_tid, key, sizeof *key, (void *)(uintptr_t)m->tasks.n);
	return m->tasks.n - 1;
}

static u32 name_number(struct model *m, const char *text, size_t len)
{
	char *name = arena_strndup(&m->arena, text, len);
	uintptr_t at = (uintptr_t)hash_gets(&m->by_name, name);

	if (at)
		return (u32)at - 1;
	vec_push(&m->arena, &m->names, name);
	hash_puts(&m->by_name, name, (void *)(uintptr_t)m->names.n);
	return m->names.n - 1;
}

static void name_task(struct model *m, u32 task, const char *comm, size_t len)
{
	struct timeline_task *t = &m->tasks.v[task];

	if (!task || !len || (!strncmp(t->comm, comm, len) && !t->comm[len]))
		return;
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, comm, MIN(len, sizeof t->comm - 1));
}

/* ---- members of the event: a task's number and name, and numbers */

static const struct event_role *role_of(const struct model *m, const struct trace_event *e)
{
	return &m->roles[e->format->stored];
}

static s64 number_in(const struct model *m, const struct trace_event *e, u32 member)
{
	const struct event_member *at = role_of(m, e)->members[member];

	return at ? event_value(e, at) : 0;
}

static u32 task_in(struct model *m, const struct trace_event *e, u32 pid, u32 comm)
{
	const struct event_member *name = role_of(m, e)->members[comm];
	u32 task = model_task(m, (u32)number_in(m, e, pid)), len;
	const char *at;

	if (name) {
		at = (const char *)event_bytes(e, name, &len);
		name_task(m, task, at, strnlen(at, MIN(len, (u32)COMM_SIZE)));
	}
	return task;
}

/* ---- threads and processors */

struct emitter {
	timeline_emit *emit;
	void *ctx;
};

static void end_state(const struct emitter *to, struct task_now *t, u32 task, u64 time)
{
	if (t->since && t->state != STATE_UNKNOWN)
		to->emit(to->ctx, &(struct timeline_span){ .kind = LANE_TASK,
							   .key = task,
							   .t0 = t->since,
							   .t1 = time,
							   .arg = t->state,
							   .extra = t->extra });
}

static void begin_state(struct task_now *t, enum task_state state, u32 extra, u64 time)
{
	t->state = state;
	t->extra = extra;
	t->since = time;
}

/* TASK_REPORT of the kernel: 1 interruptible, 2 not, 0x10 and 0x20 ended, 0x80 dead (before 4.14);
 * 0x100 is preempted (TASK_REPORT_MAX). */
enum task_state model_state_after(s64 prev_state)
{
	if (!prev_state || prev_state & 0x100)
		return STATE_RUNNABLE;
	if (prev_state & 0xb0)
		return STATE_UNKNOWN;
	if (prev_state & 1)
		return STATE_SLEEPING;
	return prev_state & 2 ? STATE_BLOCKED : STATE_STOPPED;
}

static void leave(const struct emitter *to, struct timeline_now *now, u32 cpu, u32 prev, u64 time)
{
	const struct cpu_now *c = cpu_now(now, cpu);
	struct task_now *t = task_now(now, prev);

	if (c->since && c->task == prev) {
		if (prev)
			to->emit(to->ctx, &(struct timeline_span){ .kind = LANE_CPU,
								   .key = cpu,
								   .t0 = c->since,
								   .t1 = time,
								   .arg = prev });
		if (t->state == STATE_RUNNING)
			end_state(to, t, prev, time);
		return;
	}
	if (c->since && c->task && task_now(now, c->task)->state == STATE_RUNNING)
		task_now(now, c->task)->state = STATE_UNKNOWN;
}

enum { PREV_PID, PREV_STATE, NEXT_PID, PREV_COMM, NEXT_COMM };

static void on_switch(struct model *m, struct timeline_now *now, const struct trace_event *e,
		      timeline_emit *emit, void *ctx)
{
	const struct emitter to = { emit, ctx };
	u32 prev = task_in(m, e, PREV_PID, PREV_COMM), next = task_in(m, e, NEXT_PID, NEXT_COMM);
	s64 state = number_in(m, e, PREV_STATE);
	struct task_now *t;
	struct cpu_now *c;

	leave(&to, now, e->cpu, prev, e->time);
	if (prev) {
		enum task_state after = model_state_after(state);

		t = task_now(now, prev);
		begin_state(t, after, after == STATE_STOPPED ? (u32)state & 0xff : 0, e->time);
		if (after == STATE_UNKNOWN)
			t->call_since = 0; /* exit() does not return */
	}
	c = cpu_now(now, e->cpu);
	c->task = next;
	c->since = e->time;
	if (!next)
		return;
	t = task_now(now, next);
	if (t->state != STATE_RUNNING)
		end_state(&to, t, next, e->time);
	begin_state(t, STATE_RUNNING, e->cpu, e->time);
}

static void on_wakeup(struct model *m, struct timeline_now *now, const struct trace_event *e,
		      timeline_emit *emit, void *ctx)
{
	const struct emitter to = { emit, ctx };
	u32 task = task_in(m, e, 0, 1), waker = model_task(m, e->tid);
	struct task_now *t = task_now(now, task);

	if (!task || t->state == STATE_RUNNING || t->state == STATE_RUNNABLE)
		return;
	end_state(&to, t, task, e->time);
	begin_state(t, STATE_RUNNABLE, 1 + waker, e->time);
	emit(ctx, &(struct timeline_span){ .kind = LANE_WAKE,
					   .key = task,
					   .t0 = e->time,
					   .t1 = e->time,
					   .arg = waker,
					   .extra = e->cpu });
}

/* ---- system calls */

/* Names are read once: their texts are valid until the next call_of_event(). */
static u32 call_name(struct model *m, const struct trace_event *e)
{
	const struct event_role *r = role_of(m, e);
	u64 nr = r->is_raw ? (u64)number_in(m, e, 0) : 0;
	struct call_event call;
	u32 name;

	if (!r->is_raw)
		return r->name;
	if (nr < ARRAY_SIZE(m->call_names) && m->call_names[nr])
		return m->call_names[nr] - 1;
	call_of_event(e, &call);
	name = name_number(m, call.name, strlen(call.name));
	if (nr < ARRAY_SIZE(m->call_names))
		m->call_names[nr] = name + 1;
	return name;
}

static void on_enter(struct model *m, struct timeline_now *now, const struct trace_event *e,
		     timeline_emit *emit, void *ctx)
{
	struct task_now *t = task_now(now, model_task(m, e->tid));

	t->call = call_name(m, e);
	t->call_since = e->time;
}

static void on_exit_call(struct model *m, struct timeline_now *now, const struct trace_event *e,
			 timeline_emit *emit, void *ctx)
{
	u32 task = model_task(m, e->tid);
	struct task_now *t = task_now(now, task);
	s64 ret = number_in(m, e, 1);

	if (t->call_since && t->call == call_name(m, e))
		emit(ctx, &(struct timeline_span){ .kind = LANE_CALL,
						   .key = task,
						   .t0 = t->call_since,
						   .t1 = e->time,
						   .arg = t->call,
						   .extra = (u64)ret << 1 ^ (u64)(ret >> 63) });
	t->call_since = 0;
}

/* ---- interrupts */

static void on_irq_entry(struct model *m, struct timeline_now *now, const struct trace_event *e,
			 timeline_emit *emit, void *ctx)
{
	const struct event_member *name = role_of(m, e)->members[1];
	struct cpu_now *c = cpu_now(now, e->cpu);
	char text[64];
	u32 len = 0;
	const char *at = name ? (const char *)event_bytes(e, name, &len) : "";

	snprintf(text, sizeof text, "%lld %.*s", (long long)number_in(m, e, 0), (int)len, at);
	c->irq = name_number(m, text, strlen(text));
	c->irq_since = e->time;
}

static void end_interrupt(const struct emitter *to, struct timeline_span s, u64 *since)
{
	if (*since) {
		s.t0 = *since;
		to->emit(to->ctx, &s);
	}
	*since = 0;
}

static void on_irq_exit(struct model *m, struct timeline_now *now, const struct trace_event *e,
			timeline_emit *emit, void *ctx)
{
	struct cpu_now *c = cpu_now(now, e->cpu);

	end_interrupt(&(struct emitter){ emit, ctx },
		      (struct timeline_span){
			      .kind = LANE_IRQ, .key = e->cpu, .t1 = e->time, .arg = c->irq },
		      &c->irq_since);
}

static void on_softirq_entry(struct model *m, struct timeline_now *now, const struct trace_event *e,
			     timeline_emit *emit, void *ctx)
{
	/* enum of include/linux/interrupt.h */
	static const char *const softirqs[] = { "HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
						"IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU" };
	struct cpu_now *c = cpu_now(now, e->cpu);
	u64 vec = (u64)number_in(m, e, 0);
	const char *name = vec < ARRAY_SIZE(softirqs) ? softirqs[vec] : "?";

	c->softirq = name_number(m, name, strlen(name));
	c->softirq_since = e->time;
}

static void on_softirq_exit(struct model *m, struct timeline_now *now, const struct trace_event *e,
			    timeline_emit *emit, void *ctx)
{
	struct cpu_now *c = cpu_now(now, e->cpu);

	end_interrupt(
		&(struct emitter){ emit, ctx },
		(struct timeline_span){
			.kind = LANE_SOFTIRQ, .key = e->cpu, .t1 = e->time, .arg = c->softirq },
		&c->softirq_since);
}

/* ---- which event means what */

static const struct role_row {
	const char *name;
	void (*take)(struct model *m, struct timeline_now *now, const struct trace_event *e,
		     timeline_emit *emit, void *ctx);
	const char *members[MOST_MEMBERS];
	u32 n_needed; /* the first ones: a recording of a script has only what it reads */
	size_t has;   /* the flag of struct model to set */
} rows[] = {
#define HAS(flag) offsetof(struct model, flag)
	{ "sched:sched_switch",
	  on_switch,
	  { "prev_pid", "prev_state", "next_pid", "prev_comm", "next_comm" },
	  3,
	  HAS(has_switches) },
	{ "sched:sched_waking", on_wakeup, { "pid", "comm" }, 1, HAS(has_wakeups) },
	{ "sched:sched_wakeup", on_wakeup, { "pid", "comm" }, 1, HAS(has_wakeups) },
	{ "sched:sched_wakeup_new", on_wakeup, { "pid", "comm" }, 1, HAS(has_wakeups) },
	{ "irq:irq_handler_entry", on_irq_entry, { "irq", "name" }, 1, HAS(has_interrupts) },
	{ "irq:irq_handler_exit", on_irq_exit, { "irq" }, 1, HAS(has_interrupts) },
	{ "irq:softirq_entry", on_softirq_entry, { "vec" }, 1, HAS(has_interrupts) },
	{ "irq:softirq_exit", on_softirq_exit, { "vec" }, 1, HAS(has_interrupts) },
	/* of the calls themselves: any name of calls.c */
	{ "", on_enter, { "id" }, 0, HAS(has_calls) },
	{ "", on_exit_call, { "id", "ret" }, 0, HAS(has_calls) },
#undef HAS
};

static const struct role_row *row_of(const struct trace_event *e, struct call_event *call)
{
	const struct role_row *calls = &rows[ARRAY_SIZE(rows) - 2];

	for (u32 i = 0; i < ARRAY_SIZE(rows) - 2; i++)
		if (streq(rows[i].name, e->format->name))
			return &rows[i];
	return call_of_event(e, call) ? calls + call->is_exit : NULL;
}

static void role_init(struct model *m, struct event_format *f)
{
	struct event_role *r = &m->roles[f->stored];
	struct call_event call = { 0 };
	const struct role_row *row = row_of(&(struct trace_event){ .format = f }, &call);

	if (!row)
		return;
	for (u32 i = 0; i < MOST_MEMBERS; i++)
		r->members[i] = row->members[i] ? event_member(f, row->members[i]) : NULL;
	for (u32 i = 0; i < row->n_needed; i++)
		if (!r->members[i])
			return;
	r->take = row->take;
	r->is_raw = call.is_raw;
	if (call.name && !call.is_raw)
		r->name = name_number(m, call.name, strlen(call.name));
	*(bool *)((char *)m + row->has) = true;
}

void model_init(struct model *m, const struct store_tables *t)
{
	*m = (struct model){ .tables = t };
	arena_init(&m->arena);
	number_formats(t);
	m->roles = arena_alloc(&m->arena, (t->formats.n + 1) * sizeof *m->roles);
	memset(m->roles, 0, (t->formats.n + 1) * sizeof *m->roles);
	for (u32 i = 0; i < t->formats.n; i++)
		role_init(m, t->formats.v[i]);
	model_task(m, 0);
	for (u32 i = 0; i < t->tasks.n; i++) {
		const struct task_row *row = &t->tasks.v[i];
		u32 task = model_task(m, row->tid);

		m->tasks.v[task].pid = row->pid;
		name_task(m, task, row->comm, strnlen(row->comm, sizeof row->comm));
	}
}

void model_release(struct model *m)
{
	hash_release(&m->by_tid);
	hash_release(&m->by_name);
	arena_release(&m->arena);
}

void model_event(struct model *m, struct timeline_now *now, const struct trace_event *e,
		 timeline_emit *emit, void *ctx)
{
	const struct event_role *r = role_of(m, e);
	u32 task = model_task(m, e->tid);

	if (task) {
		name_task(m, task, e->comm, strnlen(e->comm, COMM_SIZE));
		m->tasks.v[task].pid = e->pid;
	}
	m->has_stacks |= e->has_stacks;
	if (r->take)
		r->take(m, now, e, emit, ctx);
	emit(ctx, &(struct timeline_span){ .kind = LANE_EVENT,
					   .key = e->format->stored - 1,
					   .t0 = e->time,
					   .t1 = e->time,
					   .arg = task,
					   .extra = e->cpu });
}

/* ---- what has begun */

static void open_span(const struct emitter *to, struct timeline_span s)
{
	s.is_open = true;
	if (s.t0)
		to->emit(to->ctx, &s);
}

static void open_cpu(const struct emitter *to, const struct cpu_now *c, u32 cpu, u64 end)
{
	if (c->task)
		open_span(to, (struct timeline_span){ .kind = LANE_CPU,
						      .key = cpu,
						      .t0 = c->since,
						      .t1 = end,
						      .arg = c->task });
	open_span(to, (struct timeline_span){ .kind = LANE_IRQ,
					      .key = cpu,
					      .t0 = c->irq_since,
					      .t1 = end,
					      .arg = c->irq });
	open_span(to, (struct timeline_span){ .kind = LANE_SOFTIRQ,
					      .key = cpu,
					      .t0 = c->softirq_since,
					      .t1 = end,
					      .arg = c->softirq });
}

static void open_task(const struct emitter *to, const struct task_now *t, u32 task, u64 end)
{
	if (t->state != STATE_UNKNOWN)
		open_span(to, (struct timeline_span){ .kind = LANE_TASK,
						      .key = task,
						      .t0 = t->since,
						      .t1 = end,
						      .arg = t->state,
						      .extra = t->extra });
	open_span(to, (struct timeline_span){ .kind = LANE_CALL,
					      .key = task,
					      .t0 = t->call_since,
					      .t1 = end,
					      .arg = t->call });
}

void model_open_spans(const struct timeline_now *now, u64 end, timeline_emit *emit, void *ctx)
{
	const struct emitter to = { emit, ctx };

	for (u32 i = 0; i < now->n_cpus; i++)
		open_cpu(&to, &now->cpus[i], i, end);
	for (u32 i = 1; i < now->n_tasks; i++)
		open_task(&to, &now->tasks[i], i, end);
}

/* ---- gaps */

u64 model_gap(const struct model *m, struct timeline_now *now, u64 to)
{
	u64 edge;

	if (!m->tables->gaps.n || to <= now->gaps_to)
		return 0;
	edge = store_gap_edge(m->tables, now->gaps_to, to);
	now->gaps_to = edge ? edge : to;
	return edge;
}

static void emit_nothing(void *ctx, const struct timeline_span *s)
{
}

/* Threads that run on a processor without a gap go on there. */
static bool goes_on(const struct model *m, const struct task_now *t, u64 edge)
{
	return t->state == STATE_RUNNING && !store_gap_hides(m->tables, edge, (u32)t->extra);
}

void model_forget(const struct model *m, struct timeline_now *now, u64 edge, timeline_emit *emit,
		  void *ctx)
{
	const struct emitter to = { emit, ctx }, nothing = { emit_nothing, NULL };
	/* in a recording of some processes others may have left the processor unseen */
	const struct emitter *running = m->tables->head.scope ? &nothing : &to;

	for (u32 i = 0; i < now->n_cpus; i++)
		if (store_gap_hides(m->tables, edge, i)) {
			open_cpu(running, &now->cpus[i], i, edge);
			now->cpus[i] = (struct cpu_now){ 0 };
		}
	for (u32 i = 1; i < now->n_tasks; i++)
		if (!goes_on(m, &now->tasks[i], edge)) {
			open_task(now->tasks[i].state == STATE_RUNNING ? running : &to,
				  &now->tasks[i], i, edge);
			now->tasks[i] = (struct task_now){ 0 };
		}
}
