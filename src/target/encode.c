/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes one function. In: allocated instructions. Out: struct bpf_insn with open jump distances,
 * which jumps.c fills in; emit.c joins the functions. Drops moves of a register to itself, skips
 * blocks that became empty, and lets each block fall through where it can (inverting a condition if
 * that helps).
 */
#include "target/mach.h"

struct encode {
	struct mach *m;
	struct code *c;
	u32 *forward; /* by block: the final target of a jump to it */
	u8 *reached;  /* by block */
	struct jumps jumps;
	struct span span; /* of the preceding instruction */
};

static u32 reg_of(const struct mach *m, u32 reg)
{
	return reg < V_FIRST ? reg : m->assigned[reg];
}

/* ---- blocks */

static bool is_nothing(const struct mach *m, const struct minsn *in)
{
	return !in->code ||
	       (in->code == OP_MOV && !in->off && reg_of(m, in->dst) == reg_of(m, in->src));
}

static bool is_empty(const struct mach *m, const struct mblock *b)
{
	for (u32 i = b->start; i < b->end; i++)
		if (!is_nothing(m, &m->insns.v[i]))
			return false;
	return b->next != NO_BLOCK;
}

static void find_forwards(struct encode *e)
{
	struct mach *m = e->m;

	for (u32 i = 0; i < m->blocks.n; i++)
		e->forward[i] = i;
	for (u32 i = 0; i < m->order.n; i++) {
		u32 id = m->order.v[i], to = id;

		/* a cycle of empty blocks is an endless loop and remains one */
		for (u32 n = 0; n < m->blocks.n && is_empty(m, &m->blocks.v[to]); n++)
			to = m->blocks.v[to].next;
		e->forward[id] = to;
	}
}

static void drop_idle_jump(struct encode *e, struct mblock *b)
{
	struct minsn *last = b->end > b->start ? &e->m->insns.v[b->end - 1] : NULL;

	if (last && minsn_is_jump(last) && e->forward[last->index] == e->forward[b->next])
		last->code = 0;
}

static void find_reached(struct encode *e)
{
	struct mach *m = e->m;
	u32 *work = arena_array(m->arena, u32, m->blocks.n + 1), n = 0;

	work[n++] = m->order.v[0]; /* even when empty: the entry */
	e->reached[work[0]] = 1;
	while (n) {
		const struct mblock *b = &m->blocks.v[work[--n]];
		const struct minsn *last = b->end > b->start ? &m->insns.v[b->end - 1] : NULL;
		u32 to[2] = { b->next, last && minsn_is_jump(last) ? last->index : NO_BLOCK };

		for (u32 i = 0; i < 2; i++) {
			if (to[i] == NO_BLOCK || e->reached[e->forward[to[i]]])
				continue;
			e->reached[e->forward[to[i]]] = 1;
			work[n++] = e->forward[to[i]];
		}
	}
}

/* ---- instructions */

static void put(struct encode *e, struct bpf_insn in, struct span span)
{
	vec_push(e->m->arena, &e->c->insns, in);
	vec_push(e->m->arena, &e->c->spans, span);
	e->span = span;
}

static u32 in_place(const struct encode *e)
{
	return e->c->insns.n;
}

/* The negated condition; 0: BPF_JSET has none. */
static u8 inverted(u8 code)
{
	static const u8 pairs[][2] = {
		{ BPF_JEQ, BPF_JNE },   { BPF_JLT, BPF_JGE },   { BPF_JLE, BPF_JGT },
		{ BPF_JSLT, BPF_JSGE }, { BPF_JSLE, BPF_JSGT },
	};

	for (u32 i = 0; i < ARRAY_SIZE(pairs); i++)
		for (u32 k = 0; k < 2; k++)
			if (BPF_OP(code) == pairs[i][k])
				return (u8)((code & 0x0f) | pairs[i][!k]);
	return 0;
}

static void put_jump(struct encode *e, struct bpf_insn in, u32 block, struct span span)
{
	vec_push(e->m->arena, &e->jumps.fixups, (struct fixup){ in_place(e), block });
	put(e, in, span);
}

static u32 source_field(const struct encode *e, const struct minsn *in)
{
	return in->pseudo ? in->pseudo : minsn_roles(in) & SRC_USED ? reg_of(e->m, in->src) : 0;
}

static void put_insn(struct encode *e, const struct minsn *in)
{
	u32 roles = minsn_roles(in);
	struct bpf_insn out = {
		.code = in->code,
		.dst_reg = (roles & (DST_USED | DST_SET) ? reg_of(e->m, in->dst) : 0) & 15,
		.src_reg = source_field(e, in) & 15,
		.off = in->off,
		.imm = (s32)in->imm,
	};

	if (in->reloc)
		vec_push(e->m->arena, &e->c->relocs,
			 (struct reloc){ in_place(e), (enum reloc_kind)(in->reloc - 1), in->index,
					 in->reloc - 1 == RELOC_MAP_VALUE ? (u32)in->imm : 0 });
	if (in->code != OP_LD_IMM64) {
		put(e, out, in->span);
		return;
	}
	if (in->reloc)
		out.imm = 0;
	put(e, out, in->span);
	/* the second half holds an offset into a map's value */
	put(e, (struct bpf_insn){ .imm = in->reloc ? (s32)in->imm : (s32)(in->imm >> 32) },
	    in->span);
}

/*
 * Ends a block: continues at `next`, or by its condition at the jump's target. `follows` is the
 * block that is emitted next.
 */
static void put_end(struct encode *e, const struct mblock *b, const struct minsn *jump, u32 follows)
{
	struct bpf_insn in = { 0 };
	u32 next = b->next == NO_BLOCK ? follows : e->forward[b->next], to;

	if (jump) {
		to = e->forward[jump->index];
		in = (struct bpf_insn){ .code = jump->code,
					.imm = (s32)jump->imm,
					.dst_reg = reg_of(e->m, jump->dst) & 15,
					.src_reg = source_field(e, jump) & 15 };
		if (to == follows && inverted(jump->code)) {
			in.code = inverted(jump->code);
			to = next;
			next = follows;
		}
		if (jump->bound)
			vec_push(e->m->arena, &e->c->relocs,
				 (struct reloc){ in_place(e), RELOC_BOUND, jump->bound - 1, 0 });
		put_jump(e, in, to, jump->span);
	}
	if (next != follows)
		put_jump(e, (struct bpf_insn){ .code = OP_JA }, next, e->span);
}

static void put_block(struct encode *e, u32 id, u32 follows)
{
	const struct mblock *b = &e->m->blocks.v[id];
	const struct minsn *jump = NULL;

	e->jumps.at.v[id] = in_place(e);
	for (u32 i = b->start; i < b->end; i++) {
		const struct minsn *in = &e->m->insns.v[i];

		if (minsn_is_jump(in) && in->code)
			jump = in;
		else if (!is_nothing(e->m, in))
			put_insn(e, in);
	}
	put_end(e, b, jump, follows);
}

int encode_func(struct mach *m, struct code *c)
{
	struct encode e = { .m = m, .c = c };
	u32 n = m->blocks.n, *kept = arena_array(m->arena, u32, m->order.n), n_kept = 0;

	e.forward = arena_array(m->arena, u32, n);
	e.jumps = (struct jumps){ .arena = m->arena, .c = c, .reach = m->limits.reach };
	for (u32 i = 0; i < n; i++)
		vec_push(m->arena, &e.jumps.at, 0u);
	e.reached = arena_array(m->arena, u8, n);
	find_forwards(&e);
	for (u32 i = 0; i < m->order.n; i++)
		if (m->blocks.v[m->order.v[i]].next != NO_BLOCK)
			drop_idle_jump(&e, &m->blocks.v[m->order.v[i]]);
	find_forwards(&e);
	find_reached(&e);
	for (u32 i = 0; i < m->order.n; i++)
		if (e.reached[m->order.v[i]])
			kept[n_kept++] = m->order.v[i];
	vec_reserve(m->arena, &c->insns, m->insns.n + n_kept);
	vec_reserve(m->arena, &c->spans, m->insns.n + n_kept);
	for (u32 i = 0; i < n_kept; i++)
		put_block(&e, kept[i], i + 1 < n_kept ? kept[i + 1] : NO_BLOCK);
	return fix_jumps(&e.jumps);
}
