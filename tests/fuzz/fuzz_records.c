/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings that a process wrote (include/sonde/sonde.h, jit/jit.h), as a hostile one would: positions,
 * sizes, strings and lengths of any value. Reading ends, stays within the memory, and a string lies
 * in its context.
 */
#include <stdlib.h>
#include "engine/process/internal.h"
#include "jit/jit.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { N_RINGS = 2, RING_SIZE = 4096, MOST = 100000 };

static volatile u32 sink;

static void check(const struct sonde_record *r, u64 strings)
{
	struct record_context c;
	u32 len = 0, sum = 0;
	const u8 *sent = rings_sent(r, &len);

	for (u32 i = 0; sent && i < len; i++)
		sum += sent[i];
	sink = sum;
	if (r->size & JIT_RECORD_SENT)
		return;
	record_context(&c, r, strings);
	for (u32 i = 0; i < ARRAY_SIZE(c.r.word); i++) {
		const char *s = (const char *)(uintptr_t)c.r.word[i];

		if (strings >> i & 1 && s &&
		    (s < c.text || !memchr(s, 0, (size_t)(c.text + sizeof c.text - s))))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const size_t stride = jit_ring_stride(RING_SIZE), bytes = N_RINGS * stride;
	u8 *at = aligned_alloc(4096, bytes);
	const struct sonde_record *r;
	struct rings *rings;
	u64 strings = 0;
	u32 n = 0;

	memset(at, 0, bytes);
	for (u32 i = 0; i < N_RINGS; i++) {
		u8 *ring = at + i * stride;
		size_t header = MIN(size, sizeof(struct sonde_ring)), rest;

		memcpy(ring, data, header);
		rest = MIN(size - header, stride - SONDE_RING_HEADER);
		memcpy(ring + SONDE_RING_HEADER, data + header, rest);
		data += header + rest;
		size -= header + rest;
	}
	memcpy(&strings, at + SONDE_RING_HEADER, 8);
	rings = rings_over(at, N_RINGS, RING_SIZE);
	while ((r = rings_next(rings, ~0ull, NULL)) && n++ < MOST)
		check(r, strings);
	if (n > MOST)
		abort();
	rings_free(rings);
	free(at);
	return 0;
}
