/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring buffer, one producer and one consumer (kernel/bpf/ringbuf.c). Positions only grow; a
 * record is a header of 8 bytes and its payload rounded to 8. The host memory is twice the ring, so
 * that a record which crosses the end is contiguous: the bytes at the start of the ring that it
 * covers are accounted as used, so no other record has them.
 */
#include <errno.h>
#include <stdlib.h>

#include "vm/vm_impl.h"

enum { RING_HEADER = 8, RING_DEFAULT = 1 << 20 };
#define RING_BUSY 0x80000000u
#define RING_DISCARD 0x40000000u

void vm_ring_init(struct vm *vm, struct vm_map *m)
{
	u64 want = m->max_entries      ? m->max_entries :
		   vm->world.ring_size ? vm->world.ring_size :
					 RING_DEFAULT;

	for (m->size = 4096; m->size < want && m->size < 1u << 30;)
		m->size *= 2;
	m->region = vm_region(vm, (struct region){ .kind = RG_RING,
						   .host = xcalloc(2, m->size),
						   .size = 2 * m->size,
						   .map = m->index });
}

static u32 *header(const struct vm *vm, const struct vm_map *m, u64 pos)
{
	void *p = vm->region[m->region].host + (pos & (m->size - 1));

	return p;
}

u64 vm_ring_reserve(struct vm *vm, struct vm_map *m, u64 len)
{
	u64 total = ALIGN_UP(len + RING_HEADER, 8ull);

	/* as in __bpf_ringbuf_reserve(): one byte of the ring always stays free */
	if (len >= RING_DISCARD || m->produced + total - m->consumed > m->size - 1)
		return 0;
	if (m->n_held == m->held_cap) {
		m->held_cap = MAX(2 * m->held_cap, 4u);
		m->held = xrealloc(m->held, m->held_cap * sizeof *m->held);
	}

	u32 off = (m->produced & (m->size - 1)) + RING_HEADER;

	*header(vm, m, m->produced) = (u32)len | RING_BUSY;
	m->held[m->n_held++] = (struct vm_record){ off, (u32)len };
	m->produced += total;
	return vm_addr(m->region, off);
}

int vm_ring_finish(struct vm *vm, u64 addr, bool discard)
{
	u32 n = (u32)(addr >> 32) & 0xffff, off = (u32)addr - VM_START;

	if (!vm_is_own(addr) || n >= vm->n_regions || vm->region[n].kind != RG_RING)
		return vm_fault(vm, -EINVAL, "submits something that is not a ring record");

	struct vm_map *m = &vm->map[vm->region[n].map];

	for (u32 i = 0; i < m->n_held; i++)
		if (m->held[i].off == off) {
			void *p = vm->region[n].host + off - RING_HEADER;
			u32 *head = p;

			*head = (*head & ~RING_BUSY) | (discard ? RING_DISCARD : 0);
			m->held[i] = m->held[--m->n_held];
			return 0;
		}
	return vm_fault(vm, -EINVAL, "submits a ring record that is not reserved, or no longer");
}

u32 vm_ring_held(const struct vm *vm)
{
	u32 n = 0;

	for (u32 i = 0; i < vm->n_maps; i++)
		n += vm->map[i].n_held;
	return n;
}

void vm_ring_drop_held(struct vm *vm)
{
	for (u32 i = 0; i < vm->n_maps; i++)
		while (vm->map[i].n_held)
			vm_ring_finish(vm, vm_addr(vm->map[i].region, vm->map[i].held[0].off),
				       true);
}

u64 vm_ring_query(const struct vm_map *m, u64 what)
{
	switch (what) {
	case BPF_RB_AVAIL_DATA: return m->produced - m->consumed;
	case BPF_RB_RING_SIZE: return m->size;
	case BPF_RB_CONS_POS: return m->consumed;
	case BPF_RB_PROD_POS: return m->produced;
	}
	return 0;
}

static int drain(struct vm *vm, struct vm_map *m, vm_record_fn f, void *ctx, bool *stop)
{
	int n = 0;

	while (!*stop && m->consumed < m->produced) {
		u32 *head = header(vm, m, m->consumed), len = *head & ~(RING_BUSY | RING_DISCARD);

		if (*head & RING_BUSY)
			break;
		m->consumed += ALIGN_UP(len + RING_HEADER, 8u);
		if (*head & RING_DISCARD)
			continue;
		n++;
		*stop = f(ctx, (u8 *)head + RING_HEADER, len) != 0;
	}
	return n;
}

int vm_drain(struct vm *vm, vm_record_fn f, void *ctx)
{
	bool stop = false;
	int n = 0;

	for (u32 i = 0; i < vm->n_maps && !stop; i++)
		if (vm->map[i].type == BPF_MAP_TYPE_RINGBUF)
			n += drain(vm, &vm->map[i], f, ctx, &stop);
	return n;
}
