/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of the kernel's ring buffer (kernel/trace/ring_buffer.c), as per_cpu/cpuN/trace_pipe_raw
 * and trace.dat have it:
 *
 *	u64 time; u64 commit: length, flags of what was lost; events; the number of lost events, if it had room
 *
 * An event is a word, 5 bits of its type or length and 27 of the time since the one before, and its
 * record. Not trusted.
 */
#ifndef SONDE_IMPORT_RING_PAGE_H
#define SONDE_IMPORT_RING_PAGE_H

#include "base/cursor.h"

enum { RING_PAGE_HEAD = 16 };

struct ring_page {
	struct cursor events; /* failed: the page ends within an event */
	u64 time;             /* of the next event, when ring_page_next() has added its delta */
	bool has_missed;      /* events were lost before this page */
	u64 missed;           /* how many; 0: not known */
};

/* False: it is longer than pages are. */
bool ring_page_begin(struct ring_page *p, struct cursor page);
/* The next event; false: there is none. record is in the page. */
bool ring_page_next(struct ring_page *p, const u8 **record, u32 *len);

#endif
