/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses are added up by their reasons; gaps are found by the times of chunks. */
#include "base/buf.h"
#include "store/gaps.h"
#include "store/internal.h"

/* A recorder keeps events for CHUNK_NS (store/write.h), and looks at their age now and then. */
#define KEPT_NS 1000000000ull
enum { MOST_GAPS = 200 }; /* of a file; further ones make the last one longer */

/* ---- gaps */

static bool is_known(const struct store_tables *t, const struct store_gap *gap)
{
	for (u32 i = 0; i < t->gaps.n; i++)
		if (t->gaps.v[i].from <= gap->from && t->gaps.v[i].to >= gap->to &&
		    (t->gaps.v[i].cpu == gap->cpu || t->gaps.v[i].cpu == CHUNK_NO_CPU))
			return true;
	return false;
}

void store_note_gap(struct store *s, struct store_gap gap)
{
	struct store_tables *t = &s->t;
	u32 at;

	if (gap.to <= gap.from || is_known(t, &gap))
		return;
	if (t->gaps.n == MOST_GAPS) {
		struct store_gap *last = &t->gaps.v[MOST_GAPS - 1];

		last->from = MIN(last->from, gap.from);
		last->to = MAX(last->to, gap.to);
		last->cpu = CHUNK_NO_CPU;
		return;
	}
	vec_push(&s->arena, &t->gaps, gap);
	for (at = t->gaps.n - 1; at && t->gaps.v[at - 1].from > gap.from; at--)
		t->gaps.v[at] = t->gaps.v[at - 1];
	t->gaps.v[at] = gap;
}

/* The earliest end of a chunk that is there. What was overwritten ended before it. */
static u64 first_end(const struct store *s)
{
	u64 time = ~0ull;

	for (u32 i = 0; i < s->n_lanes; i++)
		for (u32 k = 0; s->lanes[i] && k < s->lanes[i]->chunks.n; k++)
			time = MIN(time, s->lanes[i]->chunks.v[k].t1);
	return time;
}

/* The earliest time from which on a processor may have events that were not written. */
static u64 last_written(const struct store *s)
{
	u64 kept = s->t.t1 - MIN(s->t.t1 - s->t.t0, KEPT_NS), time = s->t.t1;

	for (u32 i = 0; i < s->n_lanes; i++) {
		const struct lane *l = s->lanes[i];

		time = MIN(time, l && l->chunks.n ? l->chunks.v[l->chunks.n - 1].latest : kept);
	}
	return s->n_lanes < s->t.head.n_cpus ? kept : MAX(time, kept);
}

void store_note_ends(struct store *s, bool is_whole)
{
	const struct store_tables *t = &s->t;

	if (!t->n_events)
		return;
	if (t->n_written > t->n_chunks)
		store_note_gap(s, (struct store_gap){ t->t0, MIN(first_end(s), t->t1), CHUNK_NO_CPU,
						      0 });
	if (!is_whole)
		store_note_gap(s, (struct store_gap){ last_written(s), t->t1, CHUNK_NO_CPU, 0 });
}

u64 store_gap_edge(const struct store_tables *t, u64 after, u64 to)
{
	u64 edge = 0;

	for (u32 i = 0; i < t->gaps.n; i++) {
		const u64 ends[] = { t->gaps.v[i].from, t->gaps.v[i].to };

		for (u32 k = 0; k < ARRAY_SIZE(ends); k++)
			if (ends[k] > after && ends[k] <= to && (!edge || ends[k] < edge))
				edge = ends[k];
	}
	return edge;
}

bool store_gap_hides(const struct store_tables *t, u64 edge, u32 cpu)
{
	for (u32 i = 0; i < t->gaps.n; i++) {
		const struct store_gap *g = &t->gaps.v[i];

		if ((g->from == edge || g->to == edge) && (g->cpu == cpu || g->cpu == CHUNK_NO_CPU))
			return true;
	}
	return false;
}

/* ---- sentences */

/* Of all rows with the reason of row i; 0: an earlier row has it. */
static u64 sum_of_reason(const struct store_tables *t, u32 i)
{
	u64 sum = 0;

	for (u32 k = 0; k < t->losses.n; k++) {
		if (!streq(t->losses.v[k].why, t->losses.v[i].why))
			continue;
		if (k < i)
			return 0;
		sum += t->losses.v[k].count;
	}
	return sum;
}

void store_tell_gaps(const struct store *s, const char *path,
		     void (*tell)(void *ctx, const char *line), void *ctx)
{
	const struct store_tables *t = &s->t;
	struct buf b = { 0 };

	if (s->damage[0]) {
		buf_printf(&b, "%s is damaged: %s; everything readable was read", path, s->damage);
		tell(ctx, b.s);
	}
	for (u32 i = 0; i < t->losses.n; i++) {
		u64 sum = sum_of_reason(t, i);

		buf_clear(&b);
		buf_printf(&b, "%s lacks %llu events that were lost (%s)", path,
			   (unsigned long long)sum, t->losses.v[i].why);
		if (sum)
			tell(ctx, b.s);
	}
	buf_release(&b);
}
