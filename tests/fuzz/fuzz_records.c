/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings that a process wrote (include/sonde/sonde.h), as a hostile one would: positions, sizes and
 * strings of any value. Reading ends, stays within the memory, and a string lies in its context.
 */
#include <stdlib.h>
#include "engine/process/internal.h"

enum { N_RINGS = 2, RING_SIZE = 4096, MOST = 100000 };

static void check(const struct sonde_record *r, u64 strings)
{
	struct record_context c;

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
	const size_t bytes = N_RINGS * (size_t)(SONDE_RING_HEADER + RING_SIZE);
	u8 *at = aligned_alloc(4096, bytes);
	const struct sonde_record *r;
	struct rings *rings;
	u64 strings = 0;
	u32 n = 0;

	memset(at, 0, bytes);
	for (u32 i = 0; i < N_RINGS; i++) {
		u8 *ring = at + i * (size_t)(SONDE_RING_HEADER + RING_SIZE);
		size_t header = MIN(size, sizeof(struct sonde_ring)), rest;

		memcpy(ring, data, header);
		rest = MIN(size - header, (size_t)RING_SIZE);
		memcpy(ring + SONDE_RING_HEADER, data + header, rest);
		data += header + rest;
		size -= header + rest;
	}
	memcpy(&strings, at + SONDE_RING_HEADER, 8);
	rings = rings_over(at, N_RINGS, RING_SIZE);
	while ((r = rings_next(rings, NULL)) && n++ < MOST)
		check(r, strings);
	if (n > MOST)
		abort();
	rings_free(rings);
	free(at);
	return 0;
}
