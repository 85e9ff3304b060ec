/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of all processors, and their records in time order:
 *
 *	page 0	struct perf_event_mmap_page: data_head (the kernel's), data_tail (ours)
 *	page 1..	records; one may wrap
 *
 * A record gets its time before its position in the ring, so an interrupt in between puts a younger
 * record in front of it: the records of one ring stay in its order. Of two rings, the one with the
 * older next record is read. A record is in its ring some microseconds after its time, so those of
 * the last HOLD_NS wait until the other rings have been read again.
 */
#include <stdlib.h>
#include "engine/perf/internal.h"

enum { HOLD_NS = 2000000, MOST_RECORD = 1 << 16 };

void perf_rings_add(struct perf_rings *rs, u32 cpu, struct perf_event_mmap_page *page,
		    const u8 *data, u64 size)
{
	rs->v = xrealloc(rs->v, (rs->n + 1) * sizeof *rs->v);
	rs->v[rs->n++] = (struct perf_ring){ .cpu = cpu,
					     .page = page,
					     .data = data,
					     .size = size,
					     .whole = xcalloc(1, MOST_RECORD) };
}

void perf_rings_release(struct perf_rings *rs)
{
	for (u32 i = 0; i < rs->n; i++)
		free(rs->v[i].whole);
	free(rs->v);
	*rs = (struct perf_rings){ 0 };
}

void perf_rings_look(struct perf_rings *rs, u64 now, bool all)
{
	for (u32 i = 0; i < rs->n; i++)
		rs->v[i].head = __atomic_load_n(&rs->v[i].page->data_head, __ATOMIC_ACQUIRE);
	rs->limit = all ? ~0ull : now - HOLD_NS;
}

static void copy_out(const struct perf_ring *r, void *to, u32 len)
{
	u64 at = r->tail & (r->size - 1), first = MIN((u64)len, r->size - at);

	memcpy(to, r->data + at, first);
	memcpy((u8 *)to + first, r->data, len - first);
}

static void set_tail(struct perf_ring *r, u64 tail)
{
	r->tail = tail;
	r->next = NULL;
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

/* The next complete record. An incomplete one ends reading of this ring for now. Sizes are
 * multiples of 8, but of 4 where Linux 5.10 ends the copy of a stack with the memory of a 32-bit
 * process. */
static const struct perf_event_header *peek(struct perf_ring *r)
{
	u64 at = r->tail & (r->size - 1), left = r->head - r->tail;
	struct perf_event_header h;

	if (r->next || !left)
		return r->next;
	if (left >= sizeof h)
		copy_out(r, &h, sizeof h);
	if (left > r->size || left < sizeof h || h.size < sizeof h || h.size > left || h.size % 4) {
		r->n_malformed++;
		set_tail(r, r->head);
		return NULL;
	}
	r->next = (const void *)(r->data + at);
	if (at + h.size > r->size) {
		copy_out(r, r->whole, h.size);
		r->next = (const void *)r->whole;
	}
	if (!record_id(r->next, &r->id)) {
		r->n_malformed++;
		r->id = (struct record_id){ .time = r->key };
	}
	r->key = MAX(r->key, r->id.time);
	return r->next;
}

struct perf_ring *perf_rings_next(struct perf_rings *rs)
{
	struct perf_ring *oldest = NULL;

	for (u32 i = 0; i < rs->n; i++)
		if (peek(&rs->v[i]) && (!oldest || rs->v[i].key < oldest->key))
			oldest = &rs->v[i];
	if (!oldest || oldest->key > rs->limit)
		return NULL;
	rs->now = MAX(rs->now, oldest->key);
	return oldest;
}

void perf_ring_done(struct perf_ring *r)
{
	set_tail(r, r->tail + r->next->size);
}

u64 perf_rings_malformed(const struct perf_rings *rs)
{
	u64 sum = 0;

	for (u32 i = 0; i < rs->n; i++)
		sum += rs->v[i].n_malformed;
	return sum;
}

bool perf_rings_hold(const struct perf_rings *rs)
{
	for (u32 i = 0; i < rs->n; i++)
		if (rs->v[i].tail != rs->v[i].head)
			return true;
	return false;
}
