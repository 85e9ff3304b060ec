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
		c->bytes = t->kind == PROTO_FORMAT ? MAX(lt->o.strings, LTRACE_FORMAT) :
						     lt->o.strings;
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

/* Of memory that a function writes, the address is taken from a register at the entry. */
static void add_param(struct ltrace *lt, struct ltrace_func *f, u32 i, struct proto_walk *after)
{
	const struct proto_param *p = &f->proto->param[i];
	struct proto_place place;
	struct ltrace_capture c = { 0 };

	proto_place_of(f->proto, i, after, &place);
	c.param = place.word[0];
	if (place.by_address && c.param < LTRACE_WORDS)
		add(lt, f, false,
		    (struct ltrace_capture){ .param = c.param,
					     .type = p->type,
					     .bytes = MIN(p->type->size, LTRACE_BYTES),
					     .unit = 1 });
	else if (place.n && c.param < (p->is_out ? arch_native->n_args : LTRACE_WORDS) &&
		 memory_of(lt, p->type, &c))
		add(lt, f, p->is_out, c);
}

/* Any of what follows a format may be text. */
static void add_formatted(struct ltrace *lt, struct ltrace_func *f, u32 format)
{
	const struct proto_type *t = f->proto->param[format].type;
	struct proto_walk w;
	struct proto_place place;

	proto_place_of(f->proto, format, &w, &place);
	for (u32 i = place.word[0] + 1; i < arch_native->n_args + LTRACE_FORMAT_TEXTS; i++)
		add(lt, f, false,
		    (struct ltrace_capture){ .param = i,
					     .type = t,
					     .is_string = true,
					     .bytes = lt->o.strings,
					     .unit = 1 });
}

static void add_stack(struct ltrace *lt, struct ltrace_func *f, u32 n_words)
{
	static const struct proto_type words = { .kind = PROTO_ADDR };
	u32 n = MIN(n_words, LTRACE_WORDS - arch_native->n_args);

	if (n)
		add(lt, f, false,
		    (struct ltrace_capture){
			    .param = LTRACE_STACK, .type = &words, .bytes = n * 8, .unit = 1 });
}

static void add_result(struct ltrace *lt, struct ltrace_func *f)
{
	const struct proto_type *t = f->proto->result;
	struct ltrace_capture c = { .param = LTRACE_RESULT };
	struct proto_place place;

	if (proto_result_in_memory(t)) {
		if (!proto_returns_address())
			return;
		c.type = t;
		c.bytes = MIN(t->size, LTRACE_BYTES);
		c.unit = 1;
		add(lt, f, true, c);
		return;
	}
	proto_place_result(t, &place);
	for (u32 i = 0; i < place.n; i++)
		f->has_second |= place.word[i] == 1;
	if (memory_of(lt, t, &c))
		add(lt, f, true, c);
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
	struct proto_walk after = { 0 };
	u32 format = UINT32_MAX;

	f->proto = prototype_of(lt, f);
	for (u32 i = 0; i < f->proto->n; i++) {
		add_param(lt, f, i, &after);
		if (f->proto->param[i].type->kind == PROTO_FORMAT)
			format = i;
	}
	if (format != UINT32_MAX)
		add_formatted(lt, f, format);
	add_stack(lt, f, after.stack + (format != UINT32_MAX ? LTRACE_FORMAT_WORDS : 0));
	add_result(lt, f);
}
