/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace event's record -> text, as its "print fmt" says. */
#ifndef SONDE_TRACE_EVENT_TEXT_H
#define SONDE_TRACE_EVENT_TEXT_H

#include "base/buf.h"
#include "trace/names.h"
#include "type/event_format.h"

/* The record's first len bytes; what lies beyond reads as zero. names may be NULL. The format is parsed on
 * first use and kept in f->parsed, allocated in a. A format that cannot be understood prints the members
 * instead: "next_pid=3 next_comm=sh". */
void event_text(struct buf *b, struct arena *a, const struct names *names, struct event_format *f,
		const void *record, u32 len);

#endif
