/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: the body of a chunk of events, which is not trusted. Out: its events in the order of time. */
#include <stdlib.h>
#include "store/internal.h"

static s64 unzigzag(u64 v)
{
	return (s64)(v >> 1 ^ -(v & 1));
}

static void *room_for(void *old, u32 *room, u32 n, size_t size)
{
	if (n <= *room)
		return old;
	*room = n + n / 2;
	return xrealloc(old, *room * size);
}

/* Offsets of the rows. */
static bool read_rows(struct store_cursor *c, u32 n, u32 from, u32 to)
{
	const u32 head = (u32)sizeof(struct event_row) + c->stacks_len;
	u32 at = from;

	c->rows = room_for(c->rows, &c->rows_room, n, sizeof *c->rows);
	for (u32 i = 0; i < n; i++) {
		struct event_row row;

		if (to - at < head)
			return false;
		memcpy(&row, c->raw + at, sizeof row);
		if (row.len < sizeof(struct common_fields) || row.len > to - at - head ||
		    !c->store->by_id[row.format])
			return false;
		c->rows[i] = at;
		at += head + row.len;
	}
	return true;
}

/* A probe that interrupts another one has the later time and the earlier record. */
static void sort_events(struct store_cursor *c)
{
	for (u32 i = 1; i < c->n_events; i++) {
		struct decoded e = c->events[i];
		u32 at = i;

		for (; at && c->events[at - 1].time > e.time; at--)
			c->events[at] = c->events[at - 1];
		c->events[at] = e;
	}
}

/* How out of order times may be before sorting them by insertion takes long. */
enum { MOST_BACKWARDS = 1000 };

static bool read_stream(struct store_cursor *c, const struct chunk_head *h, u64 base, u32 from)
{
	struct bytes b = { c->raw + from, c->raw + h->raw_len };
	u32 backwards = 0;
	u64 time = base;

	c->events = room_for(c->events, &c->events_room, h->count, sizeof *c->events);
	for (c->n_events = 0; c->n_events < h->count; c->n_events++) {
		s64 later = unzigzag(bytes_varint(&b));
		u64 row = bytes_varint(&b);

		if (row >= h->n_rows)
			return false;
		backwards += later < 0;
		time += (u64)later;
		c->events[c->n_events] = (struct decoded){ time, c->rows[row] };
	}
	if (backwards > MOST_BACKWARDS)
		return false;
	if (backwards)
		sort_events(c);
	return true;
}

static bool decode(struct store_cursor *c, const struct chunk_head *h)
{
	struct events_head eh;
	u32 rows = sizeof eh;

	if (h->raw_len < sizeof eh)
		return false;
	memcpy(&eh, c->raw, sizeof eh);
	c->stacks_len = eh.stacks_len;
	if ((eh.stacks_len && eh.stacks_len != sizeof(struct row_stacks)) ||
	    eh.rows_len > h->raw_len - rows || h->count > h->raw_len / 2 ||
	    h->n_rows > eh.rows_len / sizeof(struct event_row))
		return false;
	return read_rows(c, h->n_rows, rows, rows + eh.rows_len) &&
	       read_stream(c, h, eh.base, rows + eh.rows_len);
}

/* An index that is not that of this file would hide events. */
static bool is_as_indexed(const struct chunk_head *h, const struct store_chunk *chunk)
{
	return h->kind == CHUNK_EVENTS && h->cpu == chunk->cpu && h->count == chunk->n_events &&
	       h->t0 == chunk->t0 && h->t1 == chunk->t1;
}

bool store_cursor_load(struct store_cursor *c, const struct store_chunk *chunk)
{
	struct chunk_head h;

	c->at = c->n_events = 0;
	if (!store_read_head(c->store, &h, chunk->offset))
		return false;
	if (h.raw_len >= c->raw_room)
		c->raw = xrealloc(c->raw, c->raw_room = h.raw_len + 1ul);
	if (!store_read_body(c->store, &h, chunk->offset, c->raw))
		return false;
	if (is_as_indexed(&h, chunk) && decode(c, &h) && c->n_events)
		return true;
	store_note_damage(c->store, chunk->offset, "a chunk has impossible events");
	c->n_events = 0;
	return false;
}

static void give_stacks(const struct store *s, const u8 *at, struct trace_event *e)
{
	struct row_stacks stacks;

	memcpy(&stacks, at, sizeof stacks);
	for (u32 i = 0; i < N_STACK_SIDES; i++) {
		const struct stack_frames *f =
			stacks.number[i] < s->stacks_room ? s->stacks[stacks.number[i]] : NULL;

		if (f)
			e->stack[i] = (struct event_stack){ f->ips, f->n };
	}
}

void store_cursor_give(const struct store_cursor *c, struct trace_event *e)
{
	const struct decoded *d = &c->events[c->at];
	const u8 *at = c->raw + d->row, *record = at + sizeof(struct event_row) + c->stacks_len;
	struct event_row row;

	memcpy(&row, at, sizeof row);
	*e = (struct trace_event){ .time = d->time,
				   .pid = row.pid,
				   .cpu = c->cpu,
				   .comm = (const char *)at + offsetof(struct event_row, comm),
				   .format = c->store->by_id[row.format],
				   .record = record,
				   .has_stacks = c->stacks_len,
				   .len = row.len };
	if (c->stacks_len)
		give_stacks(c->store, at + sizeof row, e);
	memcpy(&e->tid, record + offsetof(struct common_fields, tid), sizeof e->tid);
}

void store_cursor_release(struct store_cursor *c)
{
	free(c->raw);
	free(c->events);
	free(c->rows);
}

/* ---- one chunk for a reader */

struct store_cursor *store_chunk_open(struct store *s, const struct store_chunk *chunk)
{
	struct store_cursor *c = xcalloc(1, sizeof *c);

	c->store = s;
	c->cpu = chunk->cpu;
	if (store_cursor_load(c, chunk))
		return c;
	store_chunk_close(c);
	return NULL;
}

bool store_chunk_next(struct store_cursor *c, struct trace_event *e)
{
	if (c->at >= c->n_events)
		return false;
	store_cursor_give(c, e);
	c->at++;
	return true;
}

void store_chunk_seek(struct store_cursor *c, u64 time)
{
	u32 low = 0, high = c->n_events;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (c->events[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	c->at = low;
}

void store_chunk_close(struct store_cursor *c)
{
	if (c)
		store_cursor_release(c);
	free(c);
}
