/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of a hash map of 100 000 keys in batches. */
#include <errno.h>
#include "bare.h"

enum { KEYS = 100000, BATCH = 8192 };

int main(void)
{
	static u64 keys[KEYS + BATCH], values[KEYS + BATCH];
	int map = must(bpf_map_create(BPF_MAP_TYPE_HASH, "bare", 8, 8, KEYS, 0), "map");
	u64 position[2] = {}, start;
	u32 total = 0, n;
	int ret;

	for (u64 i = 0; i < KEYS; i++)
		must(bpf_map_update(map, &i, &i, BPF_ANY), "update");
	start = now_ns();
	do {
		n = BATCH;
		ret = bpf_map_lookup_batch(map, total ? position : NULL, position, keys + total,
					   values + total, &n);
		total += n;
	} while (ret == 0);
	report(now_ns() - start);
	return errno != ENOENT || total != KEYS;
}
