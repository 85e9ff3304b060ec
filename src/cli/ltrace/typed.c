/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes from debug information. In: a function. Out: its prototype, as ltrace.conf(5) would
 * describe it. Debug information does not say which memory a function writes, so what an argument
 * points to is read at the entry. NULL: there is none, or it has what a prototype cannot say.
 */
#include "arch/arch.h"
#include "cli/ltrace/ltrace.h"
#include "object/dwarf.h"
#include "object/elf.h"
#include "provider/dwarf_registers.h"

enum { MOST_PARAMS = 16, MOST_DEPTH = 3, MOST_MEMBERS = 32 };

struct typing {
	struct arena *arena;
	struct proto_param *param;
	u32 n;
	bool is_other; /* a parameter is not as a prototype could say */
};

static const struct proto_type address = { .kind = PROTO_ADDR, .size = 8 };
static const struct proto_type text = { .kind = PROTO_STRING, .size = 8 };

static const struct proto_type *type_of(struct typing *t, const struct type *from, u32 depth);

static const struct proto_type *number(struct typing *t, const struct type *from)
{
	struct proto_type *to = arena_new(t->arena, struct proto_type);

	*to = (struct proto_type){ .kind = PROTO_INT,
				   .size = from->size,
				   .is_signed = from->is_signed,
				   .lens = from->kind == TY_BOOL ? LENS_BOOL : LENS_NONE };
	if (from->kind == TY_FLOAT)
		to->kind = PROTO_FLOAT;
	return to;
}

static const struct proto_type *names_of(struct typing *t, const struct type *from)
{
	struct proto_type *to = arena_new(t->arena, struct proto_type);
	struct proto_member *member = arena_array(t->arena, struct proto_member, from->n_enums + 1);

	for (u32 i = 0; i < from->n_enums; i++)
		member[i] = (struct proto_member){ .name = from->enums[i].name,
						   .value = from->enums[i].value };
	*to = (struct proto_type){ .kind = PROTO_ENUM,
				   .size = from->size,
				   .is_signed = from->is_signed,
				   .n = from->n_enums,
				   .member = member };
	return to;
}

/* The members that have bytes of their own; of a union the first. */
static const struct proto_type *members_of(struct typing *t, const struct type *from, u32 depth)
{
	struct proto_type *to = arena_new(t->arena, struct proto_type);
	struct proto_member *member = arena_array(t->arena, struct proto_member, MOST_MEMBERS);
	u32 most = from->is_union ? 1 : MOST_MEMBERS;

	*to = (struct proto_type){ .kind = PROTO_STRUCT, .size = from->size, .member = member };
	for (u32 i = 0; i < from->n_fields && to->n < most; i++) {
		const struct field *f = &from->fields[i];
		const struct proto_type *of = f->bit_size || f->virtual_at || f->is_tag || f->when ?
						      NULL :
						      type_of(t, f->type, depth + 1);

		if (of)
			member[to->n++] = (struct proto_member){ .value = f->offset, .type = of };
	}
	return to->n ? to : NULL;
}

static const struct proto_type *array_of(struct typing *t, const struct type *from, u32 depth)
{
	const struct proto_type *elem = type_of(t, from->elem, depth + 1);
	struct proto_type *to;

	if (!elem || !elem->size || !from->size)
		return NULL;
	to = arena_new(t->arena, struct proto_type);
	*to = (struct proto_type){ .kind = PROTO_ARRAY,
				   .size = from->size,
				   .elem = elem,
				   .len_kind = COUNT_CONST,
				   .len = from->count };
	return to;
}

static bool is_char(const struct type *t)
{
	return t->kind == TY_INT && t->size == 1 && t->is_signed;
}

/* In memory a pointer is an address: what it leads to is not read, except text of an argument. */
static const struct proto_type *pointer_to(struct typing *t, const struct type *to, u32 depth)
{
	const struct proto_type *elem;
	struct proto_type *p;

	if (depth)
		return &address;
	if (is_char(to))
		return &text;
	elem = to->kind == TY_POINTER && is_char(type_complete(to->elem)) ? &text :
									    type_of(t, to, 1);
	if (!elem || !elem->size)
		return &address;
	p = arena_new(t->arena, struct proto_type);
	*p = (struct proto_type){ .kind = PROTO_POINTER, .size = 8, .elem = elem };
	return p;
}

/* NULL: it is shown as an address, or not at all. */
static const struct proto_type *type_of(struct typing *t, const struct type *from, u32 depth)
{
	from = type_complete(from);
	if (depth > MOST_DEPTH)
		return NULL;
	switch ((u32)from->kind) {
	case TY_BOOL:
	case TY_INT:
	case TY_FLOAT: return from->size <= 8 ? number(t, from) : NULL;
	case TY_ENUM: return from->size <= 8 ? names_of(t, from) : NULL;
	case TY_POINTER: return pointer_to(t, type_complete(from->elem), depth);
	case TY_STRUCT: return members_of(t, from, depth);
	case TY_ARRAY: return array_of(t, from, depth);
	}
	return NULL;
}

static bool is_in_register(const struct type *t)
{
	return (type_is_scalar(t) || t->kind == TY_FLOAT) && t->size <= 8;
}

/* How a structure is passed, by all of its members. False: its convention is not known here. */
static bool pass(struct proto_passing *p, const struct type *t, u32 offset, u32 depth)
{
	t = type_complete(t);
	p->is_known = true;
	if (offset >= LTRACE_BYTES) /* on the stack in any case */
		return true;
	if (depth > MOST_MEMBERS)
		return false;
	if (t->kind == TY_ARRAY) {
		for (u32 i = 0; i < t->count && i < LTRACE_BYTES; i++)
			if (!pass(p, t->elem, offset + i * type_complete(t->elem)->size, depth + 1))
				return false;
		return true;
	}
	if (t->kind != TY_STRUCT) {
		proto_pass(p, offset, t->size, t->kind == TY_FLOAT);
		return is_in_register(t);
	}
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];

		if (f->virtual_at || f->is_tag || f->when)
			return false;
		if (f->bit_size)
			proto_pass(p, offset + f->offset, 1, false);
		else if (!pass(p, f->type, offset + f->offset, depth + 1))
			return false;
	}
	return true;
}

static const struct proto_type *by_value(struct typing *t, const struct type *from)
{
	struct proto_passing p = { 0 };
	const struct proto_type *type = pass(&p, from, 0, 0) ? type_of(t, from, 0) : NULL;
	struct proto_type *to;

	if (!type)
		return NULL;
	to = arena_dup(t->arena, type, sizeof *type);
	to->passing = p;
	return to;
}

static int add_param(void *ctx, const struct dwarf_var *v)
{
	struct typing *t = ctx;
	const struct type *from = type_complete(v->type);
	const struct proto_type *type;

	if (v->is_result)
		return 0;
	type = v->by_reference || from->kind == TY_FUNC ? &address :
	       from->kind == TY_STRUCT                  ? by_value(t, from) :
	       is_in_register(from)                     ? type_of(t, from, 0) :
							  NULL;
	t->is_other |= !type || t->n >= MOST_PARAMS;
	if (!t->is_other)
		t->param[t->n++].type = type;
	return t->is_other;
}

static struct dwarf *dwarf_of_object(struct ltrace_object *o)
{
	struct err err = { 0 };

	if (!o->asked_dwarf)
		o->dwarf = dwarf_of(o->path, dwarf_registers_of(elf_machine(o->elf)), &err);
	o->asked_dwarf = true;
	err_release(&err);
	return o->dwarf;
}

/* Functions of C and C++ have their arguments where the calling convention says. */
static bool is_conventional(const struct dwarf_func *f)
{
	return !f->is_changed && !f->result_by_reference &&
	       (f->language == LANGUAGE_C || f->language == LANGUAGE_CXX);
}

const struct proto *ltrace_typed(struct ltrace *lt, const struct ltrace_func *f)
{
	static const struct proto_type nothing = { .kind = PROTO_VOID };
	struct typing t = { .arena = &lt->c->line.arena };
	struct dwarf *d = dwarf_of_object(f->object);
	const struct type *result;
	struct dwarf_func func;
	struct proto *p;

	if (!d || !dwarf_func_at(d, f->address, &func) || func.entry != f->address ||
	    !is_conventional(&func))
		return NULL;
	t.param = arena_array(t.arena, struct proto_param, MOST_PARAMS);
	dwarf_params(d, f->address, false, add_param, &t);
	result = type_complete(func.result);
	if (t.is_other)
		return NULL;
	p = arena_new(t.arena, struct proto);
	*p = (struct proto){ .param = t.param, .n = t.n };
	p->result = result->kind == TY_VOID   ? &nothing :
		    result->kind == TY_STRUCT ? by_value(&t, result) :
		    is_in_register(result)    ? type_of(&t, result, 0) :
						NULL;
	return p->result ? p : NULL;
}
