/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of user stacks that were unwound afterwards become those that programs make of the same
 * frames. Maps are looked through when such hits have come, at most PERIOD_NS apart.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/clock.h"
#include "session/run.h"
#include "session/stack_keys.h"
#include "type/agg.h"

enum {
	PERIOD_NS = STACK_KEYS_MS * 1000000,
	/* looking takes at most one part of so many of the time, more when there is little room
	 * left */
	SHARE = 1000,
	SHARE_OF_MANY = 100,
	MANY = UNWIND_MAX_KEPT / 2,
	ENDED_NS = 100000000, /* the program of a hit has ended after that */
};

/* The map of stacks whose entries have room for the frames of such a type and the time
 * (builtin/stack.c). */
static u32 stacks_of(const struct program *p, u32 limit)
{
	bool counts = limit == STACK_DEFAULT_FRAMES;
	u32 room = 1;

	while (room < limit - counts + 2) /* a reason, the time */
		room *= 2;
	for (u32 i = 0; i < p->maps.n; i++)
		if (p->maps.v[i].role == MAP_STACKS && p->maps.v[i].value_size == room * 8)
			return i;
	return NO_INDEX;
}

/* As builtin/unwind.c ends a stack that is too deep; returns the number of frames. */
static u32 cut(u64 *ips, u32 n, u32 limit)
{
	bool counts = limit == STACK_DEFAULT_FRAMES;
	u32 most = limit - counts, frames = n - (n && ips[n - 1] < N_UNWIND_REASONS);

	if (frames <= most)
		return counts ? n : MIN(n, most);
	if (!counts)
		return most;
	ips[most] = UNWIND_WHY_DEPTH;
	return limit;
}

/* As builtin/stack.c: hash_in_line(). */
static u64 hash_of(const u64 *ips, u32 n)
{
	u64 h = 0x51ed270b;

	for (u32 i = 0; i < n; i++) {
		h = (h ^ ips[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h | 1;
}

struct merging {
	struct run *r;
	struct raw_stacks *raw;
	u64 before;
	u64 time; /* of the last hit of the key that is looked at */
};

/* False: it is another kind of stack, or not known yet. */
static bool replace_stack(struct merging *m, const struct type *t, struct stack_value *v)
{
	u32 map = stacks_of(&m->r->c.prog, t->stack.limit), n;
	u64 ips[STACK_MAX_FRAMES] = { 0 }, time;

	if (!stack_is_raw(v) || map == NO_INDEX)
		return false;
	n = raw_stacks_hit(m->raw, v->hash, &time, ips, STACK_MAX_FRAMES);
	if (!n || time >= m->before)
		return false;
	n = cut(ips, n, t->stack.limit);
	memset(ips + n, 0, sizeof ips - n * sizeof *ips);
	ips[m->r->c.prog.maps.v[map].value_size / 8 - 1] = time;
	v->hash = hash_of(ips, n);
	v->n = n;
	m->time = MAX(m->time, time);
	return engines_map_set(&m->r->engines, map, &v->hash, ips) == 0;
}

/* In a copy of a key; returns how many. */
static u32 replace_stacks(struct merging *m, const struct type *t, u8 *key)
{
	u32 n = 0;

	if (t->kind == TY_USTACK || t->kind == TY_FULLSTACK)
		return replace_stack(m, t,
				     (struct stack_value *)(void *)key + (t->kind == TY_FULLSTACK));
	for (u32 i = 0; i < t->n_fields && (t->kind == TY_TUPLE || t->kind == TY_RECORD); i++)
		n += replace_stacks(m, t->fields[i].type, key + t->fields[i].offset);
	return n;
}

struct move {
	const void *from;
	u8 *to;
	u64 time;
};

static int by_time(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Of values that cannot be added up the latest stays: hits that programs unwind themselves are
 * later than all of the same stack that were kept. */
static void move_all(struct merging *m, u32 map, struct move *moves, u32 n)
{
	u32 key_size = m->r->c.prog.maps.v[map].key_size;
	struct hash made = { 0 };

	if (n > 1)
		qsort(moves, n, sizeof *moves, by_time);
	for (u32 i = 0; i < n; i++) {
		bool ours = hash_get(&made, moves[i].to, key_size);

		if (engines_map_move(&m->r->engines, map, moves[i].from, moves[i].to, ours) > 0)
			hash_put(&made, moves[i].to, key_size, moves[i].to);
	}
	hash_release(&made);
}

static void merge_map(struct merging *m, u32 map)
{
	const struct map_desc *d = &m->r->c.prog.maps.v[map];
	struct table t = { .map = d };
	struct move *moves = NULL;
	struct arena a;
	u32 n = 0;

	arena_init(&a);
	if (engines_map_read(&m->r->engines, map, &a, &t) == 0)
		moves = xcalloc(t.rows.n + 1, sizeof *moves);
	for (u32 i = 0; moves && i < t.rows.n; i++) {
		u8 *to = arena_dup(&a, t.rows.v[i].key, d->key_size);

		m->time = 0;
		if (replace_stacks(m, d->key, to))
			moves[n++] = (struct move){ t.rows.v[i].key, to, m->time };
	}
	if (n)
		move_all(m, map, moves, n);
	free(moves);
	arena_release(&a);
}

void stack_keys_merge(struct run *r, struct raw_stacks *raw, u64 before)
{
	struct merging m = { .r = r, .raw = raw, .before = before };

	if (!raw_stacks_unmerged(raw))
		return;
	for (u32 i = 0; i < r->c.prog.maps.n; i++) {
		const struct map_desc *d = &r->c.prog.maps.v[i];

		if (d->role == MAP_USER && d->key && type_has_user_stack(d->key))
			merge_map(&m, i);
	}
	raw_stacks_merged(raw, before);
}

void stack_keys_turn(struct run *r, struct stack_keys *k, struct raw_stacks *raw)
{
	u64 now = clock_mono_ns(), end;

	if (now < k->next || !raw_stacks_unmerged(raw))
		return;
	stack_keys_merge(r, raw, now - ENDED_NS);
	end = clock_mono_ns();
	k->next =
		end + MAX((u64)PERIOD_NS,
			  (end - now) * (raw_stacks_unmerged(raw) > MANY ? SHARE_OF_MANY : SHARE));
}
