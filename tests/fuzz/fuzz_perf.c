/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of perf events (engine/perf), as no kernel writes them: positions, sizes and contents of
 * any value. Reading ends, and what a record is said to have lies within it.
 */
#include <stdlib.h>
#include "engine/perf/internal.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { N_RINGS = 2, RING_SIZE = 4096, MOST = 100000, REGS = 0x1f /* five registers */ };

static void check_within(const struct perf_event_header *h, const void *part, size_t len)
{
	const u8 *at = part;

	if (part && (at < (const u8 *)h || at + len > (const u8 *)h + h->size))
		abort();
}

static void check(const struct perf_ring *r)
{
	static const struct sample_layout raw = { .type = PERF_SAMPLE_RAW }, all = {
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |
			PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR,
		REGS, REGS
	};
	struct task_record task;
	struct sample s;
	u64 lost;

	if (record_sample(r->next, &raw, &s))
		check_within(r->next, s.raw, s.raw_len);
	if (record_sample(r->next, &all, &s)) {
		check_within(r->next, s.frames, s.n_frames * 8);
		check_within(r->next, s.raw, s.raw_len);
		check_within(r->next, s.user.stack, s.user.stack_len);
		check_within(r->next, s.regs, 5 * 8);
		check_within(r->next, s.user.regs, 5 * 8);
	}
	if (record_task(r->next, &task) && task.comm)
		check_within(r->next, task.comm, strlen(task.comm) + 1);
	record_lost(r->next, &lost);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct perf_event_mmap_page *page = xcalloc(N_RINGS, sizeof *page);
	u8 *bytes = xcalloc(N_RINGS, RING_SIZE);
	struct perf_rings rings = {};
	struct perf_ring *r;
	u32 n = 0;

	for (u32 i = 0; i < N_RINGS; i++) {
		size_t head = MIN(size, sizeof page->data_head),
		       rest = MIN(size - head, (size_t)RING_SIZE);

		memcpy(&page[i].data_head, data, head);
		memcpy(bytes + i * RING_SIZE, data + head, rest);
		data += head + rest;
		size -= head + rest;
		perf_rings_add(&rings, i, &page[i], bytes + i * RING_SIZE, RING_SIZE);
	}
	perf_rings_look(&rings, 0, true);
	while ((r = perf_rings_next(&rings)) && n++ < MOST) {
		check(r);
		perf_ring_done(r);
	}
	if (n > MOST || perf_rings_hold(&rings))
		abort();
	perf_rings_release(&rings);
	free(bytes);
	free(page);
	return 0;
}
