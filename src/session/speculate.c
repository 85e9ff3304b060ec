/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the records of speculations. After speculate($s) the records of a probe have the number $s
 * and are kept in order until commit($s) shows them or discard($s) drops them. At the end of the
 * run the others are dropped. The number of kept bytes is limited: a record above the limit is
 * shown at once, so that nothing is lost.
 */
#include <stdlib.h>
#include "session/run.h"

enum { MAX_SPECULATED = 64 << 20 };

struct speculation {
	struct speculation *next;
	u32 number;
	struct buf records;
};

static struct speculation **find(struct speculations *all, u32 number)
{
	struct speculation **s = &all->first;

	while (*s && (*s)->number != number)
		s = &(*s)->next;
	return s;
}

bool speculation_keep(struct speculations *all, u32 number, const void *record, u32 len)
{
	struct speculation **s = find(all, number);
	u32 head[2] = { len, 0 };

	if (all->bytes + len > MAX_SPECULATED)
		return false;
	if (!*s) {
		*s = xcalloc(1, sizeof **s);
		(*s)->number = number;
	}
	buf_add(&(*s)->records, head, sizeof head);
	buf_add(&(*s)->records, record, len);
	buf_pad(&(*s)->records, 0, ALIGN_UP(len, 8u) - len);
	all->bytes += sizeof head + ALIGN_UP(len, 8u);
	return true;
}

struct buf speculation_take(struct speculations *all, u32 number)
{
	struct speculation **at = find(all, number), *s = *at;
	struct buf records = { 0 };

	if (!s)
		return records;
	records = s->records;
	all->bytes -= records.len;
	*at = s->next;
	free(s);
	return records;
}

void speculations_release(struct speculations *all)
{
	while (all->first) {
		struct buf b = speculation_take(all, all->first->number);

		buf_release(&b);
	}
}
