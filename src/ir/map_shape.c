/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel representation of a keyed map: its type, the number of copies of an aggregation in a
 * value, preallocated or not.
 *
 * A map without preallocation gets a new element from a per-CPU cache, which holds 1 (of large
 * elements) to 96 (of small ones) and is refilled by an interrupt (kernel/bpf/memalloc.c, 6.1): in
 * interval probes, profile, sched_switch or a perf event a burst of new keys fails. A preallocated
 * map takes a new element in every context until it is full. Preallocating one value for all
 * processors costs little; one for each (BPF_MAP_TYPE_PERCPU_HASH) costs a call of the per-CPU
 * allocator for each key. Measured with 4096 keys, two processors:
 *
 *	value      16 B     528 B    1040 B   4096 B   8 KB    15.4 KB (hist with 5 bits)
 *	shared     0.13 ms  0.9 ms   1.1 ms   3.9 ms   ~8 ms   11.5 ms
 *	per CPU    3.8 ms   8.3 ms   12 ms    52 ms    423 ms  446 ms
 *
 * So values that are only added to are shared, with atomic adds, by up to SHARED_CPUS processors
 * and by more with several copies in the value. Others (tseries, samples, min, max) have a copy for
 * each processor in the value, and processor n writes to copy n. What does not fit in
 * PREALLOCATED_PART of the memory is allocated on demand.
 */
#include <sys/sysinfo.h>
#include <unistd.h>
#include "ir/state.h"
#include "type/agg.h"

enum {
	SHARED_CPUS = 8,
	PREALLOCATED_PART = 8, /* of the memory, all maps together */
	PREALLOCATED_MAX = 256 << 20,
	MANY_COPIES_MAX = 16 << 20, /* of a map whose copies only avoid contention */
	VALUE_MAX = 256 << 10,      /* its zeroes are in the data map */
	PERCPU_CHEAP = 64 << 10,    /* bytes per processor: 4096 keys of count() to stats() */
	ELEMENT_HEAD = 64,          /* struct htab_elem and its part of the buckets */
};

static u64 memory_for_maps(void)
{
	u64 memory = (u64)sysconf(_SC_PAGESIZE) * (u64)sysconf(_SC_PHYS_PAGES);

	return MIN(memory / PREALLOCATED_PART, (u64)PREALLOCATED_MAX);
}

static bool is_per_cpu(const struct map_desc *d)
{
	return d->bpf_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       d->bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_lru(const struct map_desc *d)
{
	return d->bpf_type == BPF_MAP_TYPE_LRU_HASH || d->bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static u64 map_bytes(const struct map_desc *d, u64 value_size)
{
	return (u64)d->max_entries * (ALIGN_UP(d->key_size, 8u) + value_size + ELEMENT_HEAD);
}

static bool fits(const struct lower *l, const struct map_desc *d, u64 value_size)
{
	u64 taken = 0;

	for (u32 i = 0; i < l->prog->maps.n; i++) {
		const struct map_desc *m = &l->prog->maps.v[i];

		if (m->role == MAP_USER && !is_per_cpu(m) && !(m->flags & BPF_F_NO_PREALLOC))
			taken += map_bytes(m, m->value_size);
	}
	return taken + map_bytes(d, value_size) <= memory_for_maps();
}

static bool percpu_is_cheap(const struct map_desc *d)
{
	return (u64)d->max_entries * d->slot_size <= PERCPU_CHEAP;
}

/* Programs read the copies of all processors with a helper that old kernels lack. */
static bool may_be_percpu(const struct lower *l, const struct map *m, const struct map_desc *d)
{
	return percpu_is_cheap(d) && (!m->read || feature_has(l->features, FEAT_LOOKUP_PERCPU));
}

/* Copies in one value; 0: a per-CPU map. */
static u32 count_copies(const struct lower *l, const struct map *m, const struct map_desc *d)
{
	u32 cpus = (u32)get_nprocs_conf(), n = SHARED_CPUS;

	if (agg_only_adds(d->value)) {
		if (cpus <= SHARED_CPUS)
			return 1;
		if (may_be_percpu(l, m, d))
			return 0;
		while (n > 1 && map_bytes(d, (u64)n * d->slot_size) > MANY_COPIES_MAX)
			n /= 2;
		return n;
	}
	n = lower_cpu_slots();
	return n >= cpus && (u64)n * d->slot_size <= VALUE_MAX &&
			       fits(l, d, (u64)n * d->slot_size) ?
		       n :
		       0;
}

static void shape_aggregation(const struct lower *l, const struct map *m, struct map_desc *d)
{
	d->slot_size = agg_size(d->value);
	d->n_slots = is_lru(d) ? 0 : count_copies(l, m, d);
	if (!is_lru(d))
		d->bpf_type = d->n_slots ? BPF_MAP_TYPE_HASH : BPF_MAP_TYPE_PERCPU_HASH;
	d->n_slots = MAX(d->n_slots, 1u);
	d->value_size = d->n_slots * d->slot_size;
}

void map_shape(struct lower *l, const struct map *m, struct map_desc *d)
{
	d->role = m->is_internal ? MAP_SET : MAP_USER;
	d->bpf_type = m->decl_kind ? m->decl_kind : BPF_MAP_TYPE_HASH;
	d->key_size = m->key->size;
	d->max_entries = m->max_entries ? m->max_entries : (u32)l->env->config.max_map_keys;
	d->value_size = ALIGN_UP(d->value->size, 8u);
	if (type_is_agg(d->value))
		shape_aggregation(l, m, d);
	if (is_lru(d) || !feature_has(l->features, FEAT_HASH_NO_PREALLOC))
		return; /* always preallocated */
	if (is_per_cpu(d) ? !percpu_is_cheap(d) : !fits(l, d, d->value_size))
		d->flags = BPF_F_NO_PREALLOC;
}
