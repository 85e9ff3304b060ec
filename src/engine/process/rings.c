/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of include/sonde/sonde.h (points.c) and of functions (functions.c): shared memory, so that
 * they outlive the process. The process is not trusted: positions, sizes and offsets are checked,
 * and each record is copied before it is. After each ring of functions there is space for the end
 * of a record (jit/jit.h).
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "engine/process/internal.h"
#include "jit/jit.h"

struct module {
	u64 address;
	u8 *at;                        /* NULL: could not be mapped */
	u32 n_rings, ring_size, slack; /* slack: bytes after each ring, 0: records wrap */
	u64 *tails;                    /* read up to here: the process can change its copy */
	u64 lost_before, lost;
};

struct rings {
	u32 pid; /* 0: memory of this process */
	struct module *v;
	u32 n;
	u64 broken;
	struct {
		struct sonde_record r;
		u8 text[SONDE_TEXT_MAX + 8];
	} copy;
};
_Static_assert(sizeof(((struct rings *)0)->copy) <= JIT_RING_SLACK &&
		       JIT_MOST_RECORD + sizeof(struct jit_record) <=
			       sizeof(((struct rings *)0)->copy),
	       "records fit after the ring and in the copy");

struct rings *rings_new(u32 pid)
{
	struct rings *r = xcalloc(1, sizeof *r);

	r->pid = pid;
	return r;
}

static struct module *add_module(struct rings *r, u64 address)
{
	r->v = xrealloc(r->v, (r->n + 1) * sizeof *r->v);
	r->v[r->n] = (struct module){ .address = address };
	return &r->v[r->n++];
}

static size_t ring_bytes(const struct module *m)
{
	return (size_t)SONDE_RING_HEADER + m->ring_size + m->slack;
}

static struct sonde_ring *ring_of(const struct module *m, u32 i)
{
	return (struct sonde_ring *)(void *)(m->at + i * ring_bytes(m));
}

void rings_add_mapped(struct rings *r, void *at, u32 n_rings, u32 ring_size)
{
	struct module *m = add_module(r, 0);

	m->at = at;
	m->n_rings = n_rings;
	m->ring_size = ring_size;
	m->slack = JIT_RING_SLACK;
	m->tails = xcalloc(n_rings, sizeof *m->tails);
	for (u32 i = 0; i < n_rings; i++) /* no tail is that */
		memset((u8 *)ring_of(m, i) + JIT_RING_STUCK, 0xff, 8);
}

struct rings *rings_over(void *at, u32 n_rings, u32 ring_size)
{
	struct rings *r = rings_new(0);

	rings_add_mapped(r, at, n_rings, ring_size);
	return r;
}

void rings_free(struct rings *r)
{
	if (!r)
		return;
	for (u32 i = 0; i < r->n; i++) {
		struct module *m = &r->v[i];

		if (m->at && r->pid)
			munmap(m->at, m->n_rings * ring_bytes(m));
		free(m->tails);
	}
	free(r->v);
	free(r);
}

static void set_tail(struct module *m, u32 i, u64 tail)
{
	m->tails[i] = tail;
	__atomic_store_n(&ring_of(m, i)->tail, tail, __ATOMIC_RELEASE);
}

static u64 head_of(const struct module *m, u32 i)
{
	return __atomic_load_n(&ring_of(m, i)->head, __ATOMIC_ACQUIRE);
}

void rings_look(struct rings *r)
{
	struct sonde_module state;

	for (u32 i = 0; i < r->n; i++)
		if (r->v[i].address && process_read(r->pid, r->v[i].address, &state, sizeof state))
			r->v[i].lost = state.lost;
}

static u64 lost_by(const struct module *m)
{
	u64 n = m->lost;

	for (u32 i = 0; m->at && i < m->n_rings; i++)
		n += __atomic_load_n(&ring_of(m, i)->lost, __ATOMIC_RELAXED);
	return n;
}

bool rings_have(const struct rings *r, u64 module)
{
	for (u32 i = 0; i < r->n; i++)
		if (r->v[i].address == module)
			return true;
	return false;
}

int rings_add_points(struct rings *r, const struct point_rings *of, struct err *err)
{
	struct module *m = add_module(r, of->module);
	void *at;

	m->n_rings = of->n_rings;
	m->ring_size = of->ring_size;
	at = mmap(NULL, m->n_rings * ring_bytes(m), PROT_READ | PROT_WRITE, MAP_SHARED, of->fd, 0);
	if (at == MAP_FAILED)
		return err_sys(err, "map the rings of process %u", r->pid);
	m->at = at;
	m->tails = xcalloc(m->n_rings, sizeof *m->tails);
	rings_look(r);
	m->lost_before = m->lost;
	return 0;
}

u64 rings_lost(const struct rings *r)
{
	u64 n = r->broken;

	for (u32 i = 0; i < r->n; i++) {
		u64 lost = lost_by(&r->v[i]);

		n += lost - MIN(lost, r->v[i].lost_before);
	}
	return n;
}

/* ---- reading */

static void take(const struct module *m, const struct sonde_ring *ring, u64 from, void *to,
		 u32 size)
{
	const u8 *data = (const u8 *)ring + SONDE_RING_HEADER;

	if (m->slack) {
		memcpy(to, data + (from & (m->ring_size - 1)), size);
		return;
	}
	for (u32 i = 0; i < size; i += 8)
		memcpy((u8 *)to + i, data + ((from + i) & (m->ring_size - 1)), 8);
}

static u32 record_size(const struct sonde_record *r)
{
	return r->size & ~(u32)JIT_RECORD_SENT;
}

const void *rings_sent(const struct sonde_record *r, u32 *len)
{
	const struct jit_record *sent = (const void *)r;

	if (!(r->size & JIT_RECORD_SENT) || sent->len > record_size(r) - sizeof *sent)
		return NULL;
	*len = sent->len;
	return sent->payload;
}

/* The header of the next record of ring i, or false: it is empty. Invalid records are skipped and
 * counted. */
static bool peek(struct rings *r, struct module *m, u32 i, struct sonde_record *first)
{
	u64 end = head_of(m, i), at = m->tails[i];
	u32 size;

	if (end == at)
		return false;
	if (end - at <= m->ring_size && end - at >= RECORD_WORDS) {
		take(m, ring_of(m, i), at, first, RECORD_WORDS);
		size = record_size(first);
		if (size >= RECORD_WORDS && size <= end - at && size <= sizeof r->copy &&
		    !(size & 7) && (size == first->size || m->slack))
			return true;
	}
	r->broken++;
	set_tail(m, i, end & ~7ull);
	return false;
}

const struct sonde_record *rings_next(struct rings *r, u64 until, u32 *cpu)
{
	struct sonde_record first, oldest = { 0 };
	struct module *of = NULL;
	u32 ring = 0;

	for (u32 i = 0; i < r->n; i++)
		for (u32 k = 0; r->v[i].at && k < r->v[i].n_rings; k++) {
			if (!peek(r, &r->v[i], k, &first) || (of && first.time >= oldest.time))
				continue;
			of = &r->v[i];
			ring = k;
			oldest = first;
		}
	if (!of || oldest.time > until)
		return NULL;
	take(of, ring_of(of, ring), of->tails[ring], &r->copy, record_size(&oldest));
	memcpy(&r->copy, &oldest, RECORD_WORDS); /* as they were when checked */
	set_tail(of, ring, of->tails[ring] + record_size(&oldest));
	if (cpu)
		*cpu = ring;
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
