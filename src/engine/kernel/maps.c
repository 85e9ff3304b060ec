/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates the maps of a program and answers small questions about them. Reading whole maps is in
 * read.c, the mapped data in data.c. MAP_GLOBAL has no kernel map: it is in the data map.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "engine/kernel/internal.h"
#include "type/agg.h"
#include "type/unwind.h"

/* With their header, smaller elements come from a size class of at most 256 bytes; larger ones from
 * no class. */
enum { WARM_MIN = 192, WARM_MAX = 4000 };

enum { ELEMENT_MAX = 4 << 20 }; /* KMALLOC_MAX_SIZE */

static bool is_per_cpu(const struct map_desc *m)
{
	return m->bpf_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       m->bpf_type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
	       m->bpf_type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/* Which of the kernel's limits a map exceeds (kernel/bpf/hashtab.c). */
static void help_too_big(struct err *err, const struct map_desc *m)
{
	if (is_per_cpu(m) && m->value_size > SCRATCH_MAX)
		err_help(
			err,
			"a key's value for each CPU has at most %d bytes: use fewer buckets, intervals "
			"or samples",
			SCRATCH_MAX);
	else if (m->key_size + (u64)m->value_size > ELEMENT_MAX)
		err_help(err,
			 "a key and its value have at most %d bytes together: use shorter strings "
			 "(str(s, length), max_strlen)",
			 ELEMENT_MAX);
}

/*
 * The allocator below maps without preallocation (kernel/bpf/memalloc.c, 6.1) begins with one
 * object for each processor when they have more than 256 bytes, and gets more when interrupts are
 * on. Where they are off, as in sched_switch, a probe's second insertion would fail. So each
 * processor inserts one element beforehand, which makes the allocator fetch a dozen. Only sonde
 * inserts processes.
 */
static void warm_map(int fd, const struct map_desc *m)
{
	cpu_set_t before, one;
	u8 *bytes;

	if (m->bpf_type != BPF_MAP_TYPE_HASH || !(m->flags & BPF_F_NO_PREALLOC) ||
	    m->role == MAP_UNWIND_PROCESSES || m->key_size + m->value_size < WARM_MIN ||
	    m->key_size + m->value_size > WARM_MAX || sched_getaffinity(0, sizeof before, &before))
		return;
	bytes = xcalloc(1, (size_t)m->key_size + m->value_size);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof one, &one) &&
		    !bpf_map_update(fd, bytes, bytes + m->key_size, BPF_ANY))
			bpf_map_delete(fd, bytes);
	}
	sched_setaffinity(0, sizeof before, &before);
	free(bytes);
}

/*
 * Stacks that the kernel allocates beforehand take 18 MB: fewer if that exceeds 1/64 of memory. A
 * map keyed by user stacks has more keys, for stacks that are unwound later: until then each is a
 * separate key.
 */
static u32 n_elements(const struct kernel *k, const struct map_desc *m)
{
	enum { PART = 64, ELEMENT_HEAD = 64, FEWEST_STACKS = 512 };
	u64 memory = (u64)sysconf(_SC_PAGESIZE) * (u64)sysconf(_SC_PHYS_PAGES);
	u64 fit = memory / PART / (m->key_size + m->value_size + ELEMENT_HEAD);

	if (m->role == MAP_USER && m->key && type_has_user_stack(m->key) &&
	    program_map_of(k->prog, MAP_UNWIND) != NO_INDEX)
		return m->max_entries + UNWIND_MAX_KEPT;
	if (m->role != MAP_STACKS || m->flags & BPF_F_NO_PREALLOC)
		return m->max_entries;
	return (u32)MIN(MAX(fit, (u64)FEWEST_STACKS), (u64)m->max_entries);
}

/* A map that is preallocated if memory suffices and no limit applies (ir/map_shape.c). */
static bool may_grow(const struct kernel *k, const struct map_desc *m)
{
	return m->role == MAP_USER && m->bpf_type == BPF_MAP_TYPE_HASH && !m->flags &&
	       feature_has(k->features, FEAT_HASH_NO_PREALLOC);
}

static int create_map(struct kernel *k, const struct map_desc *m, struct err *err)
{
	u32 n = n_elements(k, m);
	char name[BPF_OBJ_NAME_LEN];
	int fd;

	object_name(name, m->name ? m->name : "");
	fd = bpf_map_create(m->bpf_type, name, m->key_size, m->value_size, n, m->flags);
	if (fd < 0 && errno == ENOMEM && may_grow(k, m))
		fd = bpf_map_create(m->bpf_type, name, m->key_size, m->value_size, n,
				    BPF_F_NO_PREALLOC);
	if (fd < 0)
		refused(err, TRIED_MAP, "create map %s (%u keys of %u bytes, values of %u bytes)",
			m->name, n, m->key_size, m->value_size);
	if (fd < 0 && err->code == -E2BIG)
		help_too_big(err, m);
	if (fd >= 0)
		warm_map(fd, m);
	return fd;
}

static int create_ring(struct kernel *k, const struct map_desc *m, struct err *err)
{
	u64 size = k->o.ring_size ? k->o.ring_size : kernel_ring_size();
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, (u32)size, m->flags);

	if (fd < 0) {
		refused(err, TRIED_MAP, "create a ring buffer of %llu bytes",
			(unsigned long long)size);
		if (!feature_has(k->features, FEAT_RINGBUF))
			err_help(err, "%s: %s", feature_rows[FEAT_RINGBUF].text,
				 feature_rows[FEAT_RINGBUF].without);
		return err->code;
	}
	if (ring_map(k, fd, size, err) < 0) {
		close(fd);
		return err->code;
	}
	return fd;
}

static int create_one(struct kernel *k, const struct map_desc *m, struct err *err)
{
	switch (m->role) {
	case MAP_GLOBAL:
	case MAP_DATA: return -1; /* data_create() */
	case MAP_RING: return create_ring(k, m, err);
	case MAP_UNWIND_BELL: return bell_create(k, err);
	case MAP_USER:
	case MAP_SCRATCH:
	case MAP_HUGE_SCRATCH:
	case MAP_STACKS:
	case MAP_SET:
	case MAP_UNWIND:
	case MAP_UNWIND_PROCESSES:
	case MAP_PROGS: break;
	}
	return create_map(k, m, err);
}

int kernel_create_maps(struct kernel *k, struct err *err)
{
	for (u32 i = 0; i < k->prog->maps.n; i++) {
		const struct map_desc *m = &k->prog->maps.v[i];

		if (m->role == MAP_GLOBAL || m->role == MAP_DATA)
			continue;
		k->map_fd[i] = create_one(k, m, err);
		if (k->map_fd[i] < 0)
			return err->code;
	}
	movers_load(k);
	return data_create(k, err);
}

int kernel_set_add(struct kernel *k, u32 map, const void *key, const void *value)
{
	static const u8 none[8];

	if (value || k->prog->maps.v[map].value_size <= sizeof none)
		return bpf_map_update(k->map_fd[map], key, value ? value : none, BPF_ANY) < 0 ?
			       -errno :
			       0;
	return -EINVAL;
}

void *kernel_map_memory(struct kernel *k, u32 map)
{
	const struct map_desc *m = &k->prog->maps.v[map];
	size_t size = (size_t)m->value_size * m->max_entries;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, k->map_fd[map], 0);

	return at == MAP_FAILED ? NULL : at;
}

u32 kernel_stack(struct kernel *k, const struct stack_value *v, u32 limit, u64 *ips, u64 *time)
{
	u64 frames[STACK_MAX_FRAMES];
	u32 want = MIN(v->n, limit);

	if (!v->hash)
		return 0;
	for (u32 i = 0; i < k->prog->maps.n; i++) {
		const struct map_desc *m = &k->prog->maps.v[i];
		u32 held = m->value_size / 8;

		if (m->role != MAP_STACKS || m->value_size > sizeof frames)
			continue;
		if (bpf_map_lookup(k->map_fd[i], &v->hash, frames) < 0)
			continue;
		want = MIN(want, held);
		memcpy(ips, frames, want * sizeof *ips);
		*time = frames[held - 1];
		return want;
	}
	return 0;
}
