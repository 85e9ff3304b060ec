/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of the kernel's ring buffer: ring_page.h has the layout. */
#include "import/ring_page.h"

enum {
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
	DELTA_BITS = 27,
};

#define COMMIT_MASK ((1u << 27) - 1)
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30)

bool ring_page_begin(struct ring_page *p, struct cursor page)
{
	u32 commit, len;
	struct cursor after;

	*p = (struct ring_page){ .time = take_u64(&page) };
	commit = (u32)take_u64(&page);
	len = commit & COMMIT_MASK;
	if (len > cursor_left(&page))
		return false;
	after = page;
	take_bytes(&after, len);
	p->has_missed = commit & MISSED_EVENTS;
	if (p->has_missed && commit & MISSED_STORED)
		p->missed = take_u64(&after);
	page.end = page.at + len;
	p->events = page;
	return true;
}

/* An event: its length in words, or in the word that follows. False: the page ends with it. *record
 * NULL: it is none. */
static bool take_event(struct ring_page *p, const u8 **record, u32 *size)
{
	struct cursor *c = &p->events;
	u32 head = take_u32(c), type = head & 31, delta = head >> 5, len = type * 4;

	*record = NULL;
	if (type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP) {
		u64 wide = ((u64)take_u32(c) << DELTA_BITS) + delta;

		/* a stamp lacks the highest bits of the time */
		p->time = type == TYPE_TIME_EXTEND ? p->time + wide :
						     (p->time & ~(~0ull >> 5)) | wide;
		return !c->failed;
	}
	if (type == TYPE_PADDING && !delta)
		return false;
	if (type == TYPE_PADDING || !type)
		len = take_u32(c) - 4;
	p->time += delta;
	*record = take_bytes(c, ALIGN_UP((u64)len, 4ull));
	*size = len;
	if (type == TYPE_PADDING)
		*record = NULL;
	return !c->failed;
}

bool ring_page_next(struct ring_page *p, const u8 **record, u32 *len)
{
	while (cursor_left(&p->events) && take_event(p, record, len))
		if (*record)
			return true;
	return false;
}
