/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF types -> struct type. Input: a type id; output: a type in the arena of the file, made once
 * per id. Structs and unions are created without fields (size and name are known) and completed on
 * first use, so that naming task_struct converts one type, not half of the kernel's.
 */
#include <errno.h>
#include <stdio.h>
#include "sym/btf_file.h"

enum {
	MAX_DEPTH = 48
}; /* nesting of pointers, arrays ...: a limit, because untrusted files may have cycles */

static const struct type *make_type(struct btf *b, const struct btf_type *raw, u32 id);

static struct type *new_type(struct btf *b, enum type_kind kind, u32 id, u32 size)
{
	struct type *t = arena_new(b->arena, struct type);

	t->kind = kind;
	t->size = size;
	t->align = size >= 8 && size % 8 == 0 ? 8 :
		   size % 4 == 0 && size      ? 4 :
		   size % 2 == 0 && size      ? 2 :
						1;
	t->origin = b;
	t->origin_id = id;
	return t;
}

static const char *name_or_null(struct btf *b, u32 off)
{
	const char *s = btf_string(b, off);

	return *s ? s : NULL;
}

const struct type *btf_type(struct btf *b, u32 id)
{
	struct btf *owner = b;
	const struct btf_type *raw;
	const struct type *t;

	if (!id)
		return &ty_void;
	while (owner && id < owner->start_id)
		owner = owner->base;
	raw = owner ? btf_raw(owner, id) : NULL;
	if (!raw)
		return &ty_error;
	t = owner->made[id - owner->start_id];
	if (t)
		return t;
	if (owner->depth >= MAX_DEPTH)
		return &ty_error;
	owner->depth++;
	t = make_type(owner, raw, id);
	owner->depth--;
	owner->made[id - owner->start_id] = t;
	return t;
}

/* ---- struct fields, on demand */

static u32 int_bits(const struct btf *b, u32 type_id)
{
	const struct btf_type *raw = btf_raw(b, btf_skip(b, type_id, true));

	if (!raw || raw_kind(raw) != BTF_KIND_INT)
		return 0;
	return BTF_INT_BITS(*(const u32 *)(raw + 1));
}

/* A bitfield is described as bits in the storage unit of its type. */
static void place_field(struct btf *b, struct field *f, const struct btf_member *m, bool flag)
{
	u32 bit = flag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
	u32 bits = flag ? BTF_MEMBER_BITFIELD_SIZE(m->offset) : 0;
	u32 unit = f->type->size ? f->type->size : 1;

	if (!flag && f->type->kind == TY_INT) { /* before 4.20 the int type has the width */
		u32 n = int_bits(b, m->type);

		bits = n && n < unit * 8 ? n : 0;
	}
	f->offset = bit / 8;
	if (!bits && bit % 8 == 0)
		return;
	if (!bits)
		bits = MIN(unit * 8, 64u);
	f->offset = bit / 8 / unit * unit;
	if (bit - f->offset * 8 + bits > unit * 8) /* packed: it spans two units */
		f->offset = bit / 8;
	f->bit_offset = (u8)(bit - f->offset * 8);
	f->bit_size = (u8)MIN(bits, 64u);
}

static int complete_struct(struct type *t)
{
	struct btf *b = t->origin;
	const struct btf_type *raw = btf_raw(b, t->origin_id);
	const struct btf_member *m = (const void *)(raw + 1);
	u32 n = raw_vlen(raw);

	t->fields = arena_array(b->arena, struct field, n);
	for (u32 i = 0; i < n; i++) {
		struct field *f = &t->fields[i];

		f->name = btf_string(b, m[i].name_off);
		f->type = btf_type(b, m[i].type);
		f->from_user = f->type->kind == TY_POINTER && f->type->space == SPACE_USER;
		place_field(b, f, &m[i], raw_flag(raw));
	}
	t->n_fields = n;
	return 0;
}

/* A forward declaration: the definition may be elsewhere in BTF. */
static int complete_fwd(struct type *t)
{
	struct btf *b = t->origin;
	u32 id = t->name ? btf_find(b, t->name, t->is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT) : 0;
	const struct type *full = id ? type_complete(btf_type(b, id)) : NULL;

	if (!full || full->kind != TY_STRUCT)
		return -ENOENT;
	type_copy_layout(t, full);
	return 0;
}

static const struct type *make_struct(struct btf *b, const struct btf_type *raw, u32 id)
{
	bool fwd = raw_kind(raw) == BTF_KIND_FWD;
	struct type *t = new_type(b, TY_STRUCT, id, fwd ? 0 : raw->size);

	t->name = name_or_null(b, raw->name_off);
	t->is_union = fwd ? raw_flag(raw) : raw_kind(raw) == BTF_KIND_UNION;
	t->in_kernel = !fwd && !b->is_user;
	t->complete = fwd ? complete_fwd : complete_struct;
	return t;
}

/* ---- scalars */

static bool int_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const struct type *make_int(struct btf *b, const struct btf_type *raw, u32 id)
{
	u32 encoding = BTF_INT_ENCODING(*(const u32 *)(raw + 1));
	struct type *t;

	if (raw->size == 16) /* __int128 */
		return type_array(b->arena, &ty_u64, 2);
	if (!int_size(raw->size))
		return &ty_error;
	if (encoding & BTF_INT_BOOL && raw->size == 1)
		return &ty_bool;
	t = new_type(b, TY_INT, id, raw->size);
	t->is_signed = encoding & BTF_INT_SIGNED;
	t->name = name_or_null(b, raw->name_off);
	return t;
}

static const struct type *make_float(const struct btf_type *raw)
{
	return raw->size == 4 ? &ty_f32 : raw->size == 8 ? &ty_f64 : &ty_error;
}

static s64 enum_value_at(const struct btf_type *raw, u32 i, u32 *name_off)
{
	const struct btf_enum *e = (const void *)(raw + 1);
	const struct raw_enum64 *w = (const void *)(raw + 1);

	if (raw_kind(raw) == BTF_KIND_ENUM64) {
		*name_off = w[i].name_off;
		return (s64)((u64)w[i].hi << 32 | w[i].lo);
	}
	*name_off = e[i].name_off;
	return raw_flag(raw) ? (s64)e[i].val : (s64)(u32)e[i].val;
}

/*
 * Files older than 6.0 do not mark signed enums. There an enum with the value 0xffffffff is taken
 * as signed: in the kernel this value is always -1.
 */
static bool enum_is_signed(const struct btf_type *raw)
{
	u32 name;

	if (raw_flag(raw))
		return true;
	if (raw_kind(raw) == BTF_KIND_ENUM64 || raw->size > 4)
		return false;
	for (u32 i = 0; i < raw_vlen(raw); i++)
		if (enum_value_at(raw, i, &name) == UINT32_MAX)
			return true;
	return false;
}

static const struct type *make_enum(struct btf *b, const struct btf_type *raw, u32 id)
{
	struct type *t;
	u32 n = raw_vlen(raw), name;

	if (!int_size(raw->size))
		return &ty_error;
	t = new_type(b, TY_ENUM, id, raw->size);
	t->name = name_or_null(b, raw->name_off);
	t->is_signed = enum_is_signed(raw);
	t->enums = arena_array(b->arena, struct enum_value, n);
	t->n_enums = n;
	for (u32 i = 0; i < n; i++) {
		s64 v = enum_value_at(raw, i, &name);

		t->enums[i].value = t->is_signed && raw->size <= 4 ? (s32)v : v;
		t->enums[i].name = btf_string(b, name);
	}
	return t;
}

/* ---- derived types */

/* In BTF, __user is one of the type tags between the pointer and the pointee. */
static enum space pointee_space(const struct btf *b, u32 id)
{
	enum space plain = b->is_user ? SPACE_USER : SPACE_KERNEL;

	for (u32 i = 0; i < 16; i++) {
		const struct btf_type *raw = btf_raw(b, id);

		if (!raw)
			break;
		switch (raw_kind(raw)) {
		case BTF_KIND_TYPE_TAG:
			if (streq(btf_string(b, raw->name_off), "user"))
				return SPACE_USER;
			break;
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT: break;
		default: return plain;
		}
		id = raw->type;
	}
	return plain;
}

/* Of the other tags only percpu matters: such a pointer is an offset, which needs special
 * access. */
static bool is_offset(const struct btf *b, u32 id)
{
	const struct btf_type *raw = btf_raw(b, id);

	return raw && raw_kind(raw) == BTF_KIND_TYPE_TAG &&
	       streq(btf_string(b, raw->name_off), "percpu");
}

static const struct type *make_pointer(struct btf *b, u32 to)
{
	const struct type *t = type_pointer(b->arena, btf_type(b, to), pointee_space(b, to));
	struct type *offset;

	if (!is_offset(b, to))
		return t;
	offset = arena_dup(b->arena, t, sizeof *t);
	offset->is_offset = true;
	return offset;
}

/* Only arrays of plain char are strings: unsigned char and u8 are bytes. */
static bool is_char(const struct btf *b, u32 id)
{
	const struct btf_type *raw = btf_raw(b, btf_skip(b, id, false));

	return raw && raw_kind(raw) == BTF_KIND_INT && raw->size == 1 &&
	       streq(btf_string(b, raw->name_off), "char");
}

static const struct type *make_array(struct btf *b, const struct btf_type *raw)
{
	const struct btf_array *array = (const void *)(raw + 1);
	const struct type *elem;
	u64 bytes;

	if (array->nelems && is_char(b, array->type))
		return array->nelems <= INT32_MAX ? type_string(b->arena, array->nelems) :
						    &ty_error;
	elem = btf_type(b, array->type);
	bytes = (u64)elem->size * array->nelems;
	return bytes <= INT32_MAX && elem->kind != TY_ERROR ?
		       type_array(b->arena, elem, array->nelems) :
		       &ty_error;
}

/* Integers take the typedef's name (u32 is still uint32); anonymous structs and enums get its
 * name. */
static const struct type *make_typedef(struct btf *b, const struct btf_type *raw)
{
	const struct type *to = btf_type(b, raw->type);
	bool nameless = (to->kind == TY_STRUCT || to->kind == TY_ENUM) && !to->name;
	struct type *t;

	if (to->kind != TY_INT && !nameless)
		return to;
	t = arena_dup(b->arena, to, sizeof *to);
	t->name = name_or_null(b, raw->name_off);
	return t;
}

static const struct type *make_func(struct btf *b, u32 id)
{
	return new_type(b, TY_FUNC, id, 0);
}

static const struct type *make_type(struct btf *b, const struct btf_type *raw, u32 id)
{
	switch (raw_kind(raw)) {
	case BTF_KIND_INT: return make_int(b, raw, id);
	case BTF_KIND_FLOAT: return make_float(raw);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return make_enum(b, raw, id);
	case BTF_KIND_PTR: return make_pointer(b, raw->type);
	case BTF_KIND_ARRAY: return make_array(b, raw);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD: return make_struct(b, raw, id);
	case BTF_KIND_TYPEDEF: return make_typedef(b, raw);
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_VAR: return btf_type(b, raw->type);
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO: return make_func(b, id);
	}
	return &ty_error;
}

/* ---- by name */

static const struct type *find_type(struct btf *b, const u8 *kinds, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++) {
		u32 id = btf_find(b, name, kinds[i]);

		if (id)
			return btf_type(b, id);
	}
	return NULL;
}

const struct type *btf_type_by_name(struct btf *b, u8 tag, const char *name)
{
	static const u8 structs[] = { BTF_KIND_STRUCT, BTF_KIND_FWD },
			unions[] = { BTF_KIND_UNION };
	static const u8 enums[] = { BTF_KIND_ENUM, BTF_KIND_ENUM64 };
	static const u8 any[] = { BTF_KIND_TYPEDEF, BTF_KIND_INT,   BTF_KIND_STRUCT, BTF_KIND_UNION,
				  BTF_KIND_ENUM,    BTF_KIND_FLOAT, BTF_KIND_ENUM64 };

	/* Many names in a script are not types: one search of the strings rejects them. */
	if (!b->names && !btf_find_string(b, name, strlen(name)))
		return NULL;
	switch (tag) {
	case 's': return find_type(b, structs, ARRAY_SIZE(structs), name);
	case 'u': return find_type(b, unions, ARRAY_SIZE(unions), name);
	case 'e': return find_type(b, enums, ARRAY_SIZE(enums), name);
	default: return find_type(b, any, ARRAY_SIZE(any), name);
	}
}

static bool enumerator_in(struct btf *b, u32 off, u32 id, s64 *value, const struct type **type)
{
	const struct btf_type *raw = btf_raw(b, id);

	for (u32 i = 0; i < raw_vlen(raw); i++) {
		const struct type *t;
		u32 name;

		enum_value_at(raw, i, &name);
		if (name != off)
			continue;
		t = btf_type(b, id);
		if (t->kind != TY_ENUM)
			continue;
		*value = t->enums[i].value;
		if (type)
			*type = t;
		return true;
	}
	return false;
}

bool btf_enumerator(struct btf *b, const char *name, s64 *value, const struct type **enum_type)
{
	u32 off = btf_find_string(b, name, strlen(name));

	for (; b && off; b = b->base) {
		for (u32 i = 0; i < b->n; i++) {
			const struct btf_type *raw = (const void *)(b->types + b->offset[i]);
			u32 kind = raw_kind(raw);

			if ((kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) &&
			    enumerator_in(b, off, b->start_id + i, value, enum_type))
				return true;
		}
	}
	return false;
}

/* ---- functions */

/* What it is, or points to, is const. */
static bool is_const(const struct btf *b, u32 id)
{
	bool found = false;

	for (u32 depth = 0; id && depth < MAX_DEPTH; depth++) {
		const struct btf_type *raw = btf_raw(b, id);
		u32 kind = raw ? raw_kind(raw) : BTF_KIND_UNKN;

		if (kind == BTF_KIND_PTR || kind == BTF_KIND_CONST)
			found = kind == BTF_KIND_CONST;
		else if (kind != BTF_KIND_VOLATILE && kind != BTF_KIND_RESTRICT &&
			 kind != BTF_KIND_TYPE_TAG)
			break;
		id = raw->type;
	}
	return found;
}

/* Parameters of a prototype after the first `skip`, without a trailing "..." (type 0, no name). */
static int proto_params(struct btf *b, u32 proto, u32 skip, struct btf_param *params, u32 max)
{
	const struct btf_type *raw = btf_raw(b, proto);
	const struct raw_param *p;
	u32 n;

	if (!raw || raw_kind(raw) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	p = (const void *)(raw + 1);
	n = raw_vlen(raw);
	if (n && !p[n - 1].type && !p[n - 1].name_off)
		n--;
	n = n > skip ? n - skip : 0;
	for (u32 i = 0; i < n && i < max; i++) {
		params[i].name = btf_string(b, p[skip + i].name_off);
		params[i].type = btf_type(b, p[skip + i].type);
		params[i].type_id = p[skip + i].type;
		params[i].is_const = is_const(b, p[skip + i].type);
	}
	return (int)MIN(n, max);
}

int btf_func(struct btf *b, const char *name, struct btf_param *params, u32 max,
	     const struct type **ret, u32 *func_id)
{
	u32 id = btf_find(b, name, BTF_KIND_FUNC);
	const struct btf_type *func = id ? btf_raw(b, id) : NULL, *proto;
	int n;

	if (!func)
		return -ENOENT;
	n = proto_params(b, func->type, 0, params, max);
	if (n < 0)
		return n;
	proto = btf_raw(b, func->type);
	if (ret)
		*ret = btf_type(b, proto->type);
	if (func_id)
		*func_id = id;
	return n;
}

/*
 * Prototypes of function pointers have no parameter names; functions made by the tracepoint macros
 * do.
 */
static void name_params(struct btf *b, const char *event, struct btf_param *params, u32 n)
{
	static const char *const made[] = { "__traceiter_", "__probestub_", "__bpf_trace_" };
	char name[160];

	for (u32 i = 0; i < ARRAY_SIZE(made); i++) {
		const struct btf_type *func;
		struct btf_param named[32];

		snprintf(name, sizeof name, "%s%s", made[i], event);
		func = btf_raw(b, btf_find(b, name, BTF_KIND_FUNC));
		if (!func || proto_params(b, func->type, 1, named, ARRAY_SIZE(named)) != (int)n)
			continue;
		for (u32 j = 0; j < n; j++)
			params[j].name = named[j].name;
		return;
	}
}

int btf_raw_tracepoint(struct btf *b, const char *name, struct btf_param *params, u32 max,
		       u32 *typedef_id)
{
	char text[160];
	const struct btf_type *raw;
	bool nameless = false;
	u32 id;
	int n;

	if ((size_t)snprintf(text, sizeof text, "btf_trace_%s", name) >= sizeof text)
		return -ENOENT;
	id = btf_find(b, text, BTF_KIND_TYPEDEF);
	raw = id ? btf_raw(b, btf_skip(b, id, true)) : NULL;
	if (!raw || raw_kind(raw) != BTF_KIND_PTR)
		return -ENOENT;
	n = proto_params(b, btf_skip(b, raw->type, true), 1, params, max);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		nameless |= !params[i].name[0];
	if (nameless && n <= 32)
		name_params(b, name, params, (u32)n);
	if (typedef_id)
		*typedef_id = id;
	return n;
}
