/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lengths of trace events' records. */
#include "type/event_format.h"

u32 event_fixed_size(const struct event_format *e)
{
	u32 size = 8;

	for (u32 i = 0; i < e->n_members; i++)
		size = MAX(size, e->members[i].offset + e->members[i].size);
	return size;
}

u32 event_length(const struct event_format *e, const void *record, u32 len)
{
	u32 end = e->fixed_size;

	for (u32 i = 0; i < e->n_members && e->is_dynamic; i++) {
		const struct event_member *m = &e->members[i];
		u32 word;

		if (!m->data_loc || m->offset + 4 > len)
			continue;
		memcpy(&word, (const u8 *)record + m->offset, 4);
		end = MAX(end,
			  (m->data_loc == 2 ? m->offset + 4 : 0) + (word & 0xffff) + (word >> 16));
	}
	return MIN(end, len);
}

const struct event_member *event_member(const struct event_format *f, const char *name)
{
	for (u32 i = 0; i < f->n_members; i++)
		if (streq(f->members[i].name, name))
			return &f->members[i];
	return NULL;
}
