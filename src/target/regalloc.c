/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linear scan over live ranges with holes (after Wimmer and Moessenboeck), registers in order of
 * birth. A machine register's busy positions are a bitmap, so a test whether it is free wherever a
 * virtual register lives takes a few words. Calls occupy r0..r5 for one position: what lives across
 * a call finds only r6..r9 free without a separate rule. Moves attract: a register prefers the
 * machine register that it is moved from or to, and then the move disappears.
 *
 * Where none is free, the cheapest competitor is spilled everywhere (spill.c) and allocation starts
 * again. The registers that spilling creates live for an instruction or two and are never spilled
 * themselves: at most two at once, beside a fixed r0; so three registers are enough.
 */
#include "target/mach.h"

enum { MAX_ROUNDS = 1000 };

struct hint { /* registers joined by a move, in a list */
	u32 other, weight, next;
};

struct alloc {
	struct mach *m;
	struct live l;
	u64 *busy[N_REGS];  /* positions taken */
	u64 *fixed[N_REGS]; /* by instructions that name the machine register */
	u32 *from;          /* by register: first range that has not ended, index + 1 */
	VEC(struct hint) hints;
	u32 *hint;          /* by register: index + 1 */
	u32 *same;          /* by register: next one in the same machine register, + 1 */
	u32 holder[N_REGS]; /* heads of these lists, + 1 */
	u32 *spilled;       /* by register */
	u32 n_spilled;
};

enum { UNASSIGNED = 0xff };

/* ---- hints */

static void add_hint(struct alloc *al, u32 v, u32 other, u32 weight)
{
	if (v < V_FIRST)
		return;
	vec_push(al->m->arena, &al->hints, (struct hint){ other, weight, al->hint[v] });
	al->hint[v] = al->hints.n;
}

static void find_hints(struct alloc *al)
{
	struct mach *m = al->m;

	for (u32 i = 0; i < m->order.n; i++) {
		const struct mblock *b = &m->blocks.v[m->order.v[i]];

		for (u32 k = b->start; k < b->end; k++) {
			const struct minsn *in = &m->insns.v[k];

			if (in->code != OP_MOV || in->src == R_FRAME)
				continue;
			add_hint(al, in->dst, in->src, 1 + b->depth);
			add_hint(al, in->src, in->dst, 1 + b->depth);
		}
	}
}

static u32 register_of(const struct alloc *al, u32 v)
{
	return v < N_REGS ? v : v >= V_FIRST ? al->m->assigned[v] : UNASSIGNED;
}

/* Scores the machine registers that the moves of v, and those of their other ends, prefer. A
 * variable may have thousands of moves: the last ones tell. */
static void score(const struct alloc *al, u32 v, u32 scores[N_REGS])
{
	enum { MOST_MOVES = 32 };
	u32 n = 0;

	for (u32 i = al->hint[v]; i && n++ < MOST_MOVES; i = al->hints.v[i - 1].next) {
		const struct hint *h = &al->hints.v[i - 1];
		u32 reg = register_of(al, h->other), n_of_other = 0;

		if (reg != UNASSIGNED) {
			scores[reg] += 4 * h->weight;
			continue;
		}
		for (u32 k = al->hint[h->other]; k && n_of_other++ < MOST_MOVES;
		     k = al->hints.v[k - 1].next) {
			reg = register_of(al, al->hints.v[k - 1].other);
			if (reg != UNASSIGNED)
				scores[reg] += h->weight;
		}
	}
}

static u32 best_free(const struct alloc *al, u32 v)
{
	/* r1..r5 last to first: arguments of calls are set up in the low ones */
	static const u8 order[N_REGS] = { R0, R5, R4, R3, R2, R1, R6, R7, R8, R9 };
	u32 scores[N_REGS] = { 0 }, best = UNASSIGNED;

	score(al, v, scores);
	for (u32 i = 0; i < N_REGS; i++) {
		u32 r = order[i];

		if (!(al->m->limits.regs >> r & 1) ||
		    (best != UNASSIGNED && scores[r] <= scores[best]))
			continue;
		if (live_free(&al->l, al->busy[r], v))
			best = r;
	}
	return best;
}

/* ---- spilling */

static u64 cost(const struct alloc *al, u32 v)
{
	const struct range *r;
	u32 len = 0;
	u64 w = al->l.weight[v];

	if (al->m->unspillable.v[v])
		return UINT64_MAX / 64;
	if (al->l.n_defs[v] == 1 && minsn_is_constant(&al->m->insns.v[al->l.def[v]]))
		w = (w + 2) / 3;
	for (u32 i = al->l.first[v]; i; i = r->next) {
		r = &al->l.ranges.v[i - 1];
		len += r->end - r->start;
	}
	return (w << 20) / (len + 4) + 1;
}

static u32 start_of(const struct alloc *al, u32 v)
{
	return al->l.ranges.v[al->l.first[v] - 1].start;
}

/* Drops ranges of w that end before the scan's position; returns whether any is left. */
static bool still_lives(struct alloc *al, u32 w, u32 position)
{
	while (al->from[w] && al->l.ranges.v[al->from[w] - 1].end <= position)
		al->from[w] = al->l.ranges.v[al->from[w] - 1].next;
	return al->from[w];
}

static bool overlap(const struct alloc *al, u32 v, u32 w)
{
	u32 i = al->l.first[v], k = al->from[w];

	while (i && k) {
		const struct range *a = &al->l.ranges.v[i - 1], *b = &al->l.ranges.v[k - 1];

		if (a->start < b->end && b->start < a->end)
			return true;
		if (a->end <= b->end)
			i = a->next;
		else
			k = b->next;
	}
	return false;
}

/* The cost of freeing machine register reg for v; UINT64_MAX: impossible. */
static u64 eviction_cost(struct alloc *al, u32 reg, u32 v)
{
	u32 *link = &al->holder[reg], position = start_of(al, v);
	u64 sum = 0;

	if (!live_free(&al->l, al->fixed[reg], v))
		return UINT64_MAX;
	while (*link) {
		u32 w = *link - 1;

		if (!still_lives(al, w, position)) {
			*link = al->same[w];
			continue;
		}
		if (overlap(al, v, w))
			sum += cost(al, w);
		link = &al->same[w];
	}
	return sum;
}

static void spill(struct alloc *al, u32 v)
{
	if (al->m->unspillable.v[v])
		BUG("no register for a reload");
	al->m->assigned[v] = UNASSIGNED;
	al->spilled[v] = ++al->n_spilled;
}

static void assign(struct alloc *al, u32 v, u32 reg)
{
	al->m->assigned[v] = (u8)reg;
	al->same[v] = al->holder[reg];
	al->holder[reg] = v + 1;
	al->from[v] = al->l.first[v];
	live_mark(&al->l, al->busy[reg], v, true);
}

static void evict(struct alloc *al, u32 reg, u32 v)
{
	u32 *link = &al->holder[reg];

	while (*link) {
		u32 w = *link - 1;

		if (!overlap(al, v, w)) {
			link = &al->same[w];
			continue;
		}
		*link = al->same[w];
		live_mark(&al->l, al->busy[reg], w, false);
		spill(al, w);
	}
}

static void compete(struct alloc *al, u32 v)
{
	u64 least = cost(al, v);
	u32 reg = UNASSIGNED;

	for (u32 r = 0; r < N_REGS; r++) {
		u64 c = al->m->limits.regs >> r & 1 ? eviction_cost(al, r, v) : UINT64_MAX;

		if (c < least) {
			least = c;
			reg = r;
		}
	}
	if (reg == UNASSIGNED) {
		spill(al, v);
		return;
	}
	evict(al, reg, v);
	assign(al, v, reg);
}

/* ---- one round */

static void init_round(struct alloc *al, struct mach *m)
{
	u32 n = m->n_vregs;

	*al = (struct alloc){ .m = m };
	live_compute(m, &al->l);
	for (u32 r = 0; r < N_REGS; r++) {
		al->busy[r] = arena_array(m->arena, u64, 2 * (size_t)al->l.words);
		al->fixed[r] = al->busy[r] + al->l.words;
		live_mark(&al->l, al->busy[r], r, true);
		live_mark(&al->l, al->fixed[r], r, true);
	}
	al->from = arena_array(m->arena, u32, n);
	al->hint = arena_array(m->arena, u32, n);
	al->same = arena_array(m->arena, u32, n);
	al->spilled = arena_array(m->arena, u32, n);
	while (m->unspillable.n < n)
		vec_push(m->arena, &m->unspillable, 0);
	m->assigned = arena_array(m->arena, u8, n);
	memset(m->assigned, UNASSIGNED, n);
	find_hints(al);
}

/* Registers in order of birth: a list for each position, the earliest first. */
static void scan(struct alloc *al)
{
	struct mach *m = al->m;
	u32 n_at = 2 * m->insns.n + 1;
	u32 *at = arena_array(m->arena, u32, n_at), *next = arena_array(m->arena, u32, m->n_vregs);

	for (u32 v = m->n_vregs; v-- > V_FIRST;) {
		u32 start;

		if (!al->l.first[v])
			continue;
		start = start_of(al, v);
		next[v] = at[start];
		at[start] = v + 1;
	}
	for (u32 p = 0; p < n_at; p++)
		for (u32 v = at[p]; v; v = next[v - 1]) {
			u32 reg = best_free(al, v - 1);

			if (reg != UNASSIGNED)
				assign(al, v - 1, reg);
			else
				compete(al, v - 1);
		}
}

void regalloc(struct mach *m)
{
	struct alloc al;

	for (u32 round = 0; round < MAX_ROUNDS; round++) {
		init_round(&al, m);
		scan(&al);
		if (!al.n_spilled) {
			peephole(m, &al.l);
			return;
		}
		spill_rewrite(m, &al.l, al.spilled);
		if (m->frame > STACK_MAX)
			return;
	}
	BUG("registers do not suffice after %d rounds", MAX_ROUNDS);
}
