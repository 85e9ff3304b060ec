/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over the file makes the tiles of the first levels at once: each span goes to the tile of
 * each level in which it ends. What has begun and not ended when a tile does is in it as far as its
 * end, marked as open.
 *
 * The store has one place. A tile that is made on demand moves it; the pass then returns to its
 * own. So it stops only between events of different times, and a checkpoint is taken only there.
 */
#include <stdlib.h>
#include "export/timeline/timeline.h"

u64 timeline_tile_len(const struct timeline *t, u32 level)
{
	u64 n = 1ull << 2 * level, len = t->to - t->from + 1;

	return MAX(len / n + (len % n != 0), 1);
}

static u64 tile_start(const struct timeline *t, u32 level, u64 index)
{
	return t->from + index * timeline_tile_len(t, level);
}

static u64 step_of(const struct timeline *t, u32 level)
{
	return timeline_tile_len(t, level) / TIMELINE_STEPS;
}

void timeline_init(struct timeline *t, struct store *s, u64 from, u64 to, u64 most_bytes)
{
	const struct store_tables *tables = store_tables(s);

	*t = (struct timeline){ .store = s, .most_bytes = most_bytes };
	model_init(&t->model, tables);
	t->from = MAX(from, tables->t0);
	t->to = MAX(MIN(to, tables->t1), t->from);
	t->done_to = t->from;
	t->n_between = MAX(tables->n_events / TIMELINE_CHECKPOINTS, 1000);
	for (u32 k = 0; k < TIMELINE_LEVELS; k++) {
		t->levels[k].tiles = xcalloc(1ull << 2 * k, sizeof(struct buf));
		t->levels[k].tiler.origin = t->from;
		t->levels[k].tiler.step = step_of(t, k);
	}
}

static void drop_level(struct timeline_level *l)
{
	for (u32 i = 0; l->tiles && i < l->n_done; i++)
		buf_release(&l->tiles[i]);
	free(l->tiles);
	l->tiles = NULL;
	tiler_release(&l->tiler);
	l->tiler = (struct tiler){ 0 };
}

static void drop_checkpoint(struct timeline_checkpoint *c)
{
	now_release(&c->now);
	free(c);
}

void timeline_release(struct timeline *t)
{
	for (u32 k = 0; k < TIMELINE_LEVELS; k++)
		drop_level(&t->levels[k]);
	for (u32 i = 0; i < t->checkpoints.n; i++)
		drop_checkpoint(t->checkpoints.v[i]);
	now_release(&t->now);
	model_release(&t->model);
}

/* ---- the pass */

static void emit_to_levels(void *ctx, const struct timeline_span *s)
{
	struct timeline *t = ctx;

	for (u32 k = 0; k < TIMELINE_LEVELS; k++)
		if (t->levels[k].tiles)
			tiler_add(&t->levels[k].tiler, s);
}

static void emit_to_tiler(void *ctx, const struct timeline_span *s)
{
	tiler_add(ctx, s);
}

static void emit_nowhere(void *ctx, const struct timeline_span *s)
{
}

static void end_tile(struct timeline *t, u32 level)
{
	struct timeline_level *l = &t->levels[level];
	u64 end = MIN(tile_start(t, level, l->n_done + 1ul) - 1, t->to);

	model_open_spans(&t->now, end, emit_to_tiler, &l->tiler);
	tiler_end(&l->tiler, &l->tiles[l->n_done]);
	l->bytes += l->tiles[l->n_done++].len;
	if (level && l->bytes > t->most_bytes)
		drop_level(l);
}

/* The tiles that end before that time. */
static void end_tiles(struct timeline *t, u64 time)
{
	for (u32 k = 0; k < TIMELINE_LEVELS; k++) {
		const struct timeline_level *l = &t->levels[k];

		while (l->tiles && l->n_done < 1u << 2 * k &&
		       tile_start(t, k, l->n_done + 1ul) <= time)
			end_tile(t, k);
	}
}

/* Up to that time: the tiles that end before it, and what gaps hide is forgotten. */
static void pass_time(struct timeline *t, u64 time)
{
	u64 edge;

	while ((edge = model_gap(&t->model, &t->now, MIN(time, t->to)))) {
		end_tiles(t, edge);
		model_forget(&t->model, &t->now, edge, emit_to_levels, t);
	}
	end_tiles(t, time);
}

/* Every second one goes when they take much memory: it depends on the number of threads. */
static void thin_checkpoints(struct timeline *t)
{
	u64 bytes = 0;
	u32 n = 0;

	for (u32 i = 0; i < t->checkpoints.n; i++)
		bytes += now_bytes(&t->checkpoints.v[i]->now);
	if (bytes < t->most_bytes)
		return;
	for (u32 i = 0; i < t->checkpoints.n; i++)
		if (i & 1)
			drop_checkpoint(t->checkpoints.v[i]);
		else
			t->checkpoints.v[n++] = t->checkpoints.v[i];
	t->checkpoints.n = n;
	t->n_between *= 2;
}

static void add_checkpoint(struct timeline *t, u64 time)
{
	struct timeline_checkpoint *c = xcalloc(1, sizeof *c);

	c->time = time;
	c->number = t->n_done;
	now_copy(&c->now, &t->now);
	vec_push(&t->model.arena, &t->checkpoints, c);
	thin_checkpoints(t);
}

void timeline_range(struct timeline *t, u64 from, u64 to)
{
	store_range(t->store, from, to);
	store_rewind(t->store);
}

static void seek(struct timeline *t, u64 time)
{
	timeline_range(t, time, t->to);
}

static void finish(struct timeline *t)
{
	pass_time(t, ~0ull);
	t->is_done = true;
	t->done_to = t->to + 1;
}

bool timeline_advance(struct timeline *t, u64 n)
{
	u64 next = t->checkpoints.n ?
			   t->checkpoints.v[t->checkpoints.n - 1]->number + t->n_between :
			   0;
	struct trace_event e;
	u64 last = 0;

	if (t->is_done)
		return false;
	seek(t, t->done_to);
	for (;; n -= n > 0) {
		if (!store_next(t->store, &e)) {
			finish(t);
			return false;
		}
		if (e.time != last) {
			t->done_to = last = e.time;
			if (!n)
				break;
			pass_time(t, e.time);
			if (t->n_done >= next) {
				add_checkpoint(t, e.time);
				next = t->n_done + t->n_between;
			}
		}
		model_event(&t->model, &t->now, &e, emit_to_levels, t);
		t->n_done++;
	}
	return true; /* the event that was read belongs to the next call */
}

/* ---- tiles on demand */

static const struct timeline_checkpoint *checkpoint_at(const struct timeline *t, u64 time)
{
	const struct timeline_checkpoint *best = NULL;

	for (u32 i = 0; i < t->checkpoints.n && t->checkpoints.v[i]->time <= time; i++)
		best = t->checkpoints.v[i];
	return best;
}

/* What gaps up to that time hide is forgotten. */
static void pass_gaps(const struct timeline *t, struct timeline_now *now, struct tiler *tiler,
		      u64 from, u64 to)
{
	u64 edge;

	while ((edge = model_gap(&t->model, now, to)))
		model_forget(&t->model, now, edge, edge >= from ? emit_to_tiler : emit_nowhere,
			     tiler);
}

/* Events of from <= time < to go to the tiler. False: there are more bytes than `most`. */
static bool make(struct timeline *t, struct tiler *tiler, u64 from, u64 to, size_t most)
{
	const struct timeline_checkpoint *c = checkpoint_at(t, from);
	struct timeline_now now = { 0 };
	struct trace_event e;

	if (c)
		now_copy(&now, &c->now);
	seek(t, c ? c->time : t->from);
	while (tiler->out.len <= most && store_next(t->store, &e) && e.time < to) {
		bool is_in = e.time >= from;

		pass_gaps(t, &now, tiler, from, e.time);
		model_event(&t->model, &now, &e, is_in ? emit_to_tiler : emit_nowhere, tiler);
	}
	pass_gaps(t, &now, tiler, from, MIN(to - 1, t->to));
	model_open_spans(&now, MIN(to - 1, t->to), emit_to_tiler, tiler);
	now_release(&now);
	return tiler->out.len <= most;
}

static void make_tile(struct timeline *t, u32 level, u64 index, struct buf *to)
{
	u64 start = tile_start(t, level, index), end = start + timeline_tile_len(t, level);
	struct tiler tiler = { .origin = t->from };

	if (!make(t, &tiler, start, end, TIMELINE_EXACT)) {
		tiler_release(&tiler);
		tiler = (struct tiler){ .origin = t->from, .step = step_of(t, level) };
		make(t, &tiler, start, end, (size_t)-1);
	}
	tiler_end(&tiler, to);
	tiler_release(&tiler);
}

/* A tile that is not complete. */
static void copy_tile(const struct timeline *t, const struct timeline_level *l, struct buf *to)
{
	struct tiler tiler;

	tiler_copy(&tiler, &l->tiler);
	model_open_spans(&t->now, t->done_to, emit_to_tiler, &tiler);
	tiler_end(&tiler, to);
	tiler_release(&tiler);
}

bool timeline_tile(struct timeline *t, u32 level, u64 index, struct buf *to)
{
	const struct timeline_level *l = level < TIMELINE_LEVELS ? &t->levels[level] : NULL;
	u64 len = timeline_tile_len(t, level);

	if (index > (t->to - t->from) / len)
		return false;
	if (l && l->tiles && index < l->n_done) {
		buf_clear(to);
		buf_add(to, l->tiles[index].s, l->tiles[index].len);
		return true;
	}
	if (l && l->tiles && !t->is_done && index == l->n_done) {
		copy_tile(t, l, to);
		return true;
	}
	if (!t->is_done && t->done_to < tile_start(t, level, index) + len)
		return false;
	make_tile(t, level, index, to);
	return true;
}

void timeline_exact(struct timeline *t, struct buf *to)
{
	struct tiler tiler = { .origin = t->from };

	make(t, &tiler, t->from, t->to + 1, (size_t)-1);
	tiler_end(&tiler, to);
	tiler_release(&tiler);
}

/* ---- places */

void timeline_seek_time(struct timeline *t, u64 time, u64 *number)
{
	const struct timeline_checkpoint *c = checkpoint_at(t, time);

	*number = c ? c->number : 0;
	seek(t, c ? c->time : t->from);
}

void timeline_seek_number(struct timeline *t, u64 wanted, u64 *number)
{
	u64 time = t->from;

	for (u32 i = 0; i < t->checkpoints.n && t->checkpoints.v[i]->number <= wanted; i++)
		time = t->checkpoints.v[i]->time;
	timeline_seek_time(t, time, number);
}
