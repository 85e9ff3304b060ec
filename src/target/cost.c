/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worst-case cost of one run of a program, in instructions. In: a function that the verifier
 * accepts. Our verifier follows every iteration of an inline loop and counts the visits of each
 * instruction. It follows only a few iterations of a callback, so the cost of a callback is the
 * cost of one iteration times the iterations that the call allows.
 */
#include "target/verify.h"

struct pricing {
	const struct verifier *c;
	const struct run_cost *cost;
	u32 depth;
};

static u64 add(u64 a, u64 b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static u64 times(u64 a, u64 b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static u64 price_sub(struct pricing *p, u32 sub);

/* The cost of a call beyond the instruction itself. */
static u64 price_call(struct pricing *p, u32 at)
{
	const struct bpf_insn *i = &p->c->f->insns[at];

	if (i->code != (BPF_JMP | BPF_CALL))
		return 0;
	if (i->src_reg == BPF_PSEUDO_CALL)
		return price_sub(p, verify_sub_at(p->c, at + 1 + (u32)i->imm));
	return p->cost->callback[at] ?
		       times(p->cost->iterations[at], price_sub(p, p->cost->callback[at] - 1)) :
		       0;
}

/* One run of a subprogram: all visits inside it, divided by the number of times it was entered. */
static u64 price_sub(struct pricing *p, u32 sub)
{
	u32 start = p->c->subs.v[sub].start, end = p->c->subs.v[sub].end,
	    entered = p->cost->visits[start];
	u64 sum = 0;

	if (!entered || p->depth == VERIFY_FRAMES)
		return 0;
	p->depth++;
	for (u32 at = start; at < end; at++)
		if (p->cost->visits[at])
			sum = add(sum, times((p->cost->visits[at] + entered - 1) / entered,
					     add(1, price_call(p, at))));
	p->depth--;
	return sum;
}

u64 target_cost(const struct program *prog, const struct bpf_func *f, const struct profile *profile)
{
	struct verify_error error = { 0 };
	struct run_cost cost;
	struct verifier c = { .prog = prog,
			      .f = f,
			      .error = &error,
			      .cost = &cost,
			      .profile = verify_kind(f, profile) };
	struct pricing p = { &c, &cost, 0 };
	u64 sum = 0;

	arena_init(&c.arena);
	cost.visits = arena_array(&c.arena, u32, f->n_insns + 1);
	cost.iterations = arena_array(&c.arena, u64, f->n_insns + 1);
	cost.callback = arena_array(&c.arena, u32, f->n_insns + 1);
	if (!verify_all(&c))
		sum = price_sub(&p, 0);
	arena_release(&c.arena);
	return sum;
}
