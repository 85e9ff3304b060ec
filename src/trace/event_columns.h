/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace event as perf script prints it, without the end of the line; the name of the event is
 * padded to that of the longest one, the thread's is not if there are stacks below:
 *
 *	            bash  3812 [001]  3204.562194: sched:sched_process_fork: comm=bash pid=3812 ...
 */
#ifndef SONDE_TRACE_EVENT_COLUMNS_H
#define SONDE_TRACE_EVENT_COLUMNS_H

#include "base/err.h"
#include "trace/event_text.h"
#include "trace/sink.h"

/* In the order of their columns; names as those of perf script -F. */
#define EVENT_COLUMNS(X)                                                                           \
	X(comm)                                                                                    \
	X(pid)                                                                                     \
	X(tid)                                                                                     \
	X(cpu)                                                                                     \
	X(misc)                                                                                    \
	X(tod)                                                                                     \
	X(time)                                                                                    \
	X(period)                                                                                  \
	X(event)                                                                                   \
	X(trace)                                                                                   \
	X(ip)                                                                                      \
	X(sym)                                                                                     \
	X(symoff)                                                                                  \
	X(dso)

enum event_column {
#define X(name) COLUMN_##name,
	EVENT_COLUMNS(X)
#undef X
		N_EVENT_COLUMNS
};

struct event_columns {
	u32 set;        /* bits: 1 << enum event_column */
	u32 name_width; /* of the events */
	s64 to_real;    /* what to add to a time for nanoseconds since 1970 */
	bool in_ns;     /* times: nanoseconds, not microseconds */
	enum { TIME_SINCE_BOOT, TIME_SINCE_FIRST, TIME_SINCE_LAST } times;
	bool was_chosen, has_stacks; /* by -F; the file may have stacks */
	u64 first_ns, last_ns;
	bool has_first;
};

/* What lines have without -F: with the stacks if the events have them. */
void event_columns_default(struct event_columns *c, bool has_stacks);
/*
 * One value of -F: "comm,tid,time,ip,sym", or "+pid,-cpu" for what to add to and to remove from the
 * columns so far, "trace:" before them for tracepoints only, which recorded events are; those of
 * "hw:", "sw:" change nothing. 0, or -EINVAL with err set.
 */
int event_columns_take(struct event_columns *c, const char *list, struct err *err);
/* Whether they fit together, after the last event_columns_take(). 0, or -EINVAL with err set. */
int event_columns_check(const struct event_columns *c, struct err *err);
/* Up to the stack. a: where the format is parsed, once. names: as for event_text(). */
void event_columns_line(struct buf *b, struct arena *a, const struct names *names,
			const struct trace_event *e, struct event_columns *c);
/*
 * The end of the line and the stacks, the kernel's first:
 *
 *		ffffffff816c8064 __x64_sys_execve+0x34 ([kernel.kallsyms])
 *		           d4409 _exit+0x29 (/usr/lib/x86_64-linux-gnu/libc.so.6)
 *
 * The number of a user frame is its offset in the file, if that is known. Unless columns were
 * chosen, a line says why a stack is not complete; perf has none. False: the columns have no
 * stacks.
 */
bool event_columns_stacks(struct buf *b, const struct names *names, const struct trace_event *e,
			  const struct event_columns *c);

#endif
