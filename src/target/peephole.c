/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The peephole pass after register allocation: a commutative operation whose result is in the wrong
 * one of its operands' registers.
 *
 *	r5 += r0; r0 = r5	->	r0 += r5	where r5 is dead then
 */
#include "target/mach.h"

static bool commutes(const struct minsn *in)
{
	u32 op = BPF_OP(in->code);

	return BPF_CLASS(in->code) == BPF_ALU64 && BPF_SRC(in->code) == BPF_X &&
	       (op == BPF_ADD || op == BPF_MUL || op == BPF_AND || op == BPF_OR || op == BPF_XOR);
}

static u32 reg_of(const struct mach *m, u32 reg)
{
	return reg < V_FIRST ? reg : m->assigned[reg];
}

/* Whether instruction i is the last reader of the register. */
static bool ends_at(const struct live *l, u32 reg, u32 i)
{
	for (u32 r = l->first[reg]; r; r = l->ranges.v[r - 1].next)
		if (l->ranges.v[r - 1].end == 2 * i + 1)
			return true;
	return false;
}

static void swap_back(struct mach *m, const struct live *l, u32 i)
{
	struct minsn *op = &m->insns.v[i], *mov = &m->insns.v[i + 1];
	u32 wanted = op->src;

	if (!commutes(op) || mov->code != OP_MOV || mov->off || mov->src != op->dst ||
	    op->dst < V_FIRST || wanted == R_FRAME || reg_of(m, mov->dst) != reg_of(m, wanted) ||
	    reg_of(m, op->dst) == reg_of(m, wanted) || !ends_at(l, op->dst, i + 1))
		return;
	op->src = op->dst;
	op->dst = wanted;
	mov->code = 0;
}

void peephole(struct mach *m, const struct live *l)
{
	for (u32 i = 0; i < m->order.n; i++) {
		const struct mblock *b = &m->blocks.v[m->order.v[i]];

		for (u32 k = b->start; k + 1 < b->end; k++)
			swap_back(m, l, k);
	}
}
