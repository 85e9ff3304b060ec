/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats a trace event's record by its "print fmt". */
#ifndef SONDE_TRACE_EVENT_TEXT_H
#define SONDE_TRACE_EVENT_TEXT_H

#include "base/buf.h"
#include "trace/names.h"
#include "type/event_format.h"

/* record: its first len bytes; bytes after them read as zero. names may be NULL. The format is
 * parsed on first use and cached in f->parsed, allocated in a. If it cannot be parsed, the
 * members are printed: "next_pid=3 next_comm=sh". */
void event_text(struct buf *b, struct arena *a, const struct names *names, struct event_format *f,
		const void *record, u32 len);

/* Looks up what the format names in the kernel's types, which may take seconds, and parses it:
 * before events come. */
void event_prepare(struct arena *a, const struct names *names, struct event_format *f);

/* The members that the text shows as functions of the kernel: "%ps". At most `most`; returns their
 * number. */
u32 event_symbols(struct arena *a, const struct names *names, struct event_format *f,
		  const struct event_member **members, u32 most);

#endif
