/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rewrites instructions whose registers got no machine register: each use reads the spill slot into
 * a new register, each definition writes it back.
 *
 *	v7 = v3			r2 = v7			v7 += v5	; v7, v5 spilled
 *	*(u64 *)(r10 -16) = v3	r2 = *(u64 *)(r10 -16)	v90 = *(u64 *)(r10 -16)
 *							v91 = *(u64 *)(r10 -24)
 *							v90 += v91
 *							*(u64 *)(r10 -16) = v90
 *
 * Adjacent instructions that mention the same register share the reload. A constant is
 * rematerialized and has no slot. Registers spilled in one round share a slot when they never live
 * together.
 */
#include "target/mach.h"

enum { MAX_SLOTS = STACK_MAX / SLOT };

struct reload { /* a spilled register that is currently in a register */
	u32 spilled, reg;
	bool dirty;
};

struct spill {
	struct mach *m;
	const struct live *l;
	const u32 *spilled;
	s16 *off;               /* by register: from r10 */
	struct minsn *constant; /* by register: code 0 when it has a slot */
	struct reload now[2];
	u32 n_now;
	VEC(struct minsn) out;
	struct span span;
};

/* ---- slots */

static u32 find_slot(const struct spill *s, u64 **taken, u32 reg)
{
	u32 slot = 0;

	while (slot < MAX_SLOTS && taken[slot] && !live_free(s->l, taken[slot], reg))
		slot++;
	return slot;
}

/*
 * The positions that a slot takes are a bitmap, as those of a register. Too many slots make the
 * frame too large.
 */
static void give_slots(struct spill *s, u32 n_regs)
{
	struct mach *m = s->m;
	u64 *taken[MAX_SLOTS] = { 0 };
	u32 n_slots = 0;

	for (u32 v = V_FIRST; v < n_regs; v++) {
		u32 slot;

		if (!s->spilled[v])
			continue;
		if (s->l->n_defs[v] == 1 && minsn_is_constant(&m->insns.v[s->l->def[v]])) {
			s->constant[v] = m->insns.v[s->l->def[v]];
			continue;
		}
		slot = find_slot(s, taken, v);
		n_slots = MAX(n_slots, slot + 1);
		if (slot == MAX_SLOTS)
			break;
		if (!taken[slot])
			taken[slot] = arena_array(m->arena, u64, s->l->words);
		live_mark(s->l, taken[slot], v, true);
		s->off[v] = (s16) - (s32)(m->frame + SLOT * (slot + 1));
	}
	m->frame += SLOT * n_slots;
}

/* ---- instructions */

static void emit(struct spill *s, struct minsn in)
{
	in.span = s->span;
	vec_push(s->m->arena, &s->out, in);
}

static void emit_reload(struct spill *s, u32 v, u32 into)
{
	struct minsn in = s->constant[v];

	if (!in.code)
		in = (struct minsn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
				     .src = R_FRAME,
				     .off = s->off[v] };
	in.dst = into;
	emit(s, in);
}

static void emit_save(struct spill *s, u32 v, u32 from)
{
	emit(s, (struct minsn){ .code = BPF_STX | BPF_MEM | BPF_DW,
				.dst = R_FRAME,
				.src = from,
				.off = s->off[v] });
}

static bool is_spilled(const struct spill *s, u32 reg)
{
	return reg >= V_FIRST && s->spilled[reg];
}

static bool mentions(const struct minsn *in, u32 reg)
{
	u32 roles = minsn_roles(in);

	return ((roles & (DST_USED | DST_SET)) && in->dst == reg) ||
	       ((roles & (SRC_USED | SRC_SET)) && in->src == reg);
}

static void save(struct spill *s, struct reload *r)
{
	if (r->dirty)
		emit_save(s, r->spilled, r->reg);
	r->dirty = false;
}

/* Ends the reloads that `in` does not continue; NULL: all. All are saved before a jump. */
static void settle(struct spill *s, const struct minsn *in)
{
	u32 kept = 0;

	for (u32 i = 0; i < s->n_now; i++) {
		if (in && minsn_is_jump(in))
			save(s, &s->now[i]);
		if (in && mentions(in, s->now[i].spilled))
			s->now[kept++] = s->now[i];
		else
			save(s, &s->now[i]);
	}
	s->n_now = kept;
}

static u32 in_register(struct spill *s, u32 v, bool used, bool set)
{
	struct reload *r;

	for (u32 i = 0; i < s->n_now; i++)
		if (s->now[i].spilled == v) {
			s->now[i].dirty |= set;
			return s->now[i].reg;
		}
	if (s->n_now == ARRAY_SIZE(s->now))
		BUG("three reloads at once");
	r = &s->now[s->n_now++];
	*r = (struct reload){ v, mach_vreg(s->m), set };
	while (s->m->unspillable.n < s->m->n_vregs)
		vec_push(s->m->arena, &s->m->unspillable, 0);
	s->m->unspillable.v[r->reg] = 1;
	if (used)
		emit_reload(s, v, r->reg);
	return r->reg;
}

static bool held(const struct spill *s, u32 v)
{
	for (u32 i = 0; i < s->n_now; i++)
		if (s->now[i].spilled == v)
			return true;
	return false;
}

/*
 * A move between a spilled register and another is one load or store. A constant goes through a
 * register: verifiers before 6.3 forget the value of one that is stored directly, which may be the
 * bound of a loop whose counter is in the slot.
 */
static bool simple_move(struct spill *s, const struct minsn *in, const struct minsn *next)
{
	bool to_spilled = is_spilled(s, in->dst) && !(next && mentions(next, in->dst));

	bool from_spilled = is_spilled(s, in->src) && !held(s, in->src);

	if (in->code == OP_MOV && !in->off && from_spilled) {
		u32 dst = is_spilled(s, in->dst) ? in_register(s, in->dst, false, true) : in->dst;

		emit_reload(s, in->src, dst);
		return true;
	}
	if (in->code == OP_MOV && !in->off && to_spilled && !is_spilled(s, in->src)) {
		emit_save(s, in->dst, in->src);
		return true;
	}
	return false;
}

static void rewrite(struct spill *s, const struct minsn *in, const struct minsn *next)
{
	struct minsn copy = *in;
	u32 roles = minsn_roles(in);
	bool dst = (roles & (DST_USED | DST_SET)) && is_spilled(s, in->dst);
	bool src = (roles & (SRC_USED | SRC_SET)) && is_spilled(s, in->src);

	if (!in->code)
		return;
	s->span = in->span;
	settle(s, in);
	if ((dst && (roles & DST_SET) && s->constant[in->dst].code))
		return;
	if ((dst || src) && !held(s, in->dst) && simple_move(s, in, next))
		return;
	if (src)
		copy.src = in_register(s, in->src, roles & SRC_USED, roles & SRC_SET);
	if (dst)
		copy.dst = in_register(s, in->dst, roles & DST_USED, roles & DST_SET);
	emit(s, copy);
}

void spill_rewrite(struct mach *m, const struct live *l, const u32 *spilled)
{
	struct spill s = { .m = m, .l = l, .spilled = spilled };
	u32 n = m->n_vregs;

	s.off = arena_array(m->arena, s16, n);
	s.constant = arena_array(m->arena, struct minsn, n);
	give_slots(&s, n);
	if (m->frame > STACK_MAX)
		return;
	vec_reserve(m->arena, &s.out, m->insns.n + m->insns.n / 2);
	for (u32 i = 0; i < m->order.n; i++) {
		struct mblock *b = &m->blocks.v[m->order.v[i]];
		u32 start = s.out.n;

		for (u32 k = b->start; k < b->end; k++)
			rewrite(&s, &m->insns.v[k], k + 1 < b->end ? &m->insns.v[k + 1] : NULL);
		settle(&s, NULL);
		b->start = start;
		b->end = s.out.n;
	}
	m->insns.v = s.out.v;
	m->insns.n = s.out.n;
	m->insns.cap = s.out.cap;
}
