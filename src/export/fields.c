/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of a record by name. A record may be shorter than its format says. */
#include "export/export.h"

void number_formats(const struct store_tables *t)
{
	for (u32 i = 0; i < t->formats.n; i++)
		t->formats.v[i]->stored = i + 1;
}

const u8 *event_bytes(const struct trace_event *e, const struct event_member *m, u32 *len)
{
	u32 offset = m->offset, size = m->size, word = 0;

	if (!e->len) { /* a format alone, without a record */
		*len = 0;
		return (const u8 *)"";
	}
	if (m->data_loc) {
		if (m->offset + 4 <= e->len)
			memcpy(&word, (const u8 *)e->record + m->offset, 4);
		offset = (m->data_loc == 2 ? m->offset + 4 : 0) + (word & 0xffff);
		size = word >> 16;
	}
	offset = MIN(offset, e->len);
	*len = MIN(size, e->len - offset);
	return (const u8 *)e->record + offset;
}

s64 event_value(const struct trace_event *e, const struct event_member *m)
{
	u32 len;
	const u8 *at = event_bytes(e, m, &len);
	u64 n = 0;

	if (!len || len < m->size || len > 8)
		return 0;
	memcpy(&n, at, len);
	if (m->is_signed && len < 8 && n >> (8 * len - 1) & 1)
		n |= ~0ull << 8 * len;
	return (s64)n;
}

s64 event_number(const struct trace_event *e, const char *name)
{
	const struct event_member *m = event_member(e->format, name);

	return m ? event_value(e, m) : 0;
}

const char *event_string(const struct trace_event *e, const char *name, u32 *len)
{
	const struct event_member *m = event_member(e->format, name);
	const char *at = m ? (const char *)event_bytes(e, m, len) : "";

	*len = m ? (u32)strnlen(at, *len) : 0;
	return at;
}
