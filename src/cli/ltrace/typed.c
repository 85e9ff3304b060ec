/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes from debug information. In: a function. Out: its prototype, as ltrace.conf(5) would
 * describe it. Debug information does not say which memory a function writes, so what an argument
 * points to is read at the entry. NULL: there is none, or an argument is not in one register.
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
	return type_is_scalar(t) || t->kind == TY_FLOAT;
}

static int add_param(void *ctx, const struct dwarf_var *v)
{
	struct typing *t = ctx;
	const struct proto_type *type;

	if (v->is_result)
		return 0;
	type = v->by_reference || type_complete(v->type)->kind == TY_FUNC ? &address :
	       is_in_register(type_complete(v->type))                     ? type_of(t, v->type, 0) :
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
	if (t.is_other || (result->kind != TY_VOID && !is_in_register(result)))
		return NULL;
	p = arena_new(t.arena, struct proto);
	*p = (struct proto){ .param = t.param, .n = t.n };
	p->result = result->kind == TY_VOID ? &nothing : type_of(&t, result, 0);
	return p->result ? p : NULL;
}
