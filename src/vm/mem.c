/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address translation and access checks. In: a machine address and a length, of every load and
 * store of a program. Out: a host pointer, or a fault whose text gives the region and its bounds.
 * Stack bytes must be written before they are read, as the kernel's verifier demands
 * (kernel/bpf/verifier.c, check_stack_read).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "vm/vm_impl.h"

int vm_fault(struct vm *vm, int code, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (vm->fault.code)
		return vm->fault.code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(&vm->fault, code, "instruction %u: %s", vm->pc, text);
}

u32 vm_region(struct vm *vm, struct region r)
{
	if (vm->n_regions == VM_REGION_MAP)
		BUG("more than %u memory regions", VM_REGION_MAP);
	if (vm->n_regions == vm->cap_regions) {
		vm->cap_regions = MAX(2 * vm->cap_regions, 32u);
		vm->region = xrealloc(vm->region, vm->cap_regions * sizeof *vm->region);
	}
	vm->region[vm->n_regions] = r;
	return vm->n_regions++;
}

u32 vm_frame_enter(struct vm *vm)
{
	memset(vm->written + vm->n_frames * VM_FRAME_STRIDE, 0, VM_FRAME_STRIDE);
	return ++vm->n_frames * VM_FRAME_STRIDE;
}

static const char *region_text(struct vm *vm, const struct region *r, char *buf, size_t size)
{
	const char *map = r->kind >= RG_KEYS ? vm->map[r->map].desc->name : "";

	switch (r->kind) {
	case RG_STACK: return "the stack";
	case RG_CTX: return "the context";
	case RG_KEYS: snprintf(buf, size, "a key of map %s", map); break;
	case RG_VALUES: snprintf(buf, size, "a value of map %s", map); break;
	case RG_RING: snprintf(buf, size, "a record of ring %s", map); break;
	}
	return buf;
}

static u8 *refuse(struct vm *vm, const struct region *r, s64 off, u64 len, enum vm_access access)
{
	char buf[128];

	vm_fault(vm, -EFAULT, "%s %llu bytes at offset %lld of %s, which has %u bytes",
		 access & VM_WRITE ? "writes" : "reads", (unsigned long long)len, (long long)off,
		 region_text(vm, r, buf, sizeof buf), r->len);
	return NULL;
}

static u8 *stack_at(struct vm *vm, const struct region *r, u32 off, u64 len, enum vm_access access)
{
	u32 frame = off / VM_FRAME_STRIDE, in = off % VM_FRAME_STRIDE;

	if (frame >= vm->n_frames || in < VM_STACK || len > VM_FRAME_STRIDE - in)
		/*
		 * The gap below a frame is reported as part of that frame in its upper half, else
		 * of the previous one.
		 */
		return refuse(vm, r, in < VM_STACK / 2 ? in : (s64)in - VM_FRAME_STRIDE, len,
			      access);
	for (u32 i = 0; access & VM_READ && i < len; i++)
		if (!vm->written[off + i]) {
			vm_fault(vm, -EFAULT, "reads byte %d of the stack, which was never written",
				 (int)(in + i) - VM_FRAME_STRIDE);
			return NULL;
		}
	if (access & VM_WRITE)
		memset(vm->written + off, 1, len);
	return r->host + off;
}

static u8 *ring_at(struct vm *vm, const struct region *r, u32 off, u64 len, enum vm_access access)
{
	const struct vm_map *m = &vm->map[r->map];

	for (u32 i = 0; i < m->n_held; i++) {
		const struct vm_record *h = &m->held[i];

		if (off >= h->off && off <= h->off + h->len) {
			if (len <= h->len - (off - h->off))
				return r->host + off;
			vm_fault(vm, -EFAULT, "%s %llu bytes at offset %u of a %u-byte ring record",
				 access & VM_WRITE ? "writes" : "reads", (unsigned long long)len,
				 off - h->off, h->len);
			return NULL;
		}
	}
	vm_fault(vm, -EFAULT, "touches a ring record that is not reserved, or no longer");
	return NULL;
}

static u8 *foreign(struct vm *vm, u64 addr, u64 len)
{
	if (vm_is_own(addr))
		vm_fault(vm, -EFAULT, "uses a map or function reference as an address");
	else
		vm_fault(vm, -EFAULT, "%llu bytes at 0x%llx are not memory of the program%s",
			 (unsigned long long)len, (unsigned long long)addr,
			 addr < 4096 ? " (a lookup's result that was not compared with 0?)" : "");
	return NULL;
}

u8 *vm_at(struct vm *vm, u64 addr, u64 len, enum vm_access access)
{
	u32 n = (u32)(addr >> 32) & 0xffff, off = (u32)addr - VM_START;

	if (!vm_is_own(addr) || n >= vm->n_regions)
		return foreign(vm, addr, len);

	const struct region *r = &vm->region[n];

	if (r->kind == RG_STACK && off < r->size)
		return stack_at(vm, r, off, len, access);
	if (r->kind == RG_RING && off < r->size)
		return ring_at(vm, r, off, len, access);
	if (off >= r->size)
		return refuse(vm, r, (s32)off, len, access);

	u32 in = r->stride ? off % r->stride : off;

	if (in >= r->len || len > r->len - in)
		return refuse(vm, r, in, len, access);
	if (access & VM_WRITE && (r->kind == RG_CTX || r->kind == RG_KEYS)) {
		vm_fault(vm, -EFAULT, "writes to %s",
			 r->kind == RG_CTX ? "the context" : "the key of a map");
		return NULL;
	}
	return r->host + off;
}

const u8 *vm_peek(struct vm *vm, u64 addr, u64 len)
{
	struct err was = vm->fault;
	u8 *p;

	vm->fault.code = 0;
	p = vm_at(vm, addr, len, VM_READ);
	vm->fault = was;
	return p;
}
