/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "base/base.h"
#include "type/bpf_isa.h"
#include "vm/shared.h"

enum { LINE = 64, MOST_KEY = 512 };
#define MOST_BYTES (1ull << 31) /* of a map, in memory that exists where it is touched */

/* ---- layout */

static bool is_hash(u32 type)
{
	return type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_PERCPU_HASH;
}

static bool is_array(u32 type)
{
	return type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static u64 take(u64 *end, u64 size)
{
	u64 at = ALIGN_UP(*end, (u64)LINE);

	*end = at + size;
	return at;
}

static void lay_hash(struct shared_map *m, u64 *end)
{
	for (m->n_slots = 64; m->n_slots < 2ull * m->max_entries;)
		m->n_slots *= 2;
	m->key_stride = ALIGN_UP(m->key_size, 8u);
	m->offset = take(end, sizeof(struct shared_hash) + 4ull * m->n_slots);
	m->keys = take(end, (u64)m->key_stride * m->n_slots);
	m->values = take(end, (u64)m->value_stride * m->n_copies * m->n_slots);
}

static int lay(const struct program *p, const struct map_desc *d, u32 n_cpus, struct shared_map *m,
	       u64 *end, struct err *err)
{
	bool is_percpu = d->bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY ||
			 d->bpf_type == BPF_MAP_TYPE_PERCPU_HASH;
	u64 start = *end;

	if (d->role == MAP_GLOBAL || d->role == MAP_RING)
		return 0;
	*m = (struct shared_map){ .type = d->bpf_type,
				  .key_size = d->key_size,
				  .value_size = d->value_size,
				  .max_entries = d->max_entries,
				  .n_copies = is_percpu ? MAX(n_cpus, 1u) : 1 };
	if (d->role == MAP_DATA) {
		m->value_size = MAX(m->value_size, p->data_size);
		m->max_entries = MAX(m->max_entries, 1u);
	}
	m->value_stride = ALIGN_UP(m->value_size, 8u);
	if ((!is_hash(m->type) && !is_array(m->type)) || m->key_size > MOST_KEY ||
	    m->max_entries > 1u << 26)
		return err_set(err, -ENOTSUP, "map %s cannot be in the memory of a process",
			       d->name);
	if (is_hash(m->type))
		lay_hash(m, end);
	else
		m->offset = take(end, (u64)m->value_stride * m->n_copies * MAX(m->max_entries, 1u));
	return *end - start <= MOST_BYTES ?
		       0 :
		       err_set(err, -ENOTSUP, "map %s is too large for the memory of a process",
			       d->name);
}

int shared_layout(const struct program *p, u32 n_cpus, struct shared_maps *s, struct err *err)
{
	int ret = 0;

	*s = (struct shared_maps){ .v = xcalloc(MAX(p->maps.n, 1u), sizeof *s->v), .n = p->maps.n };
	for (u32 i = 0; i < s->n && ret >= 0; i++)
		ret = lay(p, &p->maps.v[i], n_cpus, &s->v[i], &s->size, err);
	s->size = ALIGN_UP(s->size, 4096ull);
	if (ret < 0)
		shared_release(s);
	return ret;
}

void shared_release(struct shared_maps *s)
{
	free(s->v);
	*s = (struct shared_maps){ 0 };
}

void shared_init(const struct shared_maps *s, const struct program *p, u8 *block)
{
	if (p->data_map < s->n && p->data)
		memcpy(block + s->v[p->data_map].offset, p->data, p->data_size);
}

/* ---- hashes */

static u64 mix(u64 h, u64 piece)
{
	h = (h ^ piece) * SHARED_FACTOR;
	return h ^ h >> 32;
}

/* Words of 8 bytes, then 4, 2 and 1. */
u64 shared_hash_of(const void *key, u32 len)
{
	const u8 *p = key;
	u64 h = 0;

	for (u32 size = 8; len; size = len < size ? size / 2 : size) {
		u64 piece = 0;

		if (len < size)
			continue;
		memcpy(&piece, p, size);
		h = mix(h, piece);
		p += size;
		len -= size;
	}
	return h;
}

static u32 *tag_at(const struct shared_map *m, const u8 *block, u32 slot)
{
	struct shared_hash *h = (void *)(uintptr_t)(block + m->offset);

	return &h->tag[slot & (m->n_slots - 1)];
}

static struct shared_hash *head_of(const struct shared_map *m, u8 *block)
{
	return (void *)(block + m->offset);
}

static u32 tag_of(const struct shared_map *m, const u8 *block, u32 slot)
{
	return __atomic_load_n(tag_at(m, block, slot), __ATOMIC_ACQUIRE);
}

static bool exchange(const struct shared_map *m, u8 *block, u32 slot, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(tag_at(m, block, slot), &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void *key_at(const struct shared_map *m, const u8 *block, u32 slot)
{
	return (void *)(uintptr_t)(block + m->keys + (u64)slot * m->key_stride);
}

static bool has_key(const struct shared_map *m, const u8 *block, u32 slot, const void *key)
{
	return !memcmp(key_at(m, block, slot), key, m->key_size);
}

bool shared_is_live(const struct shared_map *m, const u8 *block, u32 slot)
{
	return (tag_of(m, block, slot) & SHARED_STATE) == SHARED_READY;
}

u32 shared_find(const struct shared_map *m, const u8 *block, const void *key)
{
	u32 hash = (u32)shared_hash_of(key, m->key_size), want = hash | SHARED_STATE,
	    slot = hash >> 2;

	for (u32 n = 0; n < m->n_slots; n++, slot++) {
		u32 tag;

		slot &= m->n_slots - 1;
		tag = tag_of(m, block, slot);
		if (!tag)
			return 0;
		if ((tag | SHARED_STATE) == want && (tag & SHARED_STATE) == SHARED_READY &&
		    has_key(m, block, slot, key))
			return slot + 1;
	}
	return 0;
}

static void add(u32 *count, u32 n)
{
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

/* Counts one more; false: it would be more than most. */
static bool count_up(u32 *count, u32 most)
{
	if (__atomic_fetch_add(count, 1, __ATOMIC_RELAXED) < most)
		return true;
	add(count, ~0u);
	return false;
}

static void clear_value(const struct shared_map *m, u8 *block, u32 slot)
{
	u64 size = (u64)m->value_stride * m->n_copies;

	memset(block + m->values + slot * size, 0, size);
}

/* State of a slot that may be the key's. */
enum outcome { OTHER, FOUND, MADE, FULL, AGAIN };

static enum outcome try_slot(const struct shared_map *m, u8 *block, u32 slot, u32 hash,
			     const void *key)
{
	struct shared_hash *head = head_of(m, block);
	u32 tag = tag_of(m, block, slot), busy = (hash & ~(u32)SHARED_STATE) | SHARED_BUSY;

	if (tag && (tag | SHARED_STATE) != (hash | SHARED_STATE))
		return OTHER;
	if ((tag & SHARED_STATE) == SHARED_BUSY)
		return AGAIN;
	if (tag && !has_key(m, block, slot, key))
		return OTHER;
	if ((tag & SHARED_STATE) == SHARED_READY)
		return FOUND;
	if (!tag && !count_up(&head->used, m->n_slots / 8 * 7))
		return FULL;
	if (!exchange(m, block, slot, tag, busy)) {
		if (!tag)
			add(&head->used, ~0u);
		return AGAIN;
	}
	memcpy(key_at(m, block, slot), key, m->key_size);
	clear_value(m, block, slot);
	__atomic_store_n(tag_at(m, block, slot), busy ^ SHARED_STATE, __ATOMIC_RELEASE);
	return MADE;
}

/* False: long enough. */
static bool wait_for_maker(u32 *turns)
{
	enum { OFTEN = 2000, MOST = OFTEN + 200 };

	if (++*turns > OFTEN)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return *turns <= MOST;
}

static enum outcome look_for(const struct shared_map *m, u8 *block, const void *key, u32 *at)
{
	u32 hash = (u32)shared_hash_of(key, m->key_size), slot = hash >> 2, turns = 0;
	enum outcome o;

	for (u32 n = 0; n < m->n_slots; n++, slot++) {
		*at = slot &= m->n_slots - 1;
		while ((o = try_slot(m, block, slot, hash, key)) == AGAIN && wait_for_maker(&turns))
			;
		if (o != OTHER)
			return o;
	}
	return FULL;
}

u32 shared_insert(const struct shared_map *m, u8 *block, const void *key, bool *is_new, int *error)
{
	u32 slot = shared_find(m, block, key);
	enum outcome o;

	*is_new = false;
	if (slot)
		return slot;
	*error = -E2BIG;
	if (!count_up(&head_of(m, block)->live, m->max_entries))
		return 0;
	o = look_for(m, block, key, &slot);
	*is_new = o == MADE;
	if (o != MADE)
		add(&head_of(m, block)->live, ~0u);
	if (o == AGAIN)
		*error = -EBUSY;
	return o == MADE || o == FOUND ? slot + 1 : 0;
}

int shared_delete(const struct shared_map *m, u8 *block, const void *key)
{
	u32 slot = shared_find(m, block, key), tag;

	if (!slot--)
		return -ENOENT;
	tag = (u32)shared_hash_of(key, m->key_size) | SHARED_STATE;
	if (!exchange(m, block, slot, tag ^ 1, tag))
		return -ENOENT;
	add(&head_of(m, block)->live, ~0u);
	return 0;
}
