/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Casts and type queries: sizeof, offsetof, field_exists, typeinfo. In: a node with a type as
 * written. Out: the resolved type, and the constant if the result is one.
 */
#include "lang/check_internal.h"
#include "lang/noted.h"

/* ---- casts */

static s64 cut(s64 value, const struct type *t)
{
	if (t->kind == TY_BOOL)
		return value != 0;
	switch (t->size) {
	case 1: return t->is_signed ? (s64)(s8)value : (s64)(u8)value;
	case 2: return t->is_signed ? (s64)(s16)value : (s64)(u16)value;
	case 4: return t->is_signed ? (s64)(s32)value : (s64)(u32)value;
	default: return value;
	}
}

/* An array of integers or booleans: an integer's bytes can be converted to it. */
static bool is_number_array(const struct type *t)
{
	return t->kind == TY_ARRAY && (t->elem->kind == TY_INT || t->elem->kind == TY_BOOL);
}

/* Of a string without the NUL that str() adds after max_strlen characters. */
static u32 visible_size(const struct check *c, const struct type *t)
{
	if (t->kind == TY_STRING)
		return t->count - (t->count == (u32)c->env->config.max_strlen + 1);
	return type_visible_size(t);
}

/* (uint8[])x: the operand's size determines the number of elements. */
static const struct type *sized_array(struct check *c, const struct type *t,
				      const struct type *from)
{
	u32 size = from->kind == TY_STRING ? visible_size(c, from) : from->size;

	if (t->kind != TY_ARRAY || t->count || !t->elem->size || size % t->elem->size)
		return t;
	return type_array(c->arena, t->elem, size / t->elem->size);
}

static bool int_to(const struct type *to, const struct type *from)
{
	if (type_is_integer(to) || to->kind == TY_POINTER)
		return true;
	if (to->kind == TY_USERNAME || to->kind == TY_KSYM || to->kind == TY_CGROUP_PATH)
		return true;
	return is_number_array(to) && from->kind != TY_BOOL && to->size >= from->size &&
	       to->size <= sizeof(u64);
}

/* The same bytes as other elements; which numbers are true is not a question of bytes. */
static bool array_to(const struct type *to, const struct type *from)
{
	if (to->kind == TY_STRING)
		return from->elem->size == 1;
	if (!is_number_array(from) || to->size != from->size)
		return false;
	if (to->kind == TY_ARRAY)
		return to->elem->kind == from->elem->kind && is_number_array(to);
	return type_is_integer(to);
}

/* An array has all bytes, or all but the NUL. */
static bool string_to(const struct check *c, const struct type *to, const struct type *from)
{
	u32 size = visible_size(c, from);

	if (to->kind == TY_STRING)
		return to->count >= from->count;
	return to->kind == TY_BOOL ||
	       (is_number_array(to) && (to->size == size || to->size + 1 == from->count));
}

static bool can_cast(const struct check *c, const struct type *to, const struct type *from)
{
	switch (from->kind) {
	case TY_INT:
	case TY_BOOL:
	case TY_ENUM: return int_to(to, from);
	case TY_FLOAT:
		return type_is_integer(to) || (to->kind == TY_FLOAT && to->size >= from->size);
	case TY_POINTER: return type_is_integer(to) || to->kind == TY_POINTER;
	case TY_ARRAY: return array_to(to, from);
	case TY_STRING: return string_to(c, to, from);
	case TY_KSYM: return to->kind == TY_POINTER;
	case TY_PROBE: return to->kind == TY_STRING && !from->is_func;
	default: return type_equal(to, from);
	}
}

/* An untyped address is in the probe's default address space; a pointer keeps its own. */
static const struct type *place_pointer(struct check *c, const struct type *t,
					const struct type *from)
{
	enum space space = from->kind == TY_POINTER ? from->space : SPACE_NONE;

	if (space == SPACE_BTF && !type_equal(t->elem, from->elem))
		space = SPACE_KERNEL;
	if (space == SPACE_NONE)
		space = check_default_space(c);
	return type_in_space(c->arena, t, space);
}

static const struct type *bad_cast(struct check *c, struct node *n, const struct type *to,
				   const struct type *from)
{
	struct diag *d = check_report(c, n->span, D_BAD_CAST, type_text(c, from), type_text(c, to));

	if (to->kind == TY_STRUCT && from->kind != TY_STRUCT)
		diag_help(c->diags, d, "cast to a pointer: (%s *)", type_text(c, to));
	if (to->kind == TY_POINTER && n->a->kind == N_FIELD)
		diag_help(c->diags, d, "\"&\" before a member gives its address");
	return &ty_error;
}

/* (bool)text is text != "". */
static const struct type *string_is_set(struct check *c, struct node *n)
{
	struct node *empty = node_new(c->arena, N_STR, n->span);

	node_make_str(empty, "", 0, type_string(c->arena, 1));
	n->kind = N_BINARY;
	n->op = OP_NE;
	n->b = empty;
	return check_expr(c, n);
}

/* (string)probe is the name as text; other casts of it are casts of that text. */
static const struct type *cast_name(struct check *c, struct node *n, const struct type *from)
{
	if (from->kind != TY_PROBE || from->is_func)
		return from;
	if (n->tref->name && streq(n->tref->name, "string") && !n->tref->suffix.n)
		return from;
	return check_name_as_text(c, n->a);
}

const struct type *check_cast(struct check *c, struct node *n)
{
	const struct type *to = check_resolve_type(c, n->tref);
	const struct type *from = check_value(c, n->a);

	n->is_const = false;
	n->str = NULL;
	if (type_is_moot(to) || type_is_moot(from))
		return to->kind == TY_ERROR ? to : type_is_moot(from) ? moot(to, from) : to;
	if (to->kind == TY_STRUCT)
		type_complete(to);
	from = cast_name(c, n, from);
	to = sized_array(c, to, from);
	if (!can_cast(c, to, from))
		return n->aux == CAST_RESULT ? &ty_error : bad_cast(c, n, to, from);
	if (to->kind == TY_BOOL && from->kind == TY_STRING)
		return string_is_set(c, n);
	if (to->kind == TY_INT && type_equal(to, n->a->type) && n->a->kind == N_VAR && !n->aux)
		check_report(c, n->span, D_NEEDLESS_CAST, type_text(c, to));
	if (to->kind == TY_POINTER)
		to = place_pointer(c, to, from);
	if (from->kind == TY_PROBE)
		to = type_string(c->arena, c->env->probe_name_max + 1);
	n->type = to;
	if (node_is_const_int(n->a) && type_is_integer(to))
		fold_set_int(n, cut(n->a->value, to));
	return to;
}

/* ---- type queries */

/* A name that is no type may still be an expression. */
static const struct type *named_or_expr(struct check *c, struct node *n)
{
	struct type_ref *ref = n->tref;

	if (n->a)
		return check_type_of(c, n->a);
	const struct type *t = check_try_type(c, ref);

	if (t || !ref->name || ref->tag || ref->suffix.n)
		return t ? t : check_resolve_type(c, ref);
	struct node *ident = node_new(c->arena, N_IDENT, ref->span);

	ident->name = ref->name;
	t = check_try_ident(c, ident);
	if (!t)
		return check_resolve_type(c, ref);
	n->a = ident;
	return type_rigid(t);
}

const struct type *check_sizeof(struct check *c, struct node *n)
{
	const struct type *t = named_or_expr(c, n);

	n->is_const = false;
	if (type_is_moot(t))
		return t;
	u32 size = visible_size(c, type_complete(t));

	/* its size in a structure */
	if (t->kind == TY_ENUM && n->a && n->a->kind == N_FIELD)
		size = t->size;
	if (t->kind == TY_STRING && n->a && n->a->kind == N_FIELD && n->a->field &&
	    n->a->field->type)
		/* without room for an added NUL */
		size = MIN(size, MAX(type_complete(n->a->field->type)->size, 1u));

	if (type_is_agg(t))
		size = sizeof(u64);
	if (!size && t->kind != TY_ARRAY && !(t->kind == TY_STRUCT && t->n_fields))
		return diag_type(c, n->span, D_INCOMPLETE_TYPE, type_text(c, t));
	fold_set_int(n, size);
	return &ty_u64;
}

/*
 * a.b.c, N_FIELDs ending in N_IDENT: adds up the offset; *t becomes the type of the last member.
 * Returns the part that *t lacks, else NULL.
 */
static struct node *find_path(struct check *c, struct node *path, const struct type **t,
			      s64 *offset)
{
	struct node *missing = path->a ? find_path(c, path->a, t, offset) : NULL;
	u32 at = 0;

	if (missing)
		return missing;
	*t = type_complete(*t);
	const struct field *f =
		path->name ? check_struct_field(c, path->span, *t, path->name, &at) : NULL;

	if (!f || f->virtual_at)
		return path;
	*offset += at + f->bit_offset / 8;
	*t = f->type;
	return NULL;
}

const struct type *check_offsetof(struct check *c, struct node *n)
{
	int recorded = noted_has_arg(c, n);
	const struct type *t = recorded < 0 ? named_or_expr(c, n) : &ty_bool;
	struct node *missing;
	bool is_query;
	s64 offset = 0;

	n->is_const = false;
	if (type_is_moot(t))
		return t;
	if (recorded >= 0) {
		fold_set_int(n, recorded);
		return t;
	}
	if (t->kind == TY_POINTER)
		t = t->elem;
	is_query = n->kind == N_FIELD_EXISTS &&
		   (type_complete(t)->kind == TY_STRUCT || (n->a && noted_is_args(c, n->a)));
	if (!is_query && type_complete(t)->kind != TY_STRUCT && t->kind != TY_RECORD)
		return diag_type(c, n->span, D_NOT_C_TYPE, type_text(c, t));
	missing = find_path(c, n->b, &t, &offset);
	if (is_query) {
		fold_set_int(n, !missing);
		return &ty_bool;
	}
	if (missing) {
		check_report(c, missing->span, D_UNKNOWN_FIELD, check_whole_text(c, t),
			     missing->name ? missing->name : "?");
		return &ty_error;
	}
	fold_set_int(n, offset);
	return &ty_u64;
}

/* ---- typeinfo */

static const char *base_type(const struct type *t)
{
	static const char *const names[N_TYPE_KINDS] = {
		[TY_BOOL] = "bool",
		[TY_INT] = "int",
		[TY_FLOAT] = "float",
		[TY_ENUM] = "enum",
		[TY_STRING] = "string",
		[TY_BUFFER] = "buffer",
		[TY_INET] = "inet",
		[TY_POINTER] = "pointer",
		[TY_ARRAY] = "array",
		[TY_STRUCT] = "c_type",
		[TY_TUPLE] = "tuple",
		[TY_RECORD] = "record",
		[TY_VOID] = "void",
		[TY_COUNT] = "count_t",
		[TY_KSTACK] = "kstack_t",
		[TY_USTACK] = "ustack_t",
		[TY_FULLSTACK] = "fullstack_t",
	};

	return names[t->kind];
}

static bool is_allowed(struct check *c, struct node *n)
{
	u8 level = c->env->config.unstable[UNSTABLE_typeinfo];

	for (const struct expansion *e = c->s->expansion; e; e = e->up)
		if (e->macro && e->macro->is_std)
			return true;
	if (level == 0) {
		check_report(c, n->span, D_UNSTABLE_WORD, "typeinfo", "unstable_typeinfo");
		return false;
	}
	if (level == 1)
		check_report(c, n->span, D_UNSTABLE_WARN, "typeinfo", "unstable_typeinfo");
	return true;
}

/* str: the full type, data: the base type; the node's own type is the record of both. */
const struct type *check_typeinfo(struct check *c, struct node *n)
{
	const struct type *t = named_or_expr(c, n);

	if (type_is_moot(t))
		return t;
	if (!is_allowed(c, n))
		return &ty_error;
	const char *full = type_text(c, t), *base = base_type(t) ? base_type(t) : full;
	struct field fields[] = {
		{ .name = "base_type", .type = type_string(c->arena, (u32)strlen(base) + 1) },
		{ .name = "full_type", .type = type_string(c->arena, (u32)strlen(full) + 1) },
	};

	n->str = full;
	n->data = arena_strdup(c->arena, base);
	return type_record(c->arena, fields, 2);
}
