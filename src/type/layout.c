/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include "base/buf.h"
#include "type/layout.h"

enum { MOST_DEPTH = 64, MOST_MEMBERS = 16384, MOST_BYTES = 1 << 20 };

/* ---- to text */

/* Names of C++ and Rust have all characters but these. */
static void put_name(struct buf *b, const char *name)
{
	buf_putc(b, '"');
	for (; name && *name; name++)
		buf_putc(b, *name == '"' || (u8)*name < ' ' ? '?' : *name);
	buf_putc(b, '"');
}

static bool put_members(struct buf *b, const struct type *t)
{
	buf_printf(b, "%u,%u", t->size, t->align);
	put_name(b, t->name);
	buf_putc(b, '{');
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];

		if (f->data_loc || f->virtual_at || f->is_tag || f->when)
			return false;
		put_name(b, f->name);
		buf_printf(b, "%u,%u,%u", f->offset, f->bit_offset, f->bit_size);
		if (!layout_put(b, f->type))
			return false;
	}
	buf_putc(b, '}');
	return true;
}

static bool put_enum(struct buf *b, const struct type *t)
{
	buf_printf(b, "e%u%s%s%s", t->size, t->is_signed ? "s" : "", t->is_flags ? "f" : "",
		   t->has_rest ? "r" : "");
	put_name(b, t->name);
	buf_putc(b, '{');
	for (u32 i = 0; i < t->n_enums; i++) {
		put_name(b, t->enums[i].name);
		buf_printf(b, "%lld", (long long)t->enums[i].value);
	}
	buf_putc(b, '}');
	return true;
}

static bool put_int(struct buf *b, const struct type *t)
{
	buf_printf(b, "%c%u", t->is_signed ? 'i' : 'u', t->size);
	if (t->base)
		buf_printf(b, "b%u", t->base);
	put_name(b, t->name);
	return true;
}

static bool put_pointer(struct buf *b, const struct type *t)
{
	const struct type *to = t->elem;
	bool is_named = to->kind == TY_STRUCT && to->name;

	buf_putc(b, !is_named ? 'p' : to->is_union ? 'Q' : 'P');
	put_name(b, is_named ? to->name : "");
	return true;
}

bool layout_put(struct buf *b, const struct type *t)
{
	t = type_complete(t);
	switch (t->kind) {
	case TY_BOOL: buf_putc(b, 'b'); return true;
	case TY_INT: return put_int(b, t);
	case TY_FLOAT: buf_printf(b, "f%u", t->size); return true;
	case TY_ENUM: return put_enum(b, t);
	case TY_STRING: buf_printf(b, "s%u", t->count); return true;
	case TY_BUFFER: buf_printf(b, "y%u", t->count); return true;
	case TY_INET: buf_putc(b, 'n'); return true;
	case TY_MACADDR: buf_putc(b, 'm'); return true;
	case TY_POINTER: return put_pointer(b, t);
	case TY_ARRAY:
		buf_printf(b, "%c%u:", t->is_counted ? 'c' : 'a', t->count);
		return layout_put(b, t->elem);
	case TY_STRUCT: buf_putc(b, t->is_union ? 'U' : 'S'); return put_members(b, t);
	case TY_RECORD:
	case TY_TUPLE: buf_putc(b, t->kind == TY_RECORD ? 'R' : 'T'); return put_members(b, t);
	default: return false;
	}
}

/* ---- from text */

struct reader {
	struct arena *a;
	const char *s;
	u32 depth, members;
	bool bad;
};

static const struct type *read_type(struct reader *r);

static void *fail(struct reader *r)
{
	r->bad = true;
	return NULL;
}

static bool take(struct reader *r, char c)
{
	if (*r->s != c)
		return false;
	r->s++;
	return true;
}

static void need(struct reader *r, char c)
{
	if (!take(r, c))
		fail(r);
}

static u32 number(struct reader *r)
{
	u64 n = 0;

	if (*r->s < '0' || *r->s > '9')
		fail(r);
	for (; *r->s >= '0' && *r->s <= '9'; r->s++)
		n = MIN(n * 10 + (u32)(*r->s - '0'), (u64)UINT32_MAX);
	if (n > MOST_BYTES)
		fail(r);
	return (u32)n;
}

static s64 signed_number(struct reader *r)
{
	char *end;
	s64 n = strtoll(r->s, &end, 10);

	if (end == r->s)
		fail(r);
	r->s = end;
	return n;
}

static const char *name(struct reader *r)
{
	const char *from, *end;

	need(r, '"');
	from = r->s;
	end = strchr(from, '"');
	if (r->bad || !end)
		return fail(r);
	r->s = end + 1;
	return arena_strndup(r->a, from, (size_t)(end - from));
}

/* Of a type: "" is stored for none. */
static const char *type_name(struct reader *r)
{
	const char *n = name(r);

	return n && *n ? n : NULL;
}

static struct type *make(struct reader *r, enum type_kind kind, u32 size, u32 align)
{
	struct type *t = arena_new(r->a, struct type);

	t->kind = kind;
	t->size = size;
	t->align = align;
	return t;
}

static bool is_width(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static const struct type *read_int(struct reader *r, bool is_signed)
{
	u32 size = number(r), base = take(r, 'b') ? number(r) : 0;
	const char *of = name(r);
	struct type *t;

	if (r->bad || !is_width(size))
		return fail(r);
	t = make(r, TY_INT, size, size);
	t->is_signed = is_signed;
	t->base = (u8)base;
	t->name = *of ? of : NULL;
	return t;
}

static const struct type *read_enum(struct reader *r)
{
	u32 size = number(r);
	struct type *t = make(r, TY_ENUM, size, size);
	VEC(struct enum_value) values = { 0 };

	t->is_signed = take(r, 's');
	t->is_flags = take(r, 'f');
	t->has_rest = take(r, 'r');
	t->name = type_name(r);
	need(r, '{');
	while (!r->bad && !take(r, '}')) {
		struct enum_value v = { .name = name(r) };

		v.value = signed_number(r);
		if (r->bad || r->members++ > MOST_MEMBERS)
			return fail(r);
		vec_push(r->a, &values, v);
	}
	t->enums = values.v;
	t->n_enums = values.n;
	return is_width(size) ? t : fail(r);
}

static const struct type *read_pointer(struct reader *r, bool is_named, bool is_union)
{
	const char *to = name(r);
	struct type *t;

	if (r->bad || !is_named)
		return &ty_void_ptr;
	t = make(r, TY_STRUCT, 0, 1);
	t->name = to;
	t->is_union = is_union;
	return type_pointer(r->a, t, SPACE_KERNEL);
}

static const struct type *read_array(struct reader *r, bool is_counted)
{
	u32 count = number(r);
	const struct type *elem;

	need(r, ':');
	elem = r->bad ? NULL : read_type(r);
	if (!elem || (u64)count * MAX(elem->size, 1u) > MOST_BYTES)
		return fail(r);
	return is_counted ? type_counted_array(r->a, elem, count) : type_array(r->a, elem, count);
}

/* Whether the member's bits, or its bytes, are in the structure. */
static bool fits(const struct type *t, const struct field *f)
{
	u32 bits = f->bit_offset + f->bit_size,
	    bytes = f->bit_size ? (bits + 7) / 8 : f->type->size;

	return bits <= 128 && f->bit_size <= 64 && (u64)f->offset + bytes <= t->size &&
	       (!f->bit_size || type_is_integer(f->type));
}

static struct type *read_members(struct reader *r, enum type_kind kind)
{
	struct type *t = make(r, kind, number(r), 1);
	VEC(struct field) fields = { 0 };

	need(r, ',');
	t->align = number(r);
	t->name = type_name(r);
	need(r, '{');
	while (!r->bad && !take(r, '}')) {
		struct field f = { .name = name(r) };

		f.offset = number(r);
		need(r, ',');
		f.bit_offset = (u8)number(r);
		need(r, ',');
		f.bit_size = (u8)number(r);
		f.type = r->bad ? NULL : read_type(r);
		if (!f.type || !fits(t, &f) || r->members++ > MOST_MEMBERS)
			return fail(r);
		vec_push(r->a, &fields, f);
	}
	t->fields = fields.v;
	t->n_fields = fields.n;
	return t;
}

static const struct type *read_struct(struct reader *r, bool is_union)
{
	struct type *t = read_members(r, TY_STRUCT);

	if (t)
		t->is_union = is_union;
	return t;
}

static const struct type *read_sized(struct reader *r, char kind)
{
	u32 n = number(r);

	if (r->bad || !n)
		return fail(r);
	if (kind == 'f')
		return n == 4 ? &ty_f32 : n == 8 ? &ty_f64 : fail(r);
	return kind == 's' ? type_string(r->a, n) : type_buffer(r->a, n);
}

static const struct type *read_kind(struct reader *r)
{
	char kind = *r->s ? *r->s++ : '\0';

	switch (kind) {
	case 'b': return &ty_bool;
	case 'i':
	case 'u': return read_int(r, kind == 'i');
	case 'e': return read_enum(r);
	case 'f':
	case 's':
	case 'y': return read_sized(r, kind);
	case 'n': return &ty_inet;
	case 'm': return &ty_macaddr;
	case 'p':
	case 'P':
	case 'Q': return read_pointer(r, kind != 'p', kind == 'Q');
	case 'a':
	case 'c': return read_array(r, kind == 'c');
	case 'S':
	case 'U': return read_struct(r, kind == 'U');
	case 'R': return read_members(r, TY_RECORD);
	case 'T': return read_members(r, TY_TUPLE);
	default: return fail(r);
	}
}

static const struct type *read_type(struct reader *r)
{
	const struct type *t;

	if (r->depth >= MOST_DEPTH)
		return fail(r);
	r->depth++;
	t = read_kind(r);
	r->depth--;
	return r->bad ? NULL : t;
}

const struct type *layout_parse(struct arena *a, const char *text)
{
	struct reader r = { .a = a, .s = text };
	const struct type *t = read_type(&r);

	return t && !*r.s ? t : NULL;
}
