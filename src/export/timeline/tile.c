/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: spans in the order of their ends. Out: records, merged where they are shorter than a step. */
#include <stdlib.h>
#include "export/timeline/tile.h"

enum { IS_MERGED = 1, IS_OPEN = 2, KIND_SHIFT = 2, KEY_SHIFT = 5 };

static void put_record(struct tiler *t, u64 code, u64 t0, u64 len, u64 arg, u64 extra)
{
	s64 later = (s64)(t0 - t->last);

	buf_varint(&t->out, code);
	buf_varint(&t->out, (u64)later << 1 ^ (u64)(later >> 63));
	buf_varint(&t->out, len);
	buf_varint(&t->out, arg);
	buf_varint(&t->out, extra);
	t->last = t0;
}

static u64 code_of(u32 kind, u32 key)
{
	return (u64)key << KEY_SHIFT | kind << KIND_SHIFT;
}

/* Of 255. Any time at all is at least 1. */
static u64 share_of(const struct tiler *t, u64 ns)
{
	return MIN(255, (ns * 255 + t->step - 1) / t->step);
}

static void put_cell(struct tiler *t, u32 kind, u32 key, struct tile_cell *c)
{
	put_record(t, code_of(kind, key) | IS_MERGED, c->step * t->step, t->step, c->arg,
		   (u64)c->n << 16 | share_of(t, c->waits) << 8 | share_of(t, c->filled));
	*c = (struct tile_cell){ 0 };
}

static struct tile_cell *cell_of(struct tiler *t, u32 kind, u32 key)
{
	if (key >= t->n_cells[kind]) {
		u32 n = key + key / 2 + 8;

		t->cells[kind] = xrealloc(t->cells[kind], n * sizeof(struct tile_cell));
		memset(t->cells[kind] + t->n_cells[kind], 0,
		       (n - t->n_cells[kind]) * sizeof(struct tile_cell));
		t->n_cells[kind] = n;
	}
	return &t->cells[kind][key];
}

static void merge(struct tiler *t, const struct timeline_span *s, struct tile_cell *c)
{
	u64 len = s->t1 - s->t0, step = (s->t0 - t->origin) / t->step;

	if (c->n && c->step != step)
		put_cell(t, s->kind, s->key, c);
	c->step = step;
	if (s->kind != LANE_TASK || s->arg == STATE_RUNNING)
		c->filled += len;
	else if (s->arg == STATE_RUNNABLE)
		c->waits += len;
	if (!c->n++ || len >= c->longest) {
		c->longest = len;
		c->arg = s->arg;
	}
}

void tiler_add(struct tiler *t, const struct timeline_span *s)
{
	struct tile_cell *c = t->step ? cell_of(t, s->kind, s->key) : NULL;

	t->n_events += s->kind == LANE_EVENT;
	if (c && s->t1 - s->t0 < t->step) {
		merge(t, s, c);
		return;
	}
	if (c && c->n)
		put_cell(t, s->kind, s->key, c);
	put_record(t, code_of(s->kind, s->key) | (s->is_open ? IS_OPEN : 0), s->t0 - t->origin,
		   s->t1 - s->t0, s->arg, s->extra);
}

void tiler_end(struct tiler *t, struct buf *to)
{
	for (u32 kind = 0; kind < N_LANE_KINDS; kind++)
		for (u32 key = 0; key < t->n_cells[kind]; key++)
			if (t->cells[kind][key].n)
				put_cell(t, kind, key, &t->cells[kind][key]);
	buf_clear(to);
	buf_varint(to, t->step);
	buf_varint(to, t->n_events);
	buf_add(to, t->out.s ? t->out.s : "", t->out.len);
	buf_clear(&t->out);
	t->last = t->n_events = 0;
}

void tiler_copy(struct tiler *to, const struct tiler *from)
{
	*to = *from;
	to->out = (struct buf){ 0 };
	buf_add(&to->out, from->out.s ? from->out.s : "", from->out.len);
	for (u32 kind = 0; kind < N_LANE_KINDS; kind++) {
		size_t n = from->n_cells[kind] * sizeof(struct tile_cell);

		to->cells[kind] = n ? xrealloc(NULL, n) : NULL;
		if (n)
			memcpy(to->cells[kind], from->cells[kind], n);
	}
}

void tiler_release(struct tiler *t)
{
	for (u32 kind = 0; kind < N_LANE_KINDS; kind++)
		free(t->cells[kind]);
	buf_release(&t->out);
}
