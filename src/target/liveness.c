/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live ranges. Most registers live inside one block. Those that a block reads before it sets them
 * are followed backward over predecessors to where they are set, each block once, so the work is
 * proportional to the ranges found. One backward sweep over all blocks then cuts the ranges and
 * drops instructions whose only effect is a register that is never read.
 *
 * Instruction i reads at position 2i and writes at 2i + 1: a register whose last reader is i and
 * one that i sets may share a machine register.
 */
#include "target/mach.h"

struct occurrence { /* a list of blocks where a register is exposed or set */
	u32 block, next;
};

struct liveness {
	struct mach *m;
	struct live *l;
	VEC(struct occurrence) occ;
	u32 *exposed, *sets;                   /* by register: lists in occ, index + 1 */
	u32 *set_in, *exposed_in;              /* by register: last block seen, + 1 */
	u32 *block_set, *block_in, *block_out; /* by block: stamps of the register being followed */
	/* by block: list in occ (block field: register) of the registers live at its end */
	u32 *out;
	u32 *work;
	/* the sweep: registers alive here */
	u32 *end;                       /* by register: exclusive end of the open range, 0: dead */
	u32 *alive, n_alive, *alive_at; /* dense list, and indexes into it */
};

/* ---- predecessors */

static u32 successors(const struct mach *m, const struct mblock *b, u32 to[2])
{
	u32 n = 0;

	if (b->end > b->start && minsn_is_jump(&m->insns.v[b->end - 1]))
		to[n++] = m->insns.v[b->end - 1].index;
	if (b->next != NO_BLOCK)
		to[n++] = b->next;
	return n;
}

static void find_preds(struct mach *m)
{
	u32 to[2], total = 0;

	for (u32 i = 0; i < m->blocks.n; i++)
		m->blocks.v[i].n_preds = 0;
	for (u32 i = 0; i < m->order.n; i++) {
		u32 n = successors(m, &m->blocks.v[m->order.v[i]], to);

		for (u32 k = 0; k < n; k++, total++)
			m->blocks.v[to[k]].n_preds++;
	}
	m->preds = arena_array(m->arena, u32, total);
	total = 0;
	for (u32 i = 0; i < m->blocks.n; i++) {
		m->blocks.v[i].first_pred = total;
		total += m->blocks.v[i].n_preds;
		m->blocks.v[i].n_preds = 0;
	}
	for (u32 i = 0; i < m->order.n; i++) {
		u32 n = successors(m, &m->blocks.v[m->order.v[i]], to);

		for (u32 k = 0; k < n; k++) {
			struct mblock *b = &m->blocks.v[to[k]];

			m->preds[b->first_pred + b->n_preds++] = m->order.v[i];
		}
	}
}

/* ---- registers that cross blocks */

static void note(struct liveness *v, u32 *list, u32 block)
{
	vec_push(v->m->arena, &v->occ, (struct occurrence){ block, *list });
	*list = v->occ.n;
}

static void note_use(struct liveness *v, u32 reg, u32 block)
{
	if (reg == R_FRAME || v->set_in[reg] == block + 1 || v->exposed_in[reg] == block + 1)
		return;
	v->exposed_in[reg] = block + 1;
	note(v, &v->exposed[reg], block);
}

static void note_set(struct liveness *v, u32 reg, u32 block)
{
	if (v->set_in[reg] == block + 1)
		return;
	v->set_in[reg] = block + 1;
	note(v, &v->sets[reg], block);
}

static void scan_block(struct liveness *v, u32 id)
{
	const struct mblock *b = &v->m->blocks.v[id];

	for (u32 i = b->start; i < b->end; i++) {
		const struct minsn *in = &v->m->insns.v[i];
		u32 roles = minsn_roles(in);

		if ((roles & DST_USED) && in->dst >= V_FIRST)
			note_use(v, in->dst, id);
		if ((roles & SRC_USED) && in->src >= V_FIRST)
			note_use(v, in->src, id);
		if ((roles & DST_SET) && in->dst >= V_FIRST)
			note_set(v, in->dst, id);
		if ((roles & SRC_SET) && in->src >= V_FIRST)
			note_set(v, in->src, id);
	}
}

/* Marks the register alive at the end of every block from which its exposed uses are reached. */
static void follow(struct liveness *v, u32 reg)
{
	struct mach *m = v->m;
	u32 n = 0;

	for (u32 i = v->sets[reg]; i; i = v->occ.v[i - 1].next)
		v->block_set[v->occ.v[i - 1].block] = reg;
	for (u32 i = v->exposed[reg]; i; i = v->occ.v[i - 1].next) {
		v->block_in[v->occ.v[i - 1].block] = reg;
		v->work[n++] = v->occ.v[i - 1].block;
	}
	while (n) {
		const struct mblock *b = &m->blocks.v[v->work[--n]];

		for (u32 k = 0; k < b->n_preds; k++) {
			u32 p = m->preds[b->first_pred + k];

			if (v->block_out[p] == reg)
				continue;
			v->block_out[p] = reg;
			note(v, &v->out[p], reg);
			if (v->block_set[p] == reg || v->block_in[p] == reg)
				continue;
			v->block_in[p] = reg;
			v->work[n++] = p;
		}
	}
}

/* ---- the sweep */

static void add_range(struct live *l, struct arena *a, u32 reg, u32 start, u32 end)
{
	struct range *first = l->first[reg] ? &l->ranges.v[l->first[reg] - 1] : NULL;

	if (first && first->start <= end) {
		first->start = MIN(first->start, start);
		return;
	}
	vec_push(a, &l->ranges, (struct range){ start, end, l->first[reg] });
	l->first[reg] = l->ranges.n;
}

static void revive(struct liveness *v, u32 reg, u32 end)
{
	if (v->end[reg])
		return;
	v->end[reg] = end;
	v->alive_at[reg] = v->n_alive;
	v->alive[v->n_alive++] = reg;
}

static void kill(struct liveness *v, u32 reg, u32 start)
{
	u32 last = v->alive[--v->n_alive];

	add_range(v->l, v->m->arena, reg, start, v->end[reg]);
	v->alive[v->alive_at[reg]] = last;
	v->alive_at[last] = v->alive_at[reg];
	v->end[reg] = 0;
}

static u32 depth_weight(u32 depth)
{
	return 1u << 3 * MIN(depth, 4u);
}

static void set(struct liveness *v, u32 reg, u32 i)
{
	if (v->end[reg])
		kill(v, reg, 2 * i + 1);
	else
		add_range(v->l, v->m->arena, reg, 2 * i + 1, 2 * i + 2);
	v->l->n_defs[reg]++;
	v->l->def[reg] = i;
}

static void use(struct liveness *v, u32 reg, u32 i)
{
	if (reg != R_FRAME)
		revive(v, reg, 2 * i + 1);
}

/* Registers that calls, exits and compare-exchange touch without naming them. */
static void implicit_sets(struct liveness *v, const struct minsn *in, u32 i)
{
	if (in->code == OP_CALL)
		for (u32 r = R0; r <= R5; r++)
			set(v, r, i);
	else if (BPF_CLASS(in->code) == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC &&
		 in->imm == BPF_CMPXCHG)
		set(v, R0, i);
}

static void implicit_uses(struct liveness *v, const struct minsn *in, u32 i)
{
	if (in->code == OP_CALL)
		for (u32 r = R1; r <= in->n_args; r++)
			use(v, r, i);
	else if (in->code == OP_EXIT ||
		 (BPF_CLASS(in->code) == BPF_STX && BPF_MODE(in->code) == BPF_ATOMIC &&
		  in->imm == BPF_CMPXCHG))
		use(v, R0, i);
}

static void sweep_insn(struct liveness *v, u32 i, u32 weight)
{
	struct minsn *in = &v->m->insns.v[i];
	u32 roles = minsn_roles(in);

	if (minsn_is_pure(in) && in->dst >= V_FIRST && !v->end[in->dst]) {
		in->code = 0;
		return;
	}
	if (!in->code)
		return;
	implicit_sets(v, in, i);
	if (roles & DST_SET)
		set(v, in->dst, i);
	if (roles & SRC_SET)
		set(v, in->src, i);
	implicit_uses(v, in, i);
	if (roles & DST_USED)
		use(v, in->dst, i);
	if (roles & SRC_USED)
		use(v, in->src, i);
	if (roles & (DST_SET | DST_USED))
		v->l->weight[in->dst] += weight;
	if (roles & (SRC_SET | SRC_USED))
		v->l->weight[in->src] += weight;
}

static void sweep_block(struct liveness *v, u32 id)
{
	const struct mblock *b = &v->m->blocks.v[id];
	u32 weight = depth_weight(b->depth);

	for (u32 i = v->out[id]; i; i = v->occ.v[i - 1].next)
		revive(v, v->occ.v[i - 1].block, 2 * b->end);
	for (u32 i = b->end; i-- > b->start;)
		sweep_insn(v, i, weight);
	while (v->n_alive)
		kill(v, v->alive[v->n_alive - 1], 2 * b->start);
}

void live_compute(struct mach *m, struct live *l)
{
	struct liveness v = { .m = m, .l = l };
	struct arena *a = m->arena;
	u32 n = m->n_vregs, n_blocks = m->blocks.n;
	u32 *by_reg = arena_array(a, u32, 9 * (size_t)n),
	    *by_block = arena_array(a, u32, 5 * (size_t)n_blocks);

	*l = (struct live){ .first = by_reg,
			    .weight = by_reg + n,
			    .n_defs = by_reg + 2 * n,
			    .def = by_reg + 3 * n,
			    .words = 2 * m->insns.n / 64 + 2 };
	v.exposed = by_reg + 4 * n;
	v.sets = by_reg + 5 * n;
	v.set_in = v.end = by_reg + 6 * n;
	v.exposed_in = v.alive_at = by_reg + 7 * n;
	v.alive = by_reg + 8 * n;
	v.block_set = by_block;
	v.block_in = by_block + n_blocks;
	v.block_out = by_block + 2 * n_blocks;
	v.out = by_block + 3 * n_blocks;
	v.work = by_block + 4 * n_blocks;
	find_preds(m);
	for (u32 i = 0; i < m->order.n; i++)
		scan_block(&v, m->order.v[i]);
	for (u32 r = V_FIRST; r < n; r++)
		if (v.exposed[r])
			follow(&v, r);
	memset(v.end, 0, n * sizeof *v.end);
	for (u32 i = m->order.n; i--;)
		sweep_block(&v, m->order.v[i]);
}

/* ---- bitmaps of positions */

static u64 bits_of(const struct range *r, u32 word)
{
	u64 mask = ~0ull;

	if (word == r->start / 64)
		mask &= ~0ull << r->start % 64;
	if (word == r->end / 64)
		mask &= (1ull << r->end % 64) - 1;
	return mask;
}

bool live_free(const struct live *l, const u64 *bitmap, u32 reg)
{
	for (u32 i = l->first[reg]; i; i = l->ranges.v[i - 1].next) {
		const struct range *r = &l->ranges.v[i - 1];

		for (u32 w = r->start / 64; w <= r->end / 64; w++)
			if (bitmap[w] & bits_of(r, w))
				return false;
	}
	return true;
}

void live_mark(const struct live *l, u64 *bitmap, u32 reg, bool on)
{
	for (u32 i = l->first[reg]; i; i = l->ranges.v[i - 1].next) {
		const struct range *r = &l->ranges.v[i - 1];

		for (u32 w = r->start / 64; w <= r->end / 64; w++)
			bitmap[w] = on ? bitmap[w] | bits_of(r, w) : bitmap[w] & ~bits_of(r, w);
	}
}
