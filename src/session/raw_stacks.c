/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits that programs have kept -> frames. They are taken up in the order of their times, between the
 * changes of mappings, because exec() replaces all of them. An entry is given back once its frames
 * are found. Equal stacks are stored once.
 */
#include <stdlib.h>
#include "base/arena.h"
#include "base/hash.h"
#include "session/raw_stacks.h"
#include "type/agg.h"

enum { MAX_IDS = 1 << 17 }; /* later ones have no frames */

struct frames {
	u32 n;
	u64 ips[];
};

struct raw_stacks {
	u8 *memory;
	struct unwinds *unwinds;
	struct unwind_raw *taken[UNWIND_N_RAW]; /* by time */
	u32 n_taken;
	struct hash ids;   /* u64 id -> struct frames */
	struct hash known; /* u64 ips[n] -> struct frames */
	struct arena arena;
};

struct raw_stacks *raw_stacks_new(void *memory, struct unwinds *unwinds)
{
	struct raw_stacks *s = xcalloc(1, sizeof(*s));

	s->memory = memory;
	s->unwinds = unwinds;
	arena_init(&s->arena);
	return s;
}

void raw_stacks_free(struct raw_stacks *s)
{
	if (!s)
		return;
	hash_release(&s->ids);
	hash_release(&s->known);
	arena_release(&s->arena);
	free(s);
}

static struct unwind_raw *entry(const struct raw_stacks *s, u32 i)
{
	return (struct unwind_raw *)(void *)(s->memory + UNWIND_RAW + (size_t)i * UNWIND_RAW_SIZE);
}

static int by_time(const void *a, const void *b)
{
	const struct unwind_raw *x = *(struct unwind_raw *const *)a,
				*y = *(struct unwind_raw *const *)b;

	return (x->time > y->time) - (x->time < y->time);
}

void raw_stacks_collect(struct raw_stacks *s)
{
	s->n_taken = 0;
	for (u32 i = 0; i < UNWIND_N_RAW; i++)
		if (__atomic_load_n(&entry(s, i)->state, __ATOMIC_ACQUIRE) == UNWIND_RAW_FULL)
			s->taken[s->n_taken++] = entry(s, i);
	if (s->n_taken > 1)
		qsort(s->taken, s->n_taken, sizeof(s->taken[0]), by_time);
}

static const struct frames *stored(struct raw_stacks *s, const u64 *ips, u32 n)
{
	size_t size = n * sizeof(*ips);
	struct frames *f = hash_get(&s->known, ips, size);

	if (f)
		return f;
	f = arena_alloc(&s->arena, sizeof(*f) + size);
	f->n = n;
	memcpy(f->ips, ips, size);
	hash_put(&s->known, f->ips, size, f);
	return f;
}

static void unwind_one(struct raw_stacks *s, const struct unwind_raw *raw)
{
	u64 ips[STACK_MAX_FRAMES], *id;
	u32 n = unwinds_frames(s->unwinds, raw, ips, STACK_MAX_FRAMES);

	if (s->ids.n >= MAX_IDS)
		return;
	id = arena_dup(&s->arena, &raw->id, sizeof(raw->id));
	hash_put(&s->ids, id, sizeof(*id), (void *)(uintptr_t)stored(s, ips, n));
}

void raw_stacks_unwind(struct raw_stacks *s, u32 pid, u64 before)
{
	u32 kept = 0;

	for (u32 i = 0; i < s->n_taken; i++) {
		struct unwind_raw *raw = s->taken[i];

		if ((pid && raw->pid != pid) || raw->time >= before) {
			s->taken[kept++] = raw;
			continue;
		}
		unwind_one(s, raw);
		__atomic_store_n(&raw->state, UNWIND_RAW_FREE, __ATOMIC_RELEASE);
	}
	s->n_taken = kept;
}

u32 raw_stacks_frames(const struct raw_stacks *s, u64 id, u32 limit, u64 *ips)
{
	const struct frames *f = hash_get(&s->ids, &id, sizeof(id));
	u32 n = f ? MIN(f->n, limit) : 0;

	if (n)
		memcpy(ips, f->ips, n * sizeof(*ips));
	return n;
}
