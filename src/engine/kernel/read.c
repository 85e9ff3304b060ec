/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole maps: read, cleared, set to zero. Hash maps go through batch commands
 * (kernel/bpf/hashtab.c, __htab_map_lookup_and_delete_batch): one call for thousands of keys,
 * values of per-CPU maps merged as they arrive. If a kernel or map type lacks them, key by key.
 *
 * A batch is read into a scratch buffer (of a per-CPU map each value is one copy for each possible
 * processor, rounded up to 8 bytes), its elements are copied to the arena in their final size, and
 * the rows are made once at the end: 100 000 keys of 8 bytes cost 3.2 MB.
 */
#include <errno.h>
#include <stdlib.h>
#include "engine/kernel/internal.h"
#include "type/agg.h"
#include "type/thread_slot.h"

enum { BATCH_KEYS = 8192 };

struct piece { /* n keys and n values that lie side by side in the arena */
	struct piece *next;
	u8 *keys, *values;
	u32 n;
};

struct reader {
	struct kernel *k;
	const struct map_desc *m;
	int fd;
	struct arena *arena;
	bool per_cpu;
	u32 n_copies, copy_size;   /* in one value as the kernel returns it */
	u32 value_size;            /* in a row */
	u8 *raw_keys, *raw_values; /* a batch as the kernel returns it */
	struct piece *first, **last;
	u32 n_rows;
};

static bool is_per_cpu(u32 bpf_type)
{
	return bpf_type == BPF_MAP_TYPE_PERCPU_HASH || bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
	       bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static void reader_init(struct reader *r, struct kernel *k, u32 map, struct arena *a)
{
	const struct map_desc *m = &k->prog->maps.v[map];

	*r = (struct reader){ .k = k, .m = m, .fd = k->map_fd[map], .arena = a };
	r->per_cpu = is_per_cpu(m->bpf_type);
	r->n_copies = r->per_cpu ? cpus_possible() : MAX(m->n_slots, 1u);
	r->copy_size = r->per_cpu ? ALIGN_UP(m->value_size, 8u) : m->value_size / r->n_copies;
	r->value_size = r->per_cpu ? m->value_size : r->copy_size;
	r->last = &r->first;
}

static size_t raw_size(const struct reader *r)
{
	return (size_t)r->copy_size * r->n_copies;
}

/* dst must be zeroed. A scalar in a per-CPU map cannot be summed: the last copy that is set
 * wins. */
static void merge(const struct reader *r, u8 *dst, const u8 *copies)
{
	const struct type *t = r->m->value;

	for (u32 cpu = 0; cpu < r->n_copies; cpu++, copies += r->copy_size)
		if (t && type_is_agg(t)) {
			if (agg_is_set(t, copies))
				agg_merge(t, dst, copies);
		} else if (memcmp(copies, dst, r->value_size) != 0) {
			memcpy(dst, copies, r->value_size);
		}
}

static u8 *merged_values(const struct reader *r, u32 n)
{
	u8 *values = arena_alloc(r->arena, (size_t)r->value_size * n);

	for (u32 i = 0; i < n; i++)
		merge(r, values + (size_t)i * r->value_size, r->raw_values + i * raw_size(r));
	return values;
}

/* Keeps the first n elements of the raw batch. */
static void add_piece(struct reader *r, u32 n)
{
	struct piece *p;

	if (!n)
		return;
	p = arena_new(r->arena, struct piece);
	p->keys = arena_dup(r->arena, r->raw_keys, (size_t)r->m->key_size * n);
	p->values = r->n_copies > 1 ? merged_values(r, n) :
				      arena_dup(r->arena, r->raw_values, (size_t)r->value_size * n);
	p->n = n;
	*r->last = p;
	r->last = &p->next;
	r->n_rows += n;
}

/* The map in batches of `room` keys. -ENOSPC: a bucket of the kernel's table is larger than a
 * batch. */
static int read_batches(struct reader *r, u32 room)
{
	u64 position[2] = { 0 };
	bool started = false;

	for (;;) {
		u32 n = room;
		int error = 0;

		if (bpf_map_lookup_batch(r->fd, started ? position : NULL, position, r->raw_keys,
					 r->raw_values, &n) < 0)
			error = errno;
		if (error && error != ENOENT)
			return -error;
		add_piece(r, n);
		if (error == ENOENT)
			return 0;
		started = true;
	}
}

static int read_one_by_one(struct reader *r)
{
	u8 *key = arena_alloc(r->arena, r->m->key_size);
	u32 limit =
		r->m->max_entries + r->m->max_entries / 4 + 16; /* keys may move during the walk */
	bool started = false;

	while (limit-- && bpf_map_next_key(r->fd, started ? key : NULL, r->raw_keys) == 0) {
		started = true;
		memcpy(key, r->raw_keys, r->m->key_size);
		add_piece(r, bpf_map_lookup(r->fd, key, r->raw_values) == 0);
	}
	return 0;
}

/* Maps of every kind that we read have them once one has (kernel/bpf/hashtab.c). */
static bool has_batches(const struct reader *r)
{
	return feature_has(r->k->features, FEAT_BATCH);
}

static int read_hash(struct reader *r)
{
	u32 room = MIN(r->m->max_entries, (u32)BATCH_KEYS);
	int ret;

	/* values are large in per-CPU maps of large machines: at most 4 MB at once */
	room = MIN(room, MAX(64u, (u32)((4u << 20) / raw_size(r))));
	for (;; room *= 4) {
		r->raw_keys = xmalloc((size_t)r->m->key_size * room);
		r->raw_values = xmalloc(raw_size(r) * room);
		r->first = NULL;
		r->last = &r->first;
		r->n_rows = 0;
		ret = has_batches(r) ? read_batches(r, room) : read_one_by_one(r);
		free(r->raw_keys);
		free(r->raw_values);
		if (ret != -ENOSPC)
			return ret;
	}
}

static void make_rows(const struct reader *r, struct table *t)
{
	t->rows.v = arena_array(r->arena, struct table_row, r->n_rows);
	t->rows.cap = r->n_rows;
	t->rows.n = 0;
	for (const struct piece *p = r->first; p; p = p->next)
		for (u32 i = 0; i < p->n; i++)
			t->rows.v[t->rows.n++] =
				(struct table_row){ p->keys + (size_t)i * r->m->key_size,
						    p->values + (size_t)i * r->value_size };
}

/* A keyless map: in the data map. It has one row, or none when it was never set. */
static int read_global(struct kernel *k, const struct map_desc *m, struct arena *a, struct table *t)
{
	const u8 *at = k->data + m->data_off;
	u8 *value;

	t->rows.n = 0;
	if (!k->data)
		return -ENOENT;
	if (!m->value || !type_is_agg(m->value)) {
		u32 size = m->value ? m->value->size : m->value_size;

		if (!__atomic_load_n((const u64 *)(const void *)at, __ATOMIC_ACQUIRE))
			return 0;
		value = arena_dup(a, at + 8, size);
	} else {
		bool set = false;

		value = arena_alloc(a, agg_size(m->value));
		for (u32 i = 0; i < m->n_slots; i++, at += m->slot_size)
			if (agg_is_set(m->value, at)) {
				agg_merge(m->value, value, at);
				set = true;
			}
		if (!set)
			return 0;
	}
	vec_push(a, &t->rows, (struct table_row){ NULL, value });
	return 0;
}

static struct thread_slot *threads_of(struct kernel *k, const struct map_desc *m)
{
	return (struct thread_slot *)(void *)(k->data + m->threads_off);
}

int kernel_map_read(struct kernel *k, u32 map, struct arena *a, struct table *t)
{
	const struct map_desc *m = &k->prog->maps.v[map];
	struct reader r;
	int ret;

	t->map = m;
	if (m->role == MAP_GLOBAL)
		return read_global(k, m, a, t);
	if (k->map_fd[map] < 0)
		return -ENOENT;
	reader_init(&r, k, map, a);
	ret = read_hash(&r);
	if (ret)
		return ret;
	make_rows(&r, t);
	if (m->threads_off)
		table_add_threads(t, a, threads_of(k, m));
	return 0;
}

static void wipe_global(struct kernel *k, const struct map_desc *m, bool keep_set)
{
	u8 *at = k->data + m->data_off;

	if (!k->data)
		return;
	if (m->value && type_is_agg(m->value))
		memset(at, 0, (size_t)m->n_slots * m->slot_size);
	else if (keep_set)
		memset(at + 8, 0, m->value ? m->value->size : m->value_size);
	else
		memset(at, 0, 8 + (m->value ? m->value->size : m->value_size));
}

/* Applies f to every key that the map has now. */
static int each_key(struct kernel *k, u32 map,
		    int (*f)(const struct reader *r, const struct piece *p))
{
	struct arena a;
	struct reader r;
	int ret;

	arena_init(&a);
	reader_init(&r, k, map, &a);
	ret = read_hash(&r);
	for (const struct piece *p = r.first; ret == 0 && p; p = p->next)
		ret = f(&r, p);
	arena_release(&a);
	return ret;
}

/* A key that a program has deleted in the meantime ends a batch: the next one begins after it. */
static int delete_keys(const struct reader *r, const struct piece *p)
{
	for (u32 at = 0; at < p->n;) {
		u32 n = p->n - at;

		if (bpf_map_delete_batch(r->fd, p->keys + (size_t)at * r->m->key_size, &n) == 0)
			return 0;
		if (errno != ENOENT)
			break;
		at += n + 1;
	}
	for (u32 i = 0; i < p->n; i++) /* no batches here; keys that are gone do no harm */
		bpf_map_delete(r->fd, p->keys + (size_t)i * r->m->key_size);
	return 0;
}

static int zero_keys(const struct reader *r, const struct piece *p)
{
	u8 *zeroes = xcalloc(1, raw_size(r));

	for (u32 i = 0; i < p->n; i++) /* fails if a program has deleted the key in the meantime */
		bpf_map_update(r->fd, p->keys + (size_t)i * r->m->key_size, zeroes, BPF_EXIST);
	free(zeroes);
	return 0;
}

int kernel_map_clear(struct kernel *k, u32 map)
{
	const struct map_desc *m = &k->prog->maps.v[map];

	if (m->role == MAP_GLOBAL) {
		wipe_global(k, m, false);
		return 0;
	}
	if (k->map_fd[map] < 0)
		return -ENOENT;
	if (m->threads_off)
		thread_slots_delete(threads_of(k, m));
	return each_key(k, map, delete_keys);
}

int kernel_map_zero(struct kernel *k, u32 map)
{
	const struct map_desc *m = &k->prog->maps.v[map];

	if (m->role == MAP_GLOBAL) {
		wipe_global(k, m, true);
		return 0;
	}
	if (k->map_fd[map] < 0)
		return -ENOENT;
	if (m->threads_off)
		thread_slots_zero(threads_of(k, m));
	return each_key(k, map, zero_keys);
}

int kernel_map_delete(struct kernel *k, u32 map, const void *key)
{
	const struct map_desc *m = &k->prog->maps.v[map];
	struct thread_slot *s;

	if (k->map_fd[map] < 0)
		return -ENOENT;
	s = m->threads_off ? thread_slot_of(threads_of(k, m), key) : NULL;
	if (s)
		return thread_slot_delete(s) ? 0 : -ENOENT;
	return bpf_map_delete(k->map_fd[map], key) < 0 ? -errno : 0;
}
