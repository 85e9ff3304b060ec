/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps in memory that a process shares, as a hostile one would leave them: tags, counts, keys and
 * values of any value. Operations end, stay within the memory, and find a key that they have made.
 */
#include <errno.h>
#include <stdlib.h>
#include "vm/shared.h"
#include "vm/vm.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { GUARD = 64 };

static void add_map(struct program *p, u32 type, u32 key_size, u32 value_size, u32 max_entries)
{
	vec_push(p->arena, &p->maps,
		 (struct map_desc){ .name = "@",
				    .bpf_type = type,
				    .key_size = key_size,
				    .value_size = value_size,
				    .max_entries = max_entries });
}

static void use(const struct shared_map *m, u8 *block, const void *key)
{
	bool is_new;
	int error = 0;
	u32 slot = shared_insert(m, block, key, &is_new, &error);

	if (slot ? slot > m->n_slots : error != -E2BIG && error != -EBUSY)
		abort();
	if (slot && (shared_find(m, block, key) != slot || !shared_is_live(m, block, slot - 1)))
		abort();
	if (slot && (shared_delete(m, block, key) || shared_find(m, block, key) == slot))
		abort();
}

static void read_all(struct program *p, const struct shared_maps *s, u8 *block)
{
	const struct vm_world world = { .n_cpus = 2, .shared = s, .block = block };
	struct vm *vm = vm_new(p, &world);

	for (u32 i = 0; i < p->maps.n; i++) {
		struct table t = {};

		if (vm_map_read(vm, i, p->arena, &t) < 0 || t.rows.n > MAX(s->v[i].n_slots, 8u))
			abort();
		vm_map_zero(vm, i);
		vm_map_clear(vm, i);
	}
	vm_free(vm);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct program p = { .data_map = NO_INDEX };
	struct shared_maps s;
	struct err err = {};
	struct arena a;
	u8 key[16] = { 0 }, *block;

	arena_init(&a);
	p.arena = &a;
	add_map(&p, BPF_MAP_TYPE_HASH, 8, 8, 20);
	add_map(&p, BPF_MAP_TYPE_PERCPU_HASH, 12, 16, 5);
	add_map(&p, BPF_MAP_TYPE_PERCPU_ARRAY, 4, 24, 7);
	if (shared_layout(&p, 2, &s, &err) < 0)
		abort();
	block = aligned_alloc(64, s.size + GUARD);
	memset(block, 0, s.size);
	memset(block + s.size, 0x5a, GUARD);
	memcpy(key, data, MIN(size, sizeof key));
	memcpy(block, data, MIN(size, (size_t)s.size));
	for (u32 i = 0; i < s.n; i++)
		if (s.v[i].n_slots)
			use(&s.v[i], block, key);
	read_all(&p, &s, block);
	for (u32 i = 0; i < GUARD; i++)
		if (block[s.size + i] != 0x5a)
			abort();
	free(block);
	shared_release(&s);
	arena_release(&a);
	return 0;
}
