/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a call has its arguments and its result. In: types. Out: words, which are numbered: the
 * registers of whole numbers, then the words of the stack, 0 being the one behind the return
 * address.
 *
 * x86-64: a structure of at most 16 bytes is in a register for each 8 bytes, a floating-point one
 * if these have nothing but floating-point numbers; if not enough are left, and if it is larger, it
 * is on the stack. arm64: up to four equal floating-point numbers are in a register each, another
 * structure of at most 16 bytes in one or two for whole numbers; a larger one is passed by its
 * address.
 */
#include "arch/arch.h"
#include "cli/ltrace/ltrace.h"

enum { FLOAT_REGISTERS = 8, LARGEST = 16, SAME_FLOATS = 4 };
#ifdef __aarch64__
static const bool is_arm64 = true;
#else
static const bool is_arm64 = false;
#endif

void proto_pass(struct proto_passing *p, u32 offset, u32 size, bool is_float)
{
	p->is_known = true;
	p->in_memory |= !is_arm64 && size && offset % size; /* packed */
	if (!is_float) {
		for (u32 at = offset / 8; at <= (offset + MAX(size, 1u) - 1) / 8 && at < 2; at++)
			p->whole |= (u8)(1 << at);
		p->has_whole = true;
		return;
	}
	p->has_whole |= p->n_floats && p->float_size != size;
	p->float_size = (u8)size;
	p->n_floats++;
}

static void pass_members(struct proto_passing *p, const struct proto_type *t, u32 offset)
{
	p->is_known = true;
	if (t->kind == PROTO_STRUCT) {
		for (u32 i = 0; i < t->n; i++)
			pass_members(p, t->member[i].type, offset + (u32)t->member[i].value);
	} else if (t->kind == PROTO_ARRAY) {
		for (u32 at = 0; t->elem->size && at < t->size && at < LARGEST; at += t->elem->size)
			pass_members(p, t->elem, offset + at);
	} else {
		proto_pass(p, offset, t->size, t->kind == PROTO_FLOAT);
	}
}

static struct proto_passing passing_of(const struct proto_type *t)
{
	struct proto_passing p = t->passing;

	if (!p.is_known)
		pass_members(&p, t, 0);
	p.in_memory |= t->size > LARGEST;
	return p;
}

/* Equal floating-point numbers, whose registers arm64 does not fill by bytes. */
static bool are_same_floats(const struct proto_passing *p)
{
	return is_arm64 && p->n_floats && !p->has_whole && p->n_floats <= SAME_FLOATS;
}

static bool is_by_value(const struct proto_type *t)
{
	return t->kind == PROTO_STRUCT;
}

static void put_on_stack(struct proto_walk *w, struct proto_place *to, u32 n)
{
	for (u32 i = 0; i < n && i < ARG_WORDS; i++)
		to->word[i] = arch_native->n_args + w->stack + i;
	to->n = MIN(n, (u32)ARG_WORDS);
	w->stack += n;
}

static void place_number(struct proto_walk *w, struct proto_place *to, bool is_float)
{
	u32 *used = is_float ? &w->floats : &w->whole;

	if (*used == (is_float ? FLOAT_REGISTERS : arch_native->n_args)) {
		put_on_stack(w, to, 1);
		return;
	}
	to->word[to->n++] = is_float ? WORD_FLOAT : *used;
	++*used;
}

static void place_struct(struct proto_walk *w, struct proto_place *to, const struct proto_type *t)
{
	struct proto_passing p = passing_of(t);
	u32 n = (t->size + 7) / 8, floats = 0, whole;
	bool are_same = are_same_floats(&p);

	if (!p.n_floats && !p.has_whole) /* empty */
		return;
	to->by_address = is_arm64 && p.in_memory && !are_same;
	if (to->by_address) {
		place_number(w, to, false);
		return;
	}
	for (u32 i = 0; i < n && i < 2; i++)
		floats += are_same || (!is_arm64 && !(p.whole >> i & 1));
	floats = are_same ? p.n_floats : floats;
	whole = are_same ? 0 : n - floats;
	if ((p.in_memory && !are_same) || w->whole + whole > arch_native->n_args ||
	    w->floats + floats > FLOAT_REGISTERS) {
		if (is_arm64 && floats) /* the rest is on the stack, too */
			w->floats = FLOAT_REGISTERS;
		else if (is_arm64)
			w->whole = arch_native->n_args;
		put_on_stack(w, to, n);
		return;
	}
	for (u32 i = 0; i < n && i < ARG_WORDS; i++)
		to->word[i] = are_same || (!is_arm64 && !(p.whole >> i & 1)) ? WORD_FLOAT :
									       w->whole++;
	to->n = n;
	w->floats += floats;
}

void proto_place(struct proto_walk *w, const struct proto_type *t, struct proto_place *to)
{
	*to = (struct proto_place){ 0 };
	if (is_by_value(t))
		place_struct(w, to, t);
	else
		place_number(w, to, t->kind == PROTO_FLOAT);
}

/* x86-64: the caller's address of the memory is the first argument. */
void proto_walk_begin(struct proto_walk *w, const struct proto *p)
{
	*w = (struct proto_walk){ .whole = !is_arm64 && proto_result_in_memory(p->result) };
}

void proto_place_of(const struct proto *p, u32 param, struct proto_walk *w, struct proto_place *to)
{
	proto_walk_begin(w, p);
	for (u32 i = 0; i <= param && i < p->n; i++)
		proto_place(w, p->param[i].type, to);
}

bool proto_result_in_memory(const struct proto_type *t)
{
	struct proto_passing p;

	if (!is_by_value(t))
		return false;
	p = passing_of(t);
	return p.in_memory && !are_same_floats(&p);
}

bool proto_returns_address(void)
{
	return !is_arm64;
}

/* Registers for whole numbers are word 0 and 1, of the return. */
void proto_place_result(const struct proto_type *t, struct proto_place *to)
{
	struct proto_walk w = { 0 };

	proto_place(&w, t, to);
}
