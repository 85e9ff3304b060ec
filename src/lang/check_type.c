/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types in the checker: resolution of names, and the join of two types, by which variables and maps
 * grow. A join never shrinks, so the passes over the program terminate.
 *
 * A positive literal has the smallest signed type but fits either sign: such types are the four
 * objects in `flexible`, identified by their address and equal to the ordinary ones.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/check_internal.h"

#define FLEXIBLE(bytes)                                                                            \
	{                                                                                          \
		.kind = TY_INT, .size = (bytes), .align = (bytes), .is_signed = true               \
	}
static const struct type flexible[] = { FLEXIBLE(1), FLEXIBLE(2), FLEXIBLE(4), FLEXIBLE(8) };

bool type_is_flexible(const struct type *t)
{
	return t >= flexible && t < flexible + ARRAY_SIZE(flexible);
}

const struct type *type_rigid(const struct type *t)
{
	return type_is_flexible(t) ? type_int(t->size, true) : t;
}

const struct type *type_literal(s64 value)
{
	u32 size = value == (s8)value ? 0 : value == (s16)value ? 1 : value == (s32)value ? 2 : 3;

	return value < 0 ? type_int(1u << size, true) : &flexible[size];
}

const char *type_text(struct check *c, const struct type *t)
{
	return type_str(c->arena, t);
}

const struct type *type_as_number(const struct type *t)
{
	return t->kind == TY_POINTER && t->is_word ? &ty_u64 : t;
}

bool type_is_condition(const struct type *t)
{
	return (type_is_scalar(t) && t->kind != TY_PROBE) || t->kind == TY_FLOAT || type_is_moot(t);
}

bool type_is_storable(const struct type *t)
{
	return !type_is_agg(t) && t->kind != TY_VOID && t->kind != TY_MAP && t->kind != TY_FUNC &&
	       t->kind != TY_STACK_MODE && t->kind != TY_TIMESTAMP_MODE;
}

/* ---- join */

static const struct type *join_int(const struct type *a, const struct type *b, bool *mixed)
{
	bool fa = type_is_flexible(a) || a->kind == TY_BOOL,
	     fb = type_is_flexible(b) || b->kind == TY_BOOL;
	u32 size = MAX(a->size, b->size);

	if (fa && fb)
		return a->kind == TY_BOOL ? b : a->size >= b->size ? a : b;
	if (fa || fb)
		return type_int(size, fa ? b->is_signed : a->is_signed);
	if (a->is_signed == b->is_signed)
		return a->size == size ? a : type_int(size, a->is_signed);

	const struct type *u = a->is_signed ? b : a, *s = a->is_signed ? a : b;

	if (u->size < s->size)
		return a->size == s->size && a->kind == TY_INT && a->is_signed ?
			       a :
			       type_int(s->size, true);
	*mixed = u->size == 8;
	return type_int(MIN(u->size * 2, 8u), true);
}

static const struct type *join_pointer(struct check *c, const struct type *a, const struct type *b,
				       bool *mixed)
{
	const struct type *t;

	if (type_equal(a->elem, b->elem))
		t = a->is_word ? a : b;
	else if (a->is_word || b->is_word)
		return &ty_u64;
	else if (a->elem->kind == TY_VOID)
		t = b;
	else if (b->elem->kind == TY_VOID)
		t = a;
	else
		return NULL;
	enum space space = a->space ? a->space : b->space;

	if (a->space && b->space && a->space != b->space) {
		*mixed = a->space == SPACE_USER || b->space == SPACE_USER;
		space = *mixed ? SPACE_NONE : SPACE_KERNEL;
	}
	return type_in_space(c->arena, t, space);
}

static const struct type *join_tuple(struct check *c, const struct type *a, const struct type *b,
				     bool *mixed)
{
	if (a->n_fields != b->n_fields)
		return NULL;
	const struct type **elem = arena_array(c->arena, const struct type *, a->n_fields);
	bool same = true;

	for (u32 i = 0; i < a->n_fields; i++) {
		elem[i] = type_join(c, a->fields[i].type, b->fields[i].type, mixed);
		if (!elem[i])
			return NULL;
		same &= elem[i] == a->fields[i].type;
	}
	return same ? a : type_tuple(c->arena, elem, a->n_fields);
}

static const struct type *join_record(struct check *c, const struct type *a, const struct type *b,
				      bool *mixed)
{
	if (a->n_fields != b->n_fields)
		return NULL;
	struct field *fields = arena_dup(c->arena, a->fields, sizeof *fields * a->n_fields);
	bool same = true;

	for (u32 i = 0; i < a->n_fields; i++) {
		const struct field *other = type_field(b, fields[i].name, NULL);

		fields[i].type = other ? type_join(c, fields[i].type, other->type, mixed) : NULL;
		if (!fields[i].type)
			return NULL;
		same &= fields[i].type == a->fields[i].type;
	}
	return same ? a : type_record(c->arena, fields, a->n_fields);
}

/* Aggregations that differ only in sign. */
static const struct type *join_shape(const struct type *a, const struct type *b)
{
	struct type other = *b;

	other.is_signed = a->is_signed;
	if (!type_equal(a, &other))
		return NULL;
	return a->is_signed ? a : b;
}

static const struct type *join_same_kind(struct check *c, const struct type *a,
					 const struct type *b, bool *mixed)
{
	switch (a->kind) {
	case TY_INT: return join_int(a, b, mixed);
	case TY_ENUM: return type_equal(a, b) ? a : join_int(a, b, mixed);
	case TY_STRING:
	case TY_BUFFER: return a->count >= b->count ? a : b;
	case TY_POINTER: return join_pointer(c, a, b, mixed);
	case TY_TUPLE: return join_tuple(c, a, b, mixed);
	case TY_RECORD: return join_record(c, a, b, mixed);
	case TY_SUM:
	case TY_MIN:
	case TY_MAX:
	case TY_AVG:
	case TY_STATS: return a->is_signed ? a : b;
	case TY_KSTACK:
	case TY_USTACK:
	case TY_FULLSTACK:
		return a->stack.mode != b->stack.mode   ? NULL :
		       a->stack.limit >= b->stack.limit ? a :
							  b;
	case TY_TSERIES:
	case TY_SAMPLES: return join_shape(a, b);
	case TY_CALL:
	case TY_FLOAT: return a->size >= b->size ? a : b;
	case TY_ERROR:
	case TY_UNKNOWN:
	case TY_VOID:
	case TY_BOOL:
	case TY_INET:
	case TY_ARRAY:
	case TY_STRUCT:
	case TY_FUNC:
	case TY_COUNT:
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST:
	case TY_KSYM:
	case TY_USYM:
	case TY_USERNAME:
	case TY_TIMESTAMP:
	case TY_MACADDR:
	case TY_EVENT:
	case TY_CGROUP_PATH:
	case TY_PROBE:
	case TY_STACK_MODE:
	case TY_TIMESTAMP_MODE:
	case TY_MAP:
	case N_TYPE_KINDS: return type_equal(a, b) ? a : NULL;
	}
	return NULL;
}

static bool is_probe_name(const struct type *t)
{
	return t->kind == TY_PROBE && !t->is_func;
}

static bool is_symbol(const struct type *t)
{
	return t->kind == TY_KSYM || t->kind == TY_USYM;
}

static bool is_func(const struct type *t)
{
	return t->kind == TY_PROBE && t->is_func;
}

/* The name of a probe beside other text becomes text. */
static const struct type *join_name(struct check *c, const struct type *text)
{
	u32 count = c->env->probe_name_max + 1;

	return text->count >= count ? text : type_string(c->arena, count);
}

const struct type *type_join(struct check *c, const struct type *a, const struct type *b,
			     bool *mixed)
{
	if (a == b || type_is_moot(b))
		return a;
	if (type_is_moot(a))
		return b;
	if (a->kind == b->kind)
		return join_same_kind(c, a, b, mixed);
	if (is_probe_name(a) && b->kind == TY_STRING)
		return join_name(c, b);
	if (is_probe_name(b) && a->kind == TY_STRING)
		return join_name(c, a);
	if (is_symbol(a) && is_func(b))
		return a;
	if (is_symbol(b) && is_func(a))
		return b;
	a = type_as_number(a);
	b = type_as_number(b);
	if (type_is_integer(a) && type_is_integer(b))
		return join_int(a, b, mixed);
	return NULL;
}

bool int_fits(s64 value, const struct type *from, const struct type *t)
{
	__int128 v = !from->is_signed && from->size == 8 ? (__int128)(u64)value : value;
	u32 bits = t->size * 8;

	if (t->kind == TY_BOOL)
		return v == 0 || v == 1;
	if (!t->is_signed)
		return v >= 0 && v >> bits == 0;
	return v >= -((__int128)1 << (bits - 1)) && v < (__int128)1 << (bits - 1);
}

/* ---- names */

static const struct named {
	const char *name;
	const struct type *type;
} named[] = {
	{ "bool", &ty_bool },
	{ "int8", &ty_s8 },
	{ "int16", &ty_s16 },
	{ "int32", &ty_s32 },
	{ "int64", &ty_s64 },
	{ "uint8", &ty_u8 },
	{ "uint16", &ty_u16 },
	{ "uint32", &ty_u32 },
	{ "uint64", &ty_u64 },
	{ "s8", &ty_s8 },
	{ "s16", &ty_s16 },
	{ "s32", &ty_s32 },
	{ "s64", &ty_s64 },
	{ "u8", &ty_u8 },
	{ "u16", &ty_u16 },
	{ "u32", &ty_u32 },
	{ "u64", &ty_u64 },
	{ "void", &ty_void },
	{ "float", &ty_f32 },
	{ "double", &ty_f64 },
	{ "ksym_t", &ty_ksym },
	{ "usym_t", &ty_usym },
	{ "username_t", &ty_username },
	{ "timestamp", &ty_timestamp },
	{ "macaddr_t", &ty_macaddr },
	{ "cgroup_path_t", &ty_cgroup_path },
	{ "inet", &ty_inet },
	{ "count_t", &ty_count },
	{ "char", &ty_s8 },
	{ "short", &ty_s16 },
	{ "int", &ty_s32 },
	{ "long", &ty_s64 },
	{ "size_t", &ty_u64 },
	{ "ssize_t", &ty_s64 },
	{ "pid_t", &ty_s32 },
	{ "int8_t", &ty_s8 },
	{ "int16_t", &ty_s16 },
	{ "int32_t", &ty_s32 },
	{ "int64_t", &ty_s64 },
	{ "uint8_t", &ty_u8 },
	{ "uint16_t", &ty_u16 },
	{ "uint32_t", &ty_u32 },
	{ "uint64_t", &ty_u64 },
	{ "uintptr_t", &ty_u64 },
	{ "__u8", &ty_u8 },
	{ "__u16", &ty_u16 },
	{ "__u32", &ty_u32 },
	{ "__u64", &ty_u64 },
	{ "__s8", &ty_s8 },
	{ "__s16", &ty_s16 },
	{ "__s32", &ty_s32 },
	{ "__s64", &ty_s64 },
	{ "unsigned", &ty_u32 },
	{ "probe", &ty_probe },
};

/* Type names for rows and lets, although no expression makes a value of them. */
static const struct named_agg {
	const char *name;
	enum type_kind kind;
	bool is_signed;
} named_aggs[] = {
	{ "sum_t", TY_SUM, true },         { "usum_t", TY_SUM, false },
	{ "min_t", TY_MIN, true },         { "umin_t", TY_MIN, false },
	{ "max_t", TY_MAX, true },         { "umax_t", TY_MAX, false },
	{ "avg_t", TY_AVG, true },         { "uavg_t", TY_AVG, false },
	{ "stats_t", TY_STATS, true },     { "ustats_t", TY_STATS, false },
	{ "hist_t", TY_HIST, true },       { "lhist_t", TY_LHIST, true },
	{ "tseries_t", TY_TSERIES, true },
};

static const struct type *find_named(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(named); i++)
		if (streq(named[i].name, name))
			return named[i].type;
	return NULL;
}

bool lang_has_type(const char *name)
{
	return find_named(name) != NULL;
}

static const struct type *find_named_agg(struct check *c, const char *name)
{
	static const struct type proto = { .size = 8, .align = 8 };

	for (u32 i = 0; i < ARRAY_SIZE(named_aggs); i++)
		if (streq(named_aggs[i].name, name)) {
			struct type *t = arena_dup(c->arena, &proto, sizeof proto);

			t->kind = named_aggs[i].kind;
			t->is_signed = named_aggs[i].is_signed;
			return t;
		}
	return NULL;
}

/* Types of the traced program, in clauses of its probes. */
static const struct type *find_in_program(struct check *c, u8 tag, const char *name,
					  bool everywhere)
{
	const struct type_scope *s = c->inst && c->inst->profile ? c->inst->profile->types : NULL;

	return s ? s->find(s->ctx, tag, name, everywhere) : NULL;
}

/* A definition in the script. */
static const struct type *find_in_script(struct check *c, u8 tag, const char *name)
{
	const char *word = tag == 's' ? "struct" : tag == 'u' ? "union" : "enum";
	char key[256];

	return (u32)snprintf(key, sizeof key, "%s %s", word, name) < sizeof key ?
		       hash_gets(&c->lang->types, key) :
		       NULL;
}

static const struct type *find_tagged(struct check *c, u8 tag, const char *name)
{
	const struct world *w = &c->env->world;
	const struct type *t = find_in_script(c, tag, name);

	if (!t)
		t = find_in_program(c, tag, name, true);
	return t || !w->type ? t : w->type(w->ctx, tag, name);
}

static const struct type *find_untagged(struct check *c, const char *name)
{
	const struct world *w = &c->env->world;
	const struct type *t = hash_gets(&c->lang->types, name);
	u32 max_strlen = (u32)c->env->config.max_strlen;

	if (!t && streq(name, "string"))
		t = type_string(c->arena, max_strlen);
	if (!t && streq(name, "buffer"))
		t = type_buffer(c->arena, max_strlen - 4);
	if (!t && streq(name, "kstack_t"))
		t = type_stack(c->arena, TY_KSTACK, c->env->config.stack_mode, 127);
	if (!t && streq(name, "ustack_t"))
		t = type_stack(c->arena, TY_USTACK, c->env->config.stack_mode, 127);
	if (!t)
		t = find_named(name);
	if (!t)
		t = find_named_agg(c, name);
	/* C++ and old scripts omit the tag */
	for (const char *tag = "sue"; !t && *tag; tag++)
		t = find_in_script(c, (u8)*tag, name);
	if (!t)
		t = find_in_program(c, 0, name, false);
	if (!t && w->type)
		t = w->type(w->ctx, 0, name);
	for (const char *tag = "sue"; !t && *tag; tag++)
		t = find_tagged(c, (u8)*tag, name);
	return t;
}

/* Scripts write "struct atomic_t", although that is a typedef of a structure without a tag. */
static const struct type *find_with_tag(struct check *c, u8 tag, const char *name)
{
	const struct type *t = find_tagged(c, tag, name);

	if (t || tag == 'e')
		return t;
	t = find_untagged(c, name);
	return t && type_complete(t)->kind == TY_STRUCT &&
			       type_complete(t)->is_union == (tag == 'u') ?
		       t :
		       NULL;
}

static const struct type *add_suffix(struct check *c, const struct type *t, s64 suffix)
{
	if (suffix == -1)
		return type_pointer(c->arena, t, SPACE_NONE);
	if (suffix > UINT16_MAX * 16 || (suffix > 0 && (u64)suffix * MAX(t->size, 1u) > INT32_MAX))
		return NULL;
	return type_array(c->arena, t, suffix == -2 ? 0 : (u32)suffix);
}

const struct type *check_type_of(struct check *c, struct node *n)
{
	const struct type *key = check_map_key(c, n);

	if (key)
		return type_rigid(key);
	c->s->wants_type = true;
	return type_rigid(check_value_type(check_expr(c, n)));
}

static const struct type *type_of_expr(struct check *c, struct type_ref *ref)
{
	struct node *n = ref->of;

	if (n->kind == N_IDENT) {
		const struct type *t = check_try_ident(c, n);

		return t ? check_value_type(t) : find_untagged(c, n->name);
	}
	return check_type_of(c, n);
}

const struct type *check_try_type(struct check *c, struct type_ref *ref)
{
	const struct type *t;
	u32 first = 0;

	if (!ref->name && !ref->of && !ref->of_type) /* made by noted.c */
		return ref->type;
	if (ref->of)
		t = type_of_expr(c, ref);
	else if (ref->of_type)
		t = check_resolve_type(c, ref->of_type);
	else if (ref->is_string_n && ref->suffix.n) {
		u32 n = (u32)MIN(MAX(ref->suffix.v[0], 1), 1 << 20);

		first = 1;
		t = streq(ref->name, "buffer") ? type_buffer(c->arena, n) :
						 type_string(c->arena, n);
	} else
		t = ref->tag ? find_with_tag(c, ref->tag, ref->name) : find_untagged(c, ref->name);
	for (u32 i = first; t && i < ref->suffix.n && !type_is_moot(t); i++)
		t = add_suffix(c, t, ref->suffix.v[i]);
	ref->type = t;
	return t;
}

static void near_types(struct check *c, struct near *near)
{
	struct hash *types = &c->lang->types;

	for (u32 i = 0; i < ARRAY_SIZE(named); i++)
		near_try(near, named[i].name);
	for (u32 i = 0; i < types->cap; i++)
		if (types->slot[i].key)
			near_try(near, types->slot[i].key);
}

static const struct type *unknown_type(struct check *c, struct type_ref *ref)
{
	const struct world *w = &c->env->world;
	const char *word = ref->tag == 's' ? "struct " :
			   ref->tag == 'u' ? "union " :
			   ref->tag == 'e' ? "enum " :
					     "";
	const char *name = ref->name ? ref->name : "typeof";
	const char *full = arena_printf(c->arena, "%s%s", word, name);
	struct near near;
	struct diag *d;

	/* which every kernel with BTF has */
	if (ref->tag && w->type && !w->type(w->ctx, 's', "task_struct")) {
		d = check_report(c, ref->span, D_NO_KERNEL_TYPES, full);
		diag_help(c->diags, d, "or a definition in the script");
		return &ty_error;
	}
	d = check_report(c, ref->span, D_UNKNOWN_TYPE, full);
	near_init(&near, name);
	if (c->final) {
		const char *best = w->near_type ? w->near_type(w->ctx, name) : NULL;

		near_types(c, &near);
		best = best ? best : near_best(&near);
		if (best)
			diag_help(c->diags, d, "did you mean \"%s\"?", best);
	}
	return &ty_error;
}

const struct type *check_resolve_type(struct check *c, struct type_ref *ref)
{
	const struct type *t = check_try_type(c, ref);

	if (!t)
		t = unknown_type(c, ref);
	ref->type = t;
	return t;
}

/* ---- text of rows */

static const struct type *row_base(struct check *c, const char *name)
{
	static const struct named row_names[] = {
		{ "int", &ty_s64 },
		{ "uint", &ty_u64 },
		{ "ksym", &ty_ksym },
		{ "usym", &ty_usym },
		{ "username", &ty_username },
		{ "macaddr", &ty_macaddr },
		{ "comm", &ty_comm },
		{ "cgroup_path", &ty_cgroup_path },
		{ "ptr", &ty_void_ptr },
		{ "pointer", &ty_void_ptr },
		{ "timestamp_mode", &ty_timestamp_mode },
		{ "stack_mode", &ty_stack_mode },
		{ "count", &ty_count },
	};

	for (u32 i = 0; i < ARRAY_SIZE(row_names); i++)
		if (streq(row_names[i].name, name))
			return row_names[i].type;
	if (starts_with(name, "struct "))
		return find_tagged(c, 's', name + 7);
	if (starts_with(name, "union "))
		return find_tagged(c, 'u', name + 6);
	return find_untagged(c, name);
}

const struct type *check_named_type(struct check *c, const char *text)
{
	size_t len = strlen(text);
	u32 stars = 0;
	char *end;

	for (; len && (text[len - 1] == '*' || isspace((u8)text[len - 1])); len--)
		stars += text[len - 1] == '*';
	const char *name = arena_strndup(c->arena, text, len), *open = strchr(name, '[');
	const struct type *t;

	if (open && starts_with(name, "string[")) {
		t = type_string(c->arena, (u32)strtoul(open + 1, &end, 10));
	} else if (open && starts_with(name, "buffer[")) {
		t = type_buffer(c->arena, (u32)strtoul(open + 1, &end, 10));
	} else if (open) {
		t = row_base(c, arena_strndup(c->arena, name, (size_t)(open - name)));
		t = t ? type_array(c->arena, t, (u32)strtoul(open + 1, &end, 10)) : NULL;
	} else {
		t = row_base(c, name);
	}
	/* no BTF: still an address */
	if (!t && stars && (starts_with(name, "struct ") || starts_with(name, "union ")))
		return &ty_void_ptr;
	for (; t && stars; stars--)
		t = type_pointer(c->arena, t, SPACE_KERNEL);
	return t;
}
