/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trace event as a line of ftrace's text, and the parts of lines that other layouts share
 * (event_columns.h). */
#ifndef SONDE_TRACE_EVENT_LINE_H
#define SONDE_TRACE_EVENT_LINE_H

#include "trace/event_text.h"
#include "trace/sink.h"

enum { EVENT_COMM_LEN = 16 };

/* The beginning of such a line: " bash-3812 [001] 3204.562194: ". comm: 16 bytes, not terminated if
 * it fills them. */
void event_line_head(struct buf *b, const struct names *names, const char *comm, u32 tid, u32 cpu,
		     u64 time_ns);
/* " bash-3812 [001] 3204.562194: sched_process_fork: comm=bash ..."; a: where the format is parsed,
 * once. names: as for event_text(). */
void event_line_ftrace(struct buf *b, struct arena *a, const struct names *names,
		       const struct trace_event *e);
/* Its stacks, as that file has them: a line "<stack trace>", then " => function+0x12" for each
 * frame. */
void event_stacks_ftrace(struct buf *b, const struct names *names, const struct trace_event *e);
/* The name of the event's thread: not terminated if it fills 16 bytes. Idle threads are "swapper"
 * to perf, whatever their processor. */
const char *event_comm(const struct trace_event *e, u32 *len);

/* ---- parts */
/* A number of at least `width` characters. */
void event_line_number(struct buf *b, u64 n, u32 width, char pad);
/* Seconds and microseconds, cut off as perf and ftrace do, or nanoseconds: " 3204.562194: " */
void event_line_time(struct buf *b, u64 ns, bool in_ns);
/* "[001] " */
void event_line_cpu(struct buf *b, u32 cpu);
/* Text of the traced system since `start`, on a terminal without its control characters. */
void event_line_clean(struct buf *b, const struct names *names, size_t start);

#endif
