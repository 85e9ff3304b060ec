/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trace event as a line of text. */
#ifndef SONDE_TRACE_EVENT_LINE_H
#define SONDE_TRACE_EVENT_LINE_H

#include "trace/event_text.h"
#include "trace/sink.h"

/*
 * As perf script prints it, without the end of the line; the name of the event is padded to
 * name_width, the thread's is not if the events have stacks:
 *
 *	            bash  3812 [001]  3204.562194: sched:sched_process_fork: comm=bash pid=3812 ...
 *
 * a: where the format is parsed, once. names: as for event_text().
 */
void event_line_perf(struct buf *b, struct arena *a, const struct names *names,
		     const struct trace_event *e, u32 name_width);
/* The beginning of such a line of ftrace: "            bash-3812    [001]  3204.562194: ". comm: 16 bytes, not
 * terminated if it fills them. */
void event_line_head(struct buf *b, const struct names *names, const char *comm, u32 tid, u32 cpu,
		     u64 time_ns);
/* As ftrace prints it: "            bash-3812    [001]  3204.562194: sched_process_fork: comm=bash ..." */
void event_line_ftrace(struct buf *b, struct arena *a, const struct names *names,
		       const struct trace_event *e);
/* The name of the event's thread: not terminated if it fills 16 bytes. Idle threads are "swapper"
 * to perf, whatever their processor. */
const char *event_comm(const struct trace_event *e, u32 *len);

#endif
