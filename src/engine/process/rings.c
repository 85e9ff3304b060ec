/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of include/sonde/sonde.h, which a process maps at its first record: found by struct
 * sonde_module, mapped by /proc/PID/map_files, so that they stay when the process dies. The process is
 * not trusted: positions, sizes and offsets are checked, and each record is copied before it is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include "base/fd.h"
#include "engine/process/internal.h"
#include "sym/procmaps.h"

enum { MOST_RINGS = 8192, MOST_BYTES = 1 << 30 };

struct module {
	u64 address;
	u8 *at; /* NULL: not mapped yet */
	u32 n_rings, ring_size;
	u64 lost_before, lost;
};

struct rings {
	u32 pid, n;
	bool skip;
	struct module *v;
	u64 broken;
	struct {
		struct sonde_record r;
		u8 text[SONDE_TEXT_MAX + 8];
	} copy;
};

struct rings *rings_new(u32 pid, const u64 *modules, u32 n)
{
	struct rings *r = xcalloc(1, sizeof *r);

	r->pid = pid;
	r->n = n;
	r->v = xcalloc(n + 1ul, sizeof *r->v);
	for (u32 i = 0; i < n; i++)
		r->v[i].address = modules[i];
	return r;
}

struct rings *rings_over(void *at, u32 n_rings, u32 ring_size)
{
	struct rings *r = rings_new(0, &(u64){ 0 }, 1);

	r->v[0] = (struct module){ .at = at, .n_rings = n_rings, .ring_size = ring_size };
	return r;
}

static size_t ring_bytes(const struct module *m)
{
	return (size_t)SONDE_RING_HEADER + m->ring_size;
}

static struct sonde_ring *ring_of(const struct module *m, u32 i)
{
	return (struct sonde_ring *)(void *)(m->at + i * ring_bytes(m));
}

void rings_free(struct rings *r)
{
	if (!r)
		return;
	for (u32 i = 0; i < r->n; i++)
		if (r->v[i].at && r->pid)
			munmap(r->v[i].at, r->v[i].n_rings * ring_bytes(&r->v[i]));
	free(r->v);
	free(r);
}

/* ---- mapping */

static bool read_process(u32 pid, u64 address, void *to, size_t size)
{
	struct iovec here = { to, size }, there = { (void *)(uintptr_t)address, size };

	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The file of the mapping at that address. */
static int open_mapping(u32 pid, u64 address)
{
	struct procmaps maps = {};
	const struct mapping *m;
	struct err err = {};
	char path[80];
	int fd = -1;

	if (procmaps_read(&maps, pid, &err) < 0)
		return -1;
	m = procmaps_find(&maps, address);
	if (m && m->start == address && m->shared) {
		snprintf(path, sizeof path, "/proc/%u/map_files/%llx-%llx", pid,
			 (unsigned long long)m->start, (unsigned long long)m->end);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	procmaps_release(&maps);
	return fd;
}

static void skip_written(const struct module *m)
{
	for (u32 i = 0; i < m->n_rings; i++) {
		struct sonde_ring *ring = ring_of(m, i);

		__atomic_store_n(&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	}
}

static void map(struct rings *r, struct module *m)
{
	struct sonde_module state;
	struct sonde_page page;
	void *at;

	if (!read_process(r->pid, m->address, &state, sizeof state))
		return;
	m->lost = state.lost;
	if (state.state != SONDE_MAPPED || !state.n_rings || state.n_rings > MOST_RINGS ||
	    !state.ring_size || state.ring_size & (state.ring_size - 1) ||
	    (u64)state.n_rings * state.ring_size > MOST_BYTES ||
	    !read_process(r->pid, (u64)(uintptr_t)state.page, &page, sizeof page))
		return;
	m->n_rings = state.n_rings;
	m->ring_size = state.ring_size;
	_fd int fd = open_mapping(r->pid, (u64)(uintptr_t)page.rings);
	if (fd < 0 || lseek(fd, 0, SEEK_END) < (off_t)(m->n_rings * ring_bytes(m)))
		return;
	at = mmap(NULL, m->n_rings * ring_bytes(m), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	m->at = at == MAP_FAILED ? NULL : at;
	if (m->at && r->skip)
		skip_written(m);
}

void rings_skip(struct rings *r)
{
	r->skip = true;
	for (u32 i = 0; i < r->n; i++) {
		map(r, &r->v[i]);
		r->v[i].lost_before = r->v[i].lost;
		for (u32 k = 0; r->v[i].at && k < r->v[i].n_rings; k++)
			r->v[i].lost_before += ring_of(&r->v[i], k)->lost;
	}
	r->skip = false;
}

u64 rings_lost(const struct rings *r)
{
	u64 n = r->broken;

	for (u32 i = 0; i < r->n; i++) {
		const struct module *m = &r->v[i];
		u64 lost = m->lost;

		for (u32 k = 0; m->at && k < m->n_rings; k++)
			lost += __atomic_load_n(&ring_of(m, k)->lost, __ATOMIC_RELAXED);
		n += lost - MIN(lost, m->lost_before);
	}
	return n;
}

/* ---- reading */

static void take(const struct module *m, const struct sonde_ring *ring, u64 from, void *to,
		 u32 size)
{
	const u8 *data = (const u8 *)ring + SONDE_RING_HEADER;

	for (u32 i = 0; i < size; i += 8)
		memcpy((u8 *)to + i, data + ((from + i) & (m->ring_size - 1)), 8);
}

/* Its first words, or false: it is empty. What cannot be is skipped and counted. */
static bool peek(struct rings *r, const struct module *m, struct sonde_ring *ring,
		 struct sonde_record *head)
{
	u64 end = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), at = ring->tail;

	if (end == at)
		return false;
	if (end - at <= m->ring_size && !(at & 7) && end - at >= RECORD_WORDS) {
		take(m, ring, at, head, RECORD_WORDS);
		if (head->size >= RECORD_WORDS && head->size <= end - at && !(head->size & 7) &&
		    head->size <= sizeof r->copy.r + SONDE_TEXT_MAX + 8)
			return true;
	}
	r->broken++;
	__atomic_store_n(&ring->tail, end & ~7ull, __ATOMIC_RELEASE);
	return false;
}

const struct sonde_record *rings_next(struct rings *r, u32 *cpu)
{
	struct sonde_ring *oldest = NULL;
	const struct module *of = NULL;
	struct sonde_record head;
	u64 time = 0;

	for (u32 i = 0; i < r->n; i++) {
		if (!r->v[i].at)
			map(r, &r->v[i]);
		for (u32 k = 0; r->v[i].at && k < r->v[i].n_rings; k++) {
			struct sonde_ring *ring = ring_of(&r->v[i], k);

			if (!peek(r, &r->v[i], ring, &head) || (oldest && head.time >= time))
				continue;
			oldest = ring;
			of = &r->v[i];
			time = head.time;
			if (cpu)
				*cpu = k;
		}
	}
	if (!oldest || !peek(r, of, oldest, &head))
		return NULL;
	take(of, oldest, oldest->tail, &r->copy, head.size);
	r->copy.r.size = head.size; /* as it was checked */
	__atomic_store_n(&oldest->tail, oldest->tail + head.size, __ATOMIC_RELEASE);
	return &r->copy.r;
}

void record_context(struct record_context *c, const struct sonde_record *r, u64 strings)
{
	u32 used = 0;

	memset(&c->r, 0, sizeof c->r);
	memcpy(&c->r, r, MIN(r->size, (u32)sizeof c->r));
	for (u32 i = 0; i < ARRAY_SIZE(c->r.word); i++) {
		u64 word = c->r.word[i], at = (u32)word, len = word >> 32;

		if (!(strings >> i & 1) || !word)
			continue;
		c->r.word[i] = 0;
		if (at > r->size || len > r->size - at || len >= sizeof c->text - used)
			continue;
		memcpy(c->text + used, (const u8 *)r + at, len);
		c->text[used + len] = 0;
		c->r.word[i] = (u64)(uintptr_t)(c->text + used);
		used += (u32)len + 1;
	}
}
