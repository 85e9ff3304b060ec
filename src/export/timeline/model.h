/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the events of a recording mean: which thread each processor runs, what each thread does, who
 * wakes whom, system calls, interrupts. Events go in in the order of time, spans come out, each
 * when it ends. A span whose beginning or end was not recorded is none: a gap is not smoothed over.
 */
#ifndef SONDE_EXPORT_TIMELINE_MODEL_H
#define SONDE_EXPORT_TIMELINE_MODEL_H

#include "base/hash.h"
#include "store/read.h"

/* view/data.js has the same numbers. */
enum lane_kind {
	LANE_CPU,     /* key: processor; arg: task */
	LANE_TASK,    /* key: task; arg: enum task_state; extra: of the state */
	LANE_CALL,    /* key: task; arg: name; extra: what it returned, zigzag */
	LANE_IRQ,     /* key: processor; arg: name */
	LANE_SOFTIRQ, /* the same */
	/* an instant. key: task that is woken; arg: its waker; extra: processor of the waker */
	LANE_WAKE,
	LANE_EVENT, /* an instant. key: format; arg: task; extra: processor */
	N_LANE_KINDS
};

enum task_state {
	STATE_UNKNOWN,  /* or it has ended */
	STATE_RUNNING,  /* extra: processor */
	STATE_RUNNABLE, /* extra: 1 + the task that woke it; 0: preempted, or never slept */
	STATE_SLEEPING, /* interruptible */
	STATE_BLOCKED,  /* not interruptible: input and output, most often */
	STATE_STOPPED,  /* extra: prev_state */
};

/* What a thread does after a switch away from it. */
enum task_state model_state_after(s64 prev_state);

struct timeline_span {
	enum lane_kind kind;
	u32 key;
	bool is_open; /* its end is not reached */
	u64 t0, t1;   /* equal: an instant */
	u64 arg, extra;
};

struct timeline_task { /* number 0: the idle threads */
	u32 tid, pid;  /* pid 0: not known */
	char comm[COMM_SIZE + 1];
};

/* What is known at a time. Plain memory: a copy of its arrays is a copy of it. */
struct task_now {
	u64 since, call_since; /* 0: not known; no call */
	u32 state, extra, call, reserved;
};
struct cpu_now {
	u64 since, irq_since, softirq_since;
	u32 task, irq, softirq, reserved;
};
struct timeline_now {
	struct task_now *tasks; /* by number */
	struct cpu_now *cpus;
	u32 n_tasks, n_cpus, task_room, cpu_room;
	u64 gaps_to; /* ends of gaps up to this time are taken into account */
};

struct model { /* model_init(), model_release() */
	struct arena arena;
	const struct store_tables *tables;
	struct event_role *roles; /* by event_format.stored, from 1 */
	VEC(struct timeline_task) tasks;
	VEC(const char *) names; /* of system calls and interrupts */
	struct hash by_tid, by_name;
	u32 n_call_names, call_names[1024]; /* by number: 1 + name */
	/* Which of these a recording has, for what a view needs. */
	bool has_switches, has_wakeups, has_calls, has_interrupts, has_stacks;
};

typedef void timeline_emit(void *ctx, const struct timeline_span *s);

/* Numbers the formats (number_formats()). */
void model_init(struct model *m, const struct store_tables *t);
void model_release(struct model *m);
u32 model_task(struct model *m, u32 tid);
/* The event changes *now, and spans that end with it are emitted. */
void model_event(struct model *m, struct timeline_now *now, const struct trace_event *e,
		 timeline_emit *emit, void *ctx);
/* Emits what has begun and not ended, up to `end`. */
void model_open_spans(const struct timeline_now *now, u64 end, timeline_emit *emit, void *ctx);

/* The next beginning or end of a gap of the file up to that time; 0: there is none. What is known
 * before it is to be forgotten. */
u64 model_gap(const struct model *m, struct timeline_now *now, u64 to);
/* Emits what has begun and is not known any more then, up to there. */
void model_forget(const struct model *m, struct timeline_now *now, u64 edge, timeline_emit *emit,
		  void *ctx);

void now_copy(struct timeline_now *to, const struct timeline_now *from);
void now_release(struct timeline_now *now);
size_t now_bytes(const struct timeline_now *now);

#endif
