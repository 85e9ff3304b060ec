/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a process's memory a call shows, by its prototype: strings, arrays and structures that
 * arguments and the result point to. It is read when the function is entered, or returns if the
 * function writes it.
 */
#include "arch/arch.h"
#include "cli/ltrace/ltrace.h"

static void add(struct ltrace *lt, struct ltrace_func *f, bool at_return, struct ltrace_capture one)
{
	struct ltrace_captures *to = at_return ? &f->at_return : &f->at_entry;

	if (to->n < LTRACE_CAPTURES)
		to->v[to->n++] = one;
	f->saves_args |= at_return && one.param != LTRACE_RESULT;
}

/* What a pointer to t leads to. */
static bool memory_of(const struct ltrace *lt, const struct proto_type *t, struct ltrace_capture *c)
{
	const struct proto_type *at = t->kind == PROTO_POINTER ? t->elem : NULL;
	u32 most = MIN(lt->o.strings, LTRACE_BYTES);

	c->type = t;
	if (t->kind == PROTO_STRING || t->kind == PROTO_FORMAT) {
		c->is_string = t->len_kind == COUNT_NONE || t->len_kind == COUNT_CONST;
		c->bytes = lt->o.strings;
		c->unit = 1;
		return true;
	}
	if (!at || at->kind == PROTO_VOID)
		return false;
	c->is_pointer_to_string = at->kind == PROTO_STRING;
	c->bytes = at->kind == PROTO_STRING ? lt->o.strings : MIN(at->size, LTRACE_BYTES);
	c->unit = 1;
	if (at->kind == PROTO_ARRAY && at->len_kind != COUNT_CONST) {
		c->unit = at->elem->size;
		c->bytes = most;
	}
	return c->bytes && c->unit;
}

static void add_param(struct ltrace *lt, struct ltrace_func *f, u32 i)
{
	const struct proto_param *p = &f->proto->param[i];
	struct ltrace_capture c = { .param = proto_register(f->proto, i) };

	if (c.param < arch_native->n_args && memory_of(lt, p->type, &c))
		add(lt, f, p->is_out, c);
	for (u32 j = c.param + 1; p->type->kind == PROTO_FORMAT && j < arch_native->n_args; j++)
		add(lt, f, false,
		    (struct ltrace_capture){ .param = j,
					     .type = p->type,
					     .is_string = true,
					     .bytes = lt->o.strings,
					     .unit = 1 });
}

static bool have_same_registers(const struct proto *a, const struct proto *b)
{
	for (u32 i = 0; i < a->n && i < b->n; i++)
		if ((a->param[i].type->kind == PROTO_FLOAT) !=
		    (b->param[i].type->kind == PROTO_FLOAT))
			return false;
	return a->n == b->n;
}

/*
 * A file of -F, then debug information, then our own table: but if both are about the same
 * arguments, the table also tells which of them the function writes.
 */
static const struct proto *prototype_of(struct ltrace *lt, const struct ltrace_func *f)
{
	const struct proto *listed = NULL, *typed;

	for (u32 i = 0; i < f->names.n && !listed; i++)
		listed = proto_find(&lt->prototypes, f->names.v[i]);
	if (listed && listed->is_users)
		return listed;
	typed = ltrace_typed(lt, f);
	if (typed && !(listed && have_same_registers(listed, typed)))
		return typed;
	return listed ? listed : &proto_unknown;
}

void ltrace_find_captures(struct ltrace *lt, struct ltrace_func *f)
{
	struct ltrace_capture result = { .param = LTRACE_RESULT };

	f->proto = prototype_of(lt, f);
	for (u32 i = 0; i < f->proto->n; i++)
		add_param(lt, f, i);
	if (memory_of(lt, f->proto->result, &result))
		add(lt, f, true, result);
}
