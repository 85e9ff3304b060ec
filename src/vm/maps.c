/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps as programs see them: arrays and hashes, plain and per CPU, with and without eviction
 * (kernel/bpf/arraymap.c, hashtab.c). Elements are in chunks that never move, so a value's address
 * stays valid; a hash allocates chunks as it grows. Keys and values are separate regions: no offset
 * into a value reaches a key.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "vm/vm_impl.h"

bool vm_map_is_array(const struct vm_map *m)
{
	return m->type == BPF_MAP_TYPE_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static bool is_lru(const struct vm_map *m)
{
	return m->type == BPF_MAP_TYPE_LRU_HASH || m->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_percpu(u32 type)
{
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

bool vm_map_is_hash(const struct vm_map *m)
{
	return m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_PERCPU_HASH || is_lru(m);
}

u32 vm_cpu(const struct vm *vm)
{
	return vm->world.n_cpus ? vm->world.cpu % vm->world.n_cpus : 0;
}

static struct region values_at(const struct vm_map *m, u8 *host, u32 size)
{
	return (struct region){ .kind = RG_VALUES,
				.host = host,
				.size = size,
				.stride = m->value_stride,
				.len = m->value_size,
				.map = m->index };
}

static void add_chunk(struct vm *vm, struct vm_map *m, u32 first, u32 n)
{
	struct vm_chunk *c = &m->chunk[m->n_chunks++];
	u64 stride = (u64)m->value_stride * m->n_copies, size = stride * n;
	u32 key_stride = ALIGN_UP(m->key_size, 8u);

	if (m->n_chunks > ARRAY_SIZE(m->chunk) || size >= UINT32_MAX - VM_START)
		BUG("map %s is too large for the machine", m->desc->name);
	*c = (struct vm_chunk){ .first = first, .n = n };
	c->value_region = vm_region(vm, values_at(m, xcalloc(n, stride), (u32)size));
	if (vm_map_is_hash(m))
		c->key_region = vm_region(vm, (struct region){ .kind = RG_KEYS,
							       .host = xcalloc(n, key_stride),
							       .size = n * key_stride,
							       .stride = key_stride,
							       .len = m->key_size,
							       .map = m->index });
}

/* All elements are there from the beginning; element i of a hash is slot i - 1. */
static void share(struct vm *vm, struct vm_map *m, const struct shared_map *s)
{
	struct vm_chunk *c = &m->chunk[m->n_chunks++];
	u64 size = (u64)m->value_stride * m->n_copies;
	u8 *block = vm->world.block;
	struct region values;
	bool is_hash = s->n_slots != 0;

	*c = (struct vm_chunk){ .first = is_hash, .n = is_hash ? s->n_slots : m->max_entries };
	m->shared = s;
	if (size * c->n >= UINT32_MAX - VM_START)
		BUG("map %s is too large for the machine", m->desc->name);
	values = values_at(m, block + (is_hash ? s->values : s->offset), (u32)(size * c->n));
	values.is_shared = true;
	c->value_region = vm_region(vm, values);
	if (!is_hash)
		return;
	m->n_elems = s->n_slots + 1;
	c->key_region = vm_region(vm, (struct region){ .kind = RG_KEYS,
						       .host = block + s->keys,
						       .size = s->key_stride * s->n_slots,
						       .stride = s->key_stride,
						       .len = m->key_size,
						       .is_shared = true,
						       .map = m->index });
}

static void init_hash(struct vm_map *m)
{
	for (m->n_buckets = 64; m->n_buckets < m->max_entries && m->n_buckets < 1u << 16;)
		m->n_buckets *= 2;
	m->bucket = xcalloc(m->n_buckets, sizeof *m->bucket);
	m->n_elems = 1;
}

void vm_map_init(struct vm *vm, struct vm_map *m, struct map_desc *desc, u32 index)
{
	struct program *p = vm->prog;

	m->desc = desc;
	m->index = index;
	if (desc->role == MAP_GLOBAL)
		return; /* part of the data map */
	m->type = desc->bpf_type;
	m->key_size = desc->key_size;
	m->value_size = desc->value_size;
	m->max_entries = desc->max_entries;
	m->n_copies = is_percpu(m->type) ? MAX(vm->world.n_cpus, 1u) : 1;
	if (desc->role == MAP_DATA) {
		m->value_size = MAX(m->value_size, p->data_size);
		m->max_entries = MAX(m->max_entries, 1u);
	}
	m->value_stride = ALIGN_UP(m->value_size, 8u);
	if (vm->world.shared && vm->world.shared->v[index].type) {
		share(vm, m, &vm->world.shared->v[index]);
		return;
	}
	if (m->type == BPF_MAP_TYPE_RINGBUF)
		vm_ring_init(vm, m);
	else if (vm_map_is_hash(m))
		init_hash(m);
	else if (vm_map_is_array(m))
		add_chunk(vm, m, 0, m->max_entries);
	if (desc->role == MAP_DATA && p->data)
		memcpy(vm_map_value(vm, m, 0, 0), p->data, p->data_size);
}

void vm_map_release(struct vm *vm, struct vm_map *m)
{
	free(m->elem);
	free(m->bucket);
	free(m->held);
	for (u32 i = 0; m->trace && i < m->max_entries; i++)
		free(m->trace[i]);
	free(m->trace);
	free(m->trace_len);
}

struct vm_map *vm_map_arg(struct vm *vm, u64 ref)
{
	if (vm_is_ref(ref, VM_REGION_MAP) && (u32)ref < vm->n_maps)
		return &vm->map[(u32)ref];
	vm_fault(vm, -EINVAL, "gives a helper 0x%llx where it needs a map",
		 (unsigned long long)ref);
	return NULL;
}

static const struct vm_chunk *chunk_of(const struct vm_map *m, u32 index)
{
	for (u32 i = 0; i < m->n_chunks; i++)
		if (index - m->chunk[i].first < m->chunk[i].n)
			return &m->chunk[i];
	BUG("element %u of map %s has no chunk", index, m->desc->name);
}

static u32 value_off(const struct vm_map *m, const struct vm_chunk *c, u32 index, u32 cpu)
{
	return ((index - c->first) * m->n_copies + (m->n_copies > 1 ? cpu : 0)) * m->value_stride;
}

u64 vm_map_value_addr(struct vm *vm, struct vm_map *m, u32 index, u32 cpu)
{
	const struct vm_chunk *c = chunk_of(m, index);

	return vm_addr(c->value_region, value_off(m, c, index, cpu));
}

u8 *vm_map_value(struct vm *vm, struct vm_map *m, u32 index, u32 cpu)
{
	const struct vm_chunk *c = chunk_of(m, index);

	return vm->region[c->value_region].host + value_off(m, c, index, cpu);
}

u8 *vm_map_key(struct vm *vm, struct vm_map *m, u32 index)
{
	const struct vm_chunk *c = chunk_of(m, index);

	return vm->region[c->key_region].host + (index - c->first) * ALIGN_UP(m->key_size, 8u);
}

u64 vm_map_key_addr(struct vm *vm, struct vm_map *m, u32 index)
{
	const struct vm_chunk *c = chunk_of(m, index);

	return vm_addr(c->key_region, (index - c->first) * ALIGN_UP(m->key_size, 8u));
}

/* ---- order of use */

static void unlink_use(struct vm_map *m, u32 i)
{
	struct vm_elem *e = &m->elem[i];

	*(e->newer ? &m->elem[e->newer].older : &m->newest) = e->older;
	*(e->older ? &m->elem[e->older].newer : &m->oldest) = e->newer;
}

static void link_newest(struct vm_map *m, u32 i)
{
	m->elem[i].newer = 0;
	m->elem[i].older = m->newest;
	*(m->newest ? &m->elem[m->newest].newer : &m->oldest) = i;
	m->newest = i;
}

static void touch(struct vm_map *m, u32 i)
{
	if (is_lru(m) && m->newest != i) {
		unlink_use(m, i);
		link_newest(m, i);
	}
}

/* ---- hashes */

static u32 find_hash(struct vm *vm, struct vm_map *m, const void *key, u32 hash)
{
	u32 i;

	if (m->shared)
		return shared_find(m->shared, vm->world.block, key);
	i = m->bucket[hash & (m->n_buckets - 1)];

	while (i && (m->elem[i].hash != hash || memcmp(vm_map_key(vm, m, i), key, m->key_size)))
		i = m->elem[i].chain;
	return i;
}

static void remove_elem(struct vm_map *m, u32 i)
{
	u32 *at = &m->bucket[m->elem[i].hash & (m->n_buckets - 1)];

	while (*at != i)
		at = &m->elem[*at].chain;
	*at = m->elem[i].chain;
	unlink_use(m, i);
	m->elem[i].live = false;
	m->elem[i].chain = m->free;
	m->free = i;
	m->n_live--;
}

/* Slots double: 64, 128, 256 ... so that 32 chunks are enough for any map. */
static void grow(struct vm *vm, struct vm_map *m)
{
	u32 n = MIN(64u << m->n_chunks, m->max_entries - (m->n_elems - 1)), first = m->n_elems;

	m->elem = xrealloc(m->elem, (first + n) * sizeof *m->elem);
	if (first == 1)
		memset(m->elem, 0, sizeof *m->elem);
	add_chunk(vm, m, first, n);
	m->n_elems += n;
	for (u32 i = first + n; i-- > first;) {
		m->elem[i] = (struct vm_elem){ .chain = m->free };
		m->free = i;
	}
}

static u32 new_elem(struct vm *vm, struct vm_map *m)
{
	u32 i;

	if (m->n_live >= m->max_entries) {
		if (!is_lru(m) || !m->oldest)
			return 0;
		remove_elem(m, m->oldest);
	}
	if (!m->free)
		grow(vm, m);
	i = m->free;
	m->free = m->elem[i].chain;
	m->n_live++;
	return i;
}

static s64 update_hash(struct vm *vm, struct vm_map *m, const void *key, const void *value,
		       u64 flags)
{
	u32 hash = hash_bytes(key, m->key_size), i = find_hash(vm, m, key, hash);

	if (i && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!i && flags == BPF_EXIST)
		return -ENOENT;
	if (!i && m->shared) {
		bool is_new;
		int error;

		i = shared_insert(m->shared, vm->world.block, key, &is_new, &error);
		if (!i)
			return error;
		if (!is_new && flags == BPF_NOEXIST)
			return -EEXIST;
	} else if (!i) {
		u32 *bucket = &m->bucket[hash & (m->n_buckets - 1)];

		i = new_elem(vm, m);
		if (!i)
			return -E2BIG;
		m->elem[i] = (struct vm_elem){ .hash = hash, .chain = *bucket, .live = true };
		*bucket = i;
		link_newest(m, i);
		memcpy(vm_map_key(vm, m, i), key, m->key_size);
		/* A new per-CPU element is zero on the other CPUs (hashtab.c, pcpu_init_value). */
		memset(vm_map_value(vm, m, i, 0), 0, (size_t)m->value_stride * m->n_copies);
	}
	touch(m, i);
	memcpy(vm_map_value(vm, m, i, vm_cpu(vm)), value, m->value_size);
	return 0;
}

/* ---- either */

u32 vm_map_find(struct vm *vm, struct vm_map *m, const void *key)
{
	u32 i;

	if (vm_map_is_array(m)) {
		memcpy(&i, key, sizeof i);
		return i < m->max_entries ? i + 1 : 0;
	}
	i = find_hash(vm, m, key, hash_bytes(key, m->key_size));
	if (!i)
		return 0;
	touch(m, i);
	return i + 1;
}

s64 vm_map_update(struct vm *vm, struct vm_map *m, const void *key, const void *value, u64 flags)
{
	if (flags > BPF_EXIST)
		return -EINVAL;
	if (vm_map_is_hash(m))
		return update_hash(vm, m, key, value, flags);

	u32 i = vm_map_find(vm, m, key);

	if (!i)
		return -E2BIG;
	if (flags == BPF_NOEXIST)
		return -EEXIST;
	memcpy(vm_map_value(vm, m, i - 1, vm_cpu(vm)), value, m->value_size);
	return 0;
}

s64 vm_map_delete(struct vm *vm, struct vm_map *m, const void *key)
{
	u32 i;

	if (!vm_map_is_hash(m))
		return -EINVAL;
	if (m->shared)
		return shared_delete(m->shared, vm->world.block, key);
	i = find_hash(vm, m, key, hash_bytes(key, m->key_size));
	if (!i)
		return -ENOENT;
	remove_elem(m, i);
	return 0;
}

static bool is_live(const struct vm *vm, const struct vm_map *m, u32 i)
{
	return m->shared ? shared_is_live(m->shared, vm->world.block, i - 1) : m->elem[i].live;
}

u32 vm_map_next(struct vm *vm, struct vm_map *m, u32 from)
{
	if (vm_map_is_array(m))
		return from < m->max_entries ? from + 1 : 0;
	for (; from < m->n_elems; from++)
		if (from && is_live(vm, m, from))
			return from + 1;
	return 0;
}
