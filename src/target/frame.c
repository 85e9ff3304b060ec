/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frame layout: which bytes below r10 each slot gets. A slot lives from its first to its last
 * mention in emission order, extended over every loop that it touches; one whose address escapes
 * (into anything but a load, a store or a helper's argument) lives throughout. Slots that do not
 * live at the same time may share bytes. First fit in order of birth.
 *
 * Aliases are computed here too: temporaries that need no register because each use can recompute
 * them at no or little cost, as an address or a constant (a load from r10 - 16 needs no pointer).
 */
#include "target/mach.h"

/* ---- aliases */

static bool is_address_arg(const struct ir_insn *in, u32 a)
{
	return (a == 0 && (in->op == IR_LOAD || in->op == IR_STORE || in->op == IR_ZERO ||
			   (in->op >= IR_ATOMIC_ADD && in->op <= IR_ATOMIC_CMPXCHG))) ||
	       (in->op == IR_COPY);
}

/* Uses of each temporary: all of them, and those that are the base of a memory access. */
static void count_uses(const struct mach *m, u32 *uses, u32 *as_base)
{
	for (u32 i = 0; i < m->f->blocks.n; i++) {
		const struct ir_block *b = m->f->blocks.v[i];

		for (u32 k = 0; k < b->insns.n; k++) {
			const struct ir_insn *in = &b->insns.v[k];

			for (u32 a = 0; a < ir_n_args(in); a++) {
				if (in->arg[a].kind != O_TEMP)
					continue;
				uses[in->arg[a].id]++;
				as_base[in->arg[a].id] += is_address_arg(in, a);
			}
		}
	}
}

static bool is_stable(const struct mach *m, struct opnd o)
{
	return o.kind != O_TEMP || !m->f->temps.v[o.id].is_var;
}

static struct opnd alias_of(const struct mach *m, const struct ir_insn *in, bool base_only)
{
	struct opnd a = in->arg[0];

	if (!is_stable(m, a))
		return (struct opnd){ 0 };
	if (in->op == IR_MOVE || in->op == IR_ADDR)
		return a.kind == O_TEMP && a.imm && !base_only ? (struct opnd){ 0 } : a;
	if (in->op == IR_ADD && a.kind != O_IMM && in->arg[1].kind == O_IMM && base_only &&
	    fits_s16(in->arg[1].imm))
		return opnd_plus(a, in->arg[1].imm);
	return (struct opnd){ 0 };
}

void mach_find_aliases(struct mach *m)
{
	u32 n = m->f->temps.n;
	u32 *uses = arena_array(m->arena, u32, n), *as_base = arena_array(m->arena, u32, n);

	m->alias = arena_array(m->arena, struct opnd, n);
	count_uses(m, uses, as_base);
	for (u32 i = 0; i < m->f->blocks.n; i++) {
		const struct ir_block *b = m->f->blocks.v[i];

		for (u32 k = 0; k < b->insns.n; k++) {
			const struct ir_insn *in = &b->insns.v[k];

			if (in->dst && !m->f->temps.v[in->dst].is_var)
				m->alias[in->dst] =
					alias_of(m, in, uses[in->dst] == as_base[in->dst]);
		}
	}
}

struct opnd mach_resolve(const struct mach *m, struct opnd o)
{
	while (o.kind == O_TEMP && o.id < m->f->temps.n && m->alias[o.id].kind != O_NONE)
		o = opnd_plus(m->alias[o.id], o.imm);
	return o;
}

/* ---- slots */

struct span_of { /* of positions, counted in emission order */
	u32 first, last;
};

struct frame {
	struct mach *m;
	struct span_of *slot; /* first > last: never mentioned */
	VEC(struct span_of) loops;
	u32 n_positions;
	u32 *block_at;
};

static bool keeps_address(const struct ir_insn *in, u32 arg)
{
	return !is_address_arg(in, arg) && in->op != IR_CALL && in->op != IR_CALLSUB;
}

static void mention(struct frame *fr, const struct ir_insn *in, u32 arg, u32 at)
{
	struct opnd o = mach_resolve(fr->m, in->arg[arg]);

	if (o.kind != O_SLOT)
		return;

	struct span_of *s = &fr->slot[o.id];

	if (keeps_address(in, arg)) {
		*s = (struct span_of){ 0, fr->n_positions };
		return;
	}
	s->first = MIN(s->first, at);
	s->last = MAX(s->last, at);
}

static void mention_all(struct frame *fr)
{
	struct ir_func *f = fr->m->f;

	for (u32 i = 0, at = 0; i < f->blocks.n; i++) {
		const struct ir_block *b = f->blocks.v[i];
		const struct ir_insn *end = vec_last(&b->insns);

		for (u32 k = 0; k < b->insns.n; k++, at++) {
			const struct ir_insn *in = &b->insns.v[k];
			bool aliased = in->dst && fr->m->alias[in->dst].kind != O_NONE;

			for (u32 a = 0; a < ir_n_args(in) && !aliased; a++)
				mention(fr, in, a, at);
		}
		for (u32 t = 0; t < ir_n_targets(end); t++)
			if (end->target[t] <= i)
				vec_push(fr->m->arena, &fr->loops,
					 (struct span_of){ fr->block_at[end->target[t]], at - 1 });
	}
}

static void stretch_over_loops(struct frame *fr)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (u32 i = 0; i < fr->m->f->slots.n; i++) {
			struct span_of *s = &fr->slot[i];

			for (u32 k = 0; k < fr->loops.n; k++) {
				struct span_of loop = fr->loops.v[k];

				if (s->first > loop.last || s->last < loop.first ||
				    s->first > s->last ||
				    (s->first <= loop.first && s->last >= loop.last))
					continue;
				s->first = MIN(s->first, loop.first);
				s->last = MAX(s->last, loop.last);
				changed = true;
			}
		}
	}
}

static u32 slot_size(const struct mach *m, u32 i)
{
	return ALIGN_UP(MAX(m->f->slots.v[i].size, 1u), (u32)SLOT);
}

struct placing {
	u32 *depth; /* by slot: bytes from r10 down to its upper end */
	u32 *alive; /* slots that live at the current position */
	u32 n_alive;
};

/* Forgets slots that died before slot i is born. */
static void expire(const struct frame *fr, struct placing *p, u32 i)
{
	u32 kept = 0;

	for (u32 k = 0; k < p->n_alive; k++)
		if (fr->slot[p->alive[k]].last >= fr->slot[i].first)
			p->alive[kept++] = p->alive[k];
	p->n_alive = kept;
}

static u32 first_fit(const struct frame *fr, const struct placing *p, u32 i)
{
	u32 at = 0, size = slot_size(fr->m, i);
	bool moved = true;

	while (moved) {
		moved = false;
		for (u32 k = 0; k < p->n_alive; k++) {
			u32 other = p->alive[k], end = p->depth[other] + slot_size(fr->m, other);

			if (at < end && p->depth[other] < at + size) {
				at = end;
				moved = true;
			}
		}
	}
	return at;
}

static void place_slot(struct frame *fr, struct placing *p, u32 i)
{
	u32 end;

	expire(fr, p, i);
	p->depth[i] = first_fit(fr, p, i);
	p->alive[p->n_alive++] = i;
	end = p->depth[i] + slot_size(fr->m, i);
	fr->m->slot_off[i] = -(s32)end;
	fr->m->frame = MAX(fr->m->frame, end);
}

/* In order of birth: a list of slots for each position. */
static void place_slots(struct frame *fr)
{
	struct arena *a = fr->m->arena;
	u32 n = fr->m->f->slots.n;
	struct placing p = { .depth = arena_array(a, u32, n), .alive = arena_array(a, u32, n) };
	u32 *born = arena_array(a, u32, fr->n_positions), *next = arena_array(a, u32, n);

	for (u32 i = n; i--;) {
		if (fr->slot[i].first > fr->slot[i].last)
			continue; /* never mentioned */
		next[i] = born[fr->slot[i].first];
		born[fr->slot[i].first] = i + 1;
	}
	for (u32 at = 0; at < fr->n_positions; at++)
		for (u32 i = born[at]; i; i = next[i - 1])
			place_slot(fr, &p, i - 1);
}

void frame_layout(struct mach *m)
{
	struct frame fr = { .m = m };
	u32 n = m->f->slots.n;

	m->slot_off = arena_array(m->arena, s32, n);
	if (!n)
		return;
	fr.block_at = arena_array(m->arena, u32, m->f->blocks.n);
	for (u32 i = 0; i < m->f->blocks.n; i++) {
		fr.block_at[i] = fr.n_positions;
		fr.n_positions += m->f->blocks.v[i]->insns.n;
	}
	fr.slot = arena_array(m->arena, struct span_of, n);
	for (u32 i = 0; i < n; i++)
		fr.slot[i] = (struct span_of){ ~0u, 0 };
	mention_all(&fr);
	stretch_over_loops(&fr);
	place_slots(&fr);
}
