/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Determines which loads of a member the verifier accepts through a BTF pointer (kernel/bpf/btf.c,
 * btf_struct_walk). Where kernels differ (flexible arrays, offsets covered by several members of a
 * union) the result is the strictest one.
 */
#include "type/walk.h"

enum { MAX_NESTING = 16 };

bool type_same_in_kernel(const struct type *a, const struct type *b)
{
	return a->kind == TY_STRUCT && b->kind == TY_STRUCT && a->in_kernel && b->in_kernel &&
	       a->origin == b->origin && a->origin_id == b->origin_id;
}

static enum walk walk_pointer(const struct type *t, u32 offset, u32 size, const struct type **to)
{
	if (offset || size != 8)
		return WALK_REFUSED; /* part of a pointer, whatever it points to */
	if (t->elem->kind != TY_STRUCT || !t->elem->in_kernel)
		return t->elem->kind == TY_STRUCT ?
			       WALK_REFUSED :
			       WALK_NUMBER; /* only a forward declaration: kernels differ */
	*to = t->elem;
	return t->is_offset || t->space == SPACE_USER ? WALK_NUMBER : WALK_POINTER;
}

static enum walk walk(const struct type *t, u32 offset, u32 size, u32 depth,
		      const struct type **to);

/* A member that begins at or before the access; offset is relative to the member. */
static enum walk walk_member(const struct type *t, u32 offset, u32 size, u32 depth,
			     const struct type **to)
{
	for (; t->kind == TY_ARRAY; t = t->elem) {
		if (!t->elem->size || offset + size > t->size)
			return WALK_REFUSED;
		offset %= t->elem->size;
		/* a whole element: its typedef's name is no structure to 6.1 */
		if (t->elem->kind == TY_STRUCT && t->elem->size == size)
			return WALK_REFUSED;
	}
	if (t->kind == TY_STRUCT)
		return walk(t, offset, size, depth + 1, to);
	if (t->kind == TY_POINTER)
		return walk_pointer(t, offset, size, to);
	return offset + size <= t->size ? WALK_NUMBER : WALK_REFUSED;
}

/* The access overlaps a bitfield, or begins before one. */
static bool meets_bits(const struct field *f, u32 offset, u32 size)
{
	return f->bit_size && offset * 8 < f->offset * 8 + f->bit_offset + f->bit_size &&
	       offset + size > f->offset;
}

static enum walk walk(const struct type *t, u32 offset, u32 size, u32 depth, const struct type **to)
{
	if (!t->in_kernel || depth >= MAX_NESTING || !type_complete(t)->size ||
	    offset + size > t->size)
		return WALK_REFUSED;
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];

		if (f->type->kind == TY_ERROR || meets_bits(f, offset, size))
			return WALK_REFUSED;
		if (f->bit_size || offset >= f->offset + f->type->size)
			continue;
		return offset < f->offset ?
			       WALK_REFUSED :
			       walk_member(f->type, offset - f->offset, size, depth, to);
	}
	return WALK_REFUSED;
}

enum walk type_walk(const struct type *t, u32 offset, u32 size, const struct type **to)
{
	return walk(t, offset, size, 0, to);
}
