/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: the body of a chunk, which is not trusted. Events are counted by rows first, as they name
 * these. */
#include <stdlib.h>
#include "store/bytes.h"
#include "store/counts.h"

u32 counts_put(struct buf *rows, u32 *by_format, u32 n)
{
	u32 n_rows = 0;

	for (u32 i = 0; i < n; i++) {
		struct store_count row = { i, by_format[i] };

		if (!row.n)
			continue;
		buf_add(rows, &row, sizeof row);
		by_format[i] = 0;
		n_rows++;
	}
	return n_rows;
}

struct chunk_rows {
	u16 *format; /* of each row */
	u32 *count;
	u32 *by_format;
};

static bool read_formats(struct chunk_rows *r, u32 n, struct bytes *b, u32 stacks_len)
{
	for (u32 i = 0; i < n; i++) {
		const void *at = bytes_take(b, sizeof(struct event_row));
		struct event_row row;

		if (!at)
			return false;
		memcpy(&row, at, sizeof row);
		r->format[i] = row.format;
		if (!bytes_take(b, (size_t)stacks_len + row.len))
			return false;
	}
	return true;
}

static bool count_rows(struct chunk_rows *r, const struct chunk_head *h, struct bytes *b)
{
	for (u32 i = 0; i < h->count; i++) {
		u64 row;

		bytes_varint(b); /* the time */
		row = bytes_varint(b);
		if (row >= h->n_rows)
			return false;
		r->count[row]++;
	}
	return true;
}

static bool count(struct chunk_rows *r, const struct chunk_head *h, const u8 *raw)
{
	struct bytes all = { raw, raw + h->raw_len }, rows;
	struct events_head eh;

	memcpy(&eh, bytes_take(&all, sizeof eh), sizeof eh);
	rows.at = bytes_take(&all, eh.rows_len);
	rows.end = all.at;
	return rows.at && read_formats(r, h->n_rows, &rows, eh.stacks_len) &&
	       count_rows(r, h, &all);
}

u32 counts_of_chunk(struct buf *rows, const struct chunk_head *h, const u8 *raw)
{
	enum { N_FORMATS = 1 << 16 };
	struct chunk_rows r;
	u32 n = 0;

	if (h->raw_len < sizeof(struct events_head) ||
	    h->n_rows > h->raw_len / sizeof(struct event_row))
		return 0;
	r.format = xcalloc(h->n_rows + 1ul, sizeof *r.format);
	r.count = xcalloc(h->n_rows + 1ul, sizeof *r.count);
	r.by_format = xcalloc(N_FORMATS, sizeof *r.by_format);
	if (count(&r, h, raw)) {
		for (u32 i = 0; i < h->n_rows; i++)
			r.by_format[r.format[i]] += r.count[i];
		n = counts_put(rows, r.by_format, N_FORMATS);
	}
	free(r.format);
	free(r.count);
	free(r.by_format);
	return n;
}
