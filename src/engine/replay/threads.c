/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads and their processes. An event has the process of its own thread; fields have only the IDs
 * of other threads. So all events are read once to learn which thread belonged to which process
 * since when.
 */
#include <stdlib.h>
#include "base/hash.h"
#include "engine/replay/internal.h"

struct reading {
	struct threads *to;
	struct hash last; /* by tid: the index of its latest row + 1 */
	struct arena keys;
	u32 room;
};

static void note(struct reading *r, u32 tid, u32 pid, u64 time)
{
	uintptr_t at = (uintptr_t)hash_get(&r->last, &tid, sizeof tid);

	if (at && r->to->v[at - 1].pid == pid)
		return;
	if (r->to->n == r->room) {
		r->room = MAX(2 * r->room, 64u);
		r->to->v = xrealloc(r->to->v, r->room * sizeof *r->to->v);
	}
	r->to->v[r->to->n++] = (struct thread){ tid, pid, time };
	hash_put(&r->last, arena_dup(&r->keys, &tid, sizeof tid), sizeof tid,
		 (void *)(uintptr_t)r->to->n);
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->since < y->since ? -1 : x->since > y->since;
}

void threads_read(struct threads *t, struct store *s)
{
	const struct store_tables *tables = store_tables(s);
	struct reading r = { .to = t };
	struct trace_event e;

	arena_init(&r.keys);
	for (u32 i = 0; i < tables->tasks.n; i++)
		note(&r, tables->tasks.v[i].tid, tables->tasks.v[i].pid, 0);
	store_rewind(s);
	while (store_next(s, &e))
		note(&r, e.tid, e.pid, e.time);
	store_rewind(s);
	hash_release(&r.last);
	arena_release(&r.keys);
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_tid);
	else
		t->v = xcalloc(1, sizeof *t->v);
}

/* The first row of the thread that begins after the time. */
static u32 upper_row(const struct threads *t, u32 tid, u64 time)
{
	u32 low = 0, high = t->n;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		const struct thread *v = &t->v[mid];

		if (v->tid < tid || (v->tid == tid && v->since <= time))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

u32 threads_process(const struct threads *t, u32 tid, u64 time)
{
	u32 at = upper_row(t, tid, time);

	if (at && t->v[at - 1].tid == tid)
		return t->v[at - 1].pid;
	return at < t->n && t->v[at].tid == tid ? t->v[at].pid : tid;
}
