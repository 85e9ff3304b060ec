/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets of members by the System V ABI's rules, which x86-64 and arm64 share. A bitfield follows
 * the bits before it unless it would cross a boundary of its declared type; then it begins at that
 * boundary. It is described by the byte offset of its storage unit and the bit within.
 *
 *	struct { u16 a : 3; u16 b : 14; u8 c; }
 *	byte 0      1      2      3      4      5
 *	     aaa... ...... bbbbbb bbbbbb cccccc padding
 */
#include "lang/cdecl/cdecl.h"

struct layout {
	u64 bit;   /* the next free bit */
	u64 size;  /* bits, of the largest member in a union */
	u32 align; /* bytes */
	bool is_union, packed;
	u32 pack;
};

static u32 align_of(const struct layout *l, const struct c_member *m)
{
	u32 natural = l->packed || m->packed ? 1 : MAX(m->type->align, 1u);

	if (l->pack)
		natural = MIN(natural, l->pack);
	return MAX(natural, m->align);
}

static u64 place_bits(struct layout *l, const struct c_member *m)
{
	u64 unit = (u64)m->type->size * 8, bits = (u64)m->bits;

	if (!bits) { /* "int : 0;" closes the unit */
		l->bit = ALIGN_UP(l->bit, unit);
		return l->bit;
	}
	if (!l->packed && l->bit / unit != (l->bit + bits - 1) / unit)
		l->bit = ALIGN_UP(l->bit, unit);
	l->bit += bits;
	return l->bit - bits;
}

static u64 place(struct layout *l, const struct c_member *m)
{
	u64 at;

	if (l->is_union)
		l->bit = 0;
	if (m->bits >= 0) {
		at = place_bits(l, m);
		if (*m->name)
			l->align = MAX(l->align, align_of(l, m));
	} else {
		at = ALIGN_UP(l->bit, (u64)align_of(l, m) * 8);
		l->bit = at + (u64)m->type->size * 8;
		l->align = MAX(l->align, align_of(l, m));
	}
	l->size = MAX(l->size, l->bit);
	return at;
}

static struct field field_of(const struct layout *l, const struct c_member *m, u64 bit)
{
	struct field f = { .name = m->name, .type = m->type, .offset = (u32)(bit / 8) };
	u64 unit = (u64)m->type->size * 8;

	f.from_user = m->from_user;
	if (m->bits <= 0)
		return f;
	f.bit_size = (u8)m->bits;
	f.offset = l->packed ? (u32)(bit / 8) : (u32)(bit / unit * m->type->size);
	f.bit_offset = (u8)(bit - (u64)f.offset * 8);
	return f;
}

bool cdecl_lay_out(struct arena *a, struct type *t, const struct c_members *members,
		   const struct c_attrs *attrs)
{
	struct layout l = {
		.align = 1, .is_union = t->is_union, .packed = attrs->packed, .pack = attrs->pack
	};
	struct field *fields = arena_array(a, struct field, members->list.n);
	u32 n = 0;

	for (u32 i = 0; i < members->list.n; i++) {
		const struct c_member *m = &members->list.v[i];
		u64 bit = place(&l, m);

		if (l.size > (u64)INT32_MAX * 8)
			return false;
		if (m->bits < 0 || *m->name)
			fields[n++] = field_of(&l, m, bit);
	}
	l.align = MAX(l.align, attrs->align);
	t->fields = fields;
	t->n_fields = n;
	t->align = l.align;
	t->size = (u32)ALIGN_UP((l.size + 7) / 8, (u64)l.align);
	return true;
}
