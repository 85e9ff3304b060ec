/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arguments of a tracepoint (rawtracepoint:sched_switch: prev, next) as far as its record has
 * them (prev_pid, prev_comm, prev_state ...). They are for recordings, which have only the record.
 * A task is a structure of the known members, after the words of the arguments:
 *
 *	u64 common | u64 word[RAW_ARGS] | struct raw_task task[RAW_TASKS]
 */
#ifndef SONDE_SYM_RAW_EVENTS_H
#define SONDE_SYM_RAW_EVENTS_H

#include "sym/tracefs.h"

enum { RAW_ARGS = 8, RAW_TASKS = 2 };

struct raw_task { /* names as in the kernel's struct task_struct */
	s32 pid, tgid;
	char comm[16];
	u32 state, exit_state; /* since 5.14: __state */
	s32 prio;
	u32 reserved;
};

struct raw_context {
	u64 common; /* the kernel's words, which programs must not read */
	u64 word[RAW_ARGS];
	struct raw_task task[RAW_TASKS];
};

enum raw_kind {
	RAW_NONE,
	RAW_NUMBER,
	RAW_PREEMPTED, /* true if the state is R+: sched_switch */
	RAW_TASK,
};

struct raw_place { /* a field of the record; size 0: none */
	u32 offset, size;
	bool is_signed;
};

struct raw_arg {
	const char *name;
	enum raw_kind kind;
	u32 index;              /* of word or task */
	struct raw_place value; /* of a task: its pid */
	struct raw_place comm, state, prio;
};

struct raw_event {
	struct raw_arg arg[RAW_ARGS];
	u32 n;
};

/* NULL: the arguments of the tracepoint are not known. */
const struct raw_event *raw_event(struct arena *a, const struct tp_format *f);
/* Fills the context from a record of len bytes; tgid_of() maps a thread to its process. */
void raw_context_fill(struct raw_context *to, const struct raw_event *e, const void *record,
		      u32 len, u32 (*tgid_of)(void *ctx, u32 tid), void *ctx);

#endif
