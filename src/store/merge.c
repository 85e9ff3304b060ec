/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: the chunks of all processors. Out: their events in the order of time; a heap has the next one
 * of each. */
#include <stdlib.h>
#include "store/gaps.h"
#include "store/internal.h"

static u64 time_of(const struct lane *l)
{
	return l->cursor.events[l->cursor.at].time;
}

/* The next chunk of the lane that has events in the range; false: there is none. */
static bool load(struct store *s, struct lane *l)
{
	while (l->next_chunk < l->end_chunk) {
		const struct store_chunk *chunk = &l->chunks.v[l->next_chunk++];

		if (chunk->t1 < s->from || chunk->t0 > s->to)
			continue;
		if (store_cursor_load(&l->cursor, chunk))
			return true;
		store_note_gap(s, (struct store_gap){ chunk->t0, chunk->t1, chunk->cpu, 0 });
	}
	return false;
}

static bool load_first(struct store *s, struct lane *l, u32 cpu)
{
	u32 n;
	const struct store_chunk *first =
		store_chunks(s, cpu, s->from, MIN(s->to, ~0ull - 1) + 1, &n);

	l->next_chunk = n ? (u32)(first - l->chunks.v) : 0;
	l->end_chunk = l->next_chunk + n;
	return load(s, l);
}

static bool is_earlier(const struct lane *a, const struct lane *b)
{
	u64 ta = time_of(a), tb = time_of(b);

	return ta != tb ? ta < tb : a->cursor.cpu < b->cursor.cpu;
}

static void sink_down(struct store *s, u32 at)
{
	struct lane **h = s->heap;

	for (;;) {
		u32 child = 2 * at + 1;
		struct lane *l = h[at];

		if (child + 1 < s->n_heap && is_earlier(h[child + 1], h[child]))
			child++;
		if (child >= s->n_heap || !is_earlier(h[child], l))
			return;
		h[at] = h[child];
		h[child] = l;
		at = child;
	}
}

static void begin(struct store *s)
{
	s->began = true;
	free(s->heap);
	s->heap = xcalloc(s->n_lanes + 1, sizeof *s->heap);
	s->n_heap = 0;
	for (u32 i = 0; i < s->n_lanes; i++)
		if (s->lanes[i] && load_first(s, s->lanes[i], i))
			s->heap[s->n_heap++] = s->lanes[i];
	for (u32 i = s->n_heap; i-- > 0;)
		sink_down(s, i);
}

static void drop_first(struct store *s)
{
	struct lane *l = s->heap[0];

	if (++l->cursor.at == l->cursor.n_events && !load(s, l))
		s->heap[0] = s->heap[--s->n_heap];
	if (s->n_heap)
		sink_down(s, 0);
}

static bool next_in_span(struct store *s, struct trace_event *e)
{
	if (!s->began)
		begin(s);
	else if (s->n_heap)
		drop_first(s);
	for (; s->n_heap; drop_first(s)) {
		const struct lane *l = s->heap[0];
		u64 time = time_of(l);

		if (time < s->from || time > s->to)
			continue;
		store_cursor_give(&l->cursor, e);
		return true;
	}
	return false;
}

static void take_span(struct store *s, u32 i)
{
	s->from = s->spans[i].from;
	s->to = s->spans[i].to;
	s->next_span = i + 1;
	s->began = false;
}

bool store_next(struct store *s, struct trace_event *e)
{
	while (!next_in_span(s, e)) {
		if (s->next_span >= s->n_spans)
			return false;
		take_span(s, s->next_span);
	}
	return true;
}

void store_rewind(struct store *s)
{
	s->began = false;
	if (s->n_spans)
		take_span(s, 0);
}

void store_spans(struct store *s, const struct store_span *v, u32 n)
{
	s->spans = v;
	s->n_spans = n;
	take_span(s, 0);
}

void store_range(struct store *s, u64 from, u64 to)
{
	s->one = (struct store_span){ from, to };
	store_spans(s, &s->one, 1);
}
