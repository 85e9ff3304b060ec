/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the index of a file that was closed, else the heads of its chunks, one after the other. Out:
 * the chunks of events of each processor, searched by time, and how many events of each format they
 * have.
 */
#include <stdlib.h>
#include "store/counts.h"
#include "store/internal.h"

static struct lane *lane_of(struct store *s, u32 cpu)
{
	if (cpu >= s->n_lanes) {
		s->lanes = xrealloc(s->lanes, (cpu + 1) * sizeof *s->lanes);
		memset(s->lanes + s->n_lanes, 0, (cpu + 1 - s->n_lanes) * sizeof *s->lanes);
		s->n_lanes = cpu + 1;
	}
	if (!s->lanes[cpu]) {
		s->lanes[cpu] = xcalloc(1, sizeof(struct lane));
		s->lanes[cpu]->cursor.store = s;
		s->lanes[cpu]->cursor.cpu = cpu;
	}
	return s->lanes[cpu];
}

static void note_events(struct store *s, const struct store_chunk *c)
{
	vec_push(&s->arena, &lane_of(s, c->cpu)->chunks, *c);
	s->t.t0 = s->t.n_events ? MIN(s->t.t0, c->t0) : c->t0;
	s->t.t1 = MAX(s->t.t1, c->t1);
	s->t.n_events += c->n_events;
}

/* Chunks of kinds that are not known are passed over. */
static void note_chunk(struct store *s, const struct chunk_head *h, u64 offset)
{
	if (h->kind == CHUNK_GONE)
		return;
	s->t.n_chunks++;
	s->t.n_written = MAX(s->t.n_written, h->number + 1);
	if (h->kind == CHUNK_EVENTS)
		note_events(s, &(struct store_chunk){ .offset = offset,
						      .t0 = h->t0,
						      .t1 = h->t1,
						      .n_events = h->count,
						      .cpu = h->cpu });
	else
		store_read_table(s, h, offset);
}

/* ---- without an index */

/* False: it ends too early. */
static bool scan(struct store *s)
{
	u64 offset = s->t.head.size;
	struct chunk_head h;

	while (offset < s->t.size && !s->damage[0]) {
		if (s->t.was_closed && offset == s->t.size - sizeof(struct file_end))
			return true;
		if (!store_read_head(s, &h, offset))
			return false;
		note_chunk(s, &h, offset);
		offset += sizeof h + h.stored_len;
	}
	return false;
}

/* ---- the index */

static void note_index_row(struct store *s, const struct index_row *row)
{
	struct chunk_head h;

	if (row->kind == CHUNK_EVENTS) {
		s->t.n_chunks++;
		s->t.n_written = MAX(s->t.n_written, row->number + 1);
		note_events(s, &(struct store_chunk){ .offset = row->offset,
						      .t0 = row->t0,
						      .t1 = row->t1,
						      .n_events = row->count,
						      .cpu = row->cpu,
						      .first_count = row->first_count,
						      .n_counts = row->n_counts });
	} else if (row->kind == CHUNK_COUNTS) {
		vec_push(&s->arena, &s->count_chunks, row->offset);
	} else if (store_read_head(s, &h, row->offset)) {
		note_chunk(s, &h, row->offset);
	}
}

/* Its chunks follow each other up to the file's end. Adds their rows. */
static bool read_index_rows(struct store *s, u64 offset, struct buf *rows)
{
	const u64 end = s->t.size - sizeof(struct file_end);

	while (offset < end) {
		struct chunk_head h;

		if (!store_read_head(s, &h, offset) || h.kind != CHUNK_INDEX ||
		    h.raw_len != (u64)h.count * sizeof(struct index_row) ||
		    !store_read_whole(s, &h, offset))
			return false;
		buf_add(rows, s->body.s, h.raw_len);
		offset += sizeof h + h.stored_len;
	}
	return offset == end;
}

static bool has_end(const struct store *s, struct file_end *end)
{
	const u64 room = s->t.head.size + sizeof(struct chunk_head) + sizeof *end;

	return s->t.size >= room && store_read_at(s, end, sizeof *end, s->t.size - sizeof *end) &&
	       !memcmp(end->magic, STORE_END_MAGIC, sizeof end->magic);
}

/* False: there is none that can be used. */
static bool read_index(struct store *s)
{
	struct buf rows = { 0 };
	struct index_row row;
	struct file_end end;
	bool is_good;

	s->t.was_closed = has_end(s, &end);
	is_good = s->t.was_closed && read_index_rows(s, end.index_offset, &rows);
	if (!is_good)
		s->damage[0] = '\0'; /* nothing is lost: chunks tell the same */
	for (size_t at = 0; is_good && at < rows.len; at += sizeof row) {
		memcpy(&row, rows.s + at, sizeof row);
		note_index_row(s, &row);
	}
	buf_release(&rows);
	return is_good;
}

/* ---- in the order of time */

/* A probe that interrupts another may have an earlier time in a later chunk. */
static void order_chunks(struct lane *l)
{
	u64 latest = 0, earliest = ~0ull;

	for (u32 i = 0; i < l->chunks.n; i++) {
		latest = MAX(latest, l->chunks.v[i].t1);
		l->chunks.v[i].latest = latest;
	}
	for (u32 i = l->chunks.n; i-- > 0;) {
		earliest = MIN(earliest, l->chunks.v[i].t0);
		l->chunks.v[i].earliest = earliest;
	}
}

bool store_find_chunks(struct store *s)
{
	bool is_whole = read_index(s) || scan(s);

	for (u32 i = 0; i < s->n_lanes; i++)
		if (s->lanes[i])
			order_chunks(s->lanes[i]);
	/* text of ftrace does not say how many there were */
	s->t.head.n_cpus = MAX(s->t.head.n_cpus, s->n_lanes);
	return is_whole;
}

u32 store_cpus(const struct store *s)
{
	return s->n_lanes;
}

/* The first chunk that begins or ends at that time or later. */
static u32 first_at(const struct lane *l, u64 time, bool ends)
{
	u32 low = 0, high = l->chunks.n;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		const struct store_chunk *c = &l->chunks.v[middle];

		if ((ends ? c->latest : c->earliest) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct store_chunk *store_chunks(const struct store *s, u32 cpu, u64 from, u64 to, u32 *n)
{
	const struct lane *l = cpu < s->n_lanes ? s->lanes[cpu] : NULL;
	u32 first, end;

	*n = 0;
	if (!l)
		return NULL;
	first = first_at(l, from, true);
	end = first_at(l, to, false);
	if (first < end)
		*n = end - first;
	return l->chunks.v + first;
}

/* ---- counts */

static void read_counts(struct store *s)
{
	s->has_counts = true;
	for (u32 i = 0; i < s->count_chunks.n; i++) {
		u64 offset = s->count_chunks.v[i];
		struct chunk_head h;

		if (!store_read_head(s, &h, offset) || h.kind != CHUNK_COUNTS ||
		    h.raw_len != (u64)h.count * sizeof(struct store_count) ||
		    !store_read_whole(s, &h, offset))
			return;
		buf_add(&s->counts, s->body.s, h.raw_len);
	}
}

static const struct store_count *count_rows(const struct store *s, const struct store_chunk *c)
{
	return (const struct store_count *)(const void *)s->counts.s + c->first_count;
}

/* False: the index has none of it. */
static bool has_counts(const struct store *s, const struct store_chunk *c)
{
	u64 sum = 0;

	if (((u64)c->first_count + c->n_counts) * sizeof(struct store_count) > s->counts.len)
		return false;
	for (u32 i = 0; i < c->n_counts; i++)
		sum += count_rows(s, c)[i].n;
	return sum == c->n_events;
}

static void count_chunk(struct store *s, struct store_chunk *c)
{
	struct chunk_head h;

	c->first_count = c->n_counts = 0;
	if (!store_read_head(s, &h, c->offset) || h.kind != CHUNK_EVENTS ||
	    !store_read_whole(s, &h, c->offset))
		return;
	c->first_count = (u32)(s->counts.len / sizeof(struct store_count));
	c->n_counts = counts_of_chunk(&s->counts, &h, (const u8 *)s->body.s);
}

const struct store_count *store_counts(struct store *s, const struct store_chunk *c, u32 *n)
{
	struct store_chunk *own = (struct store_chunk *)(uintptr_t)c; /* of this room */

	if (!s->has_counts)
		read_counts(s);
	if (!has_counts(s, c))
		count_chunk(s, own);
	*n = c->n_counts;
	return c->n_counts ? count_rows(s, c) : NULL;
}

const struct event_format *store_format_of(const struct store *s, u32 number)
{
	return number < 0x10000 ? s->by_id[number] : NULL;
}

u64 store_lost_between(const struct store *s, u64 from, u64 to)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->t.losses.n; i++)
		if (s->t.losses.v[i].time >= from && s->t.losses.v[i].time < to)
			sum += s->t.losses.v[i].count;
	return sum;
}
