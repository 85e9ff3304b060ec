/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IR -> BPF instructions over virtual registers, block by block: control flow here, operands in
 * select_opnd.c, operations in select_op.c (arithmetic) and select_mem.c (memory, calls). A block
 * of the IR keeps its id; blocks that an operation adds (a branch inside a division) get new ids.
 * Blocks that no branch reaches are left out: verifiers refuse unreachable code.
 */
#include "target/select.h"

/* ---- blocks */

u32 sel_block(struct select *s)
{
	struct mblock b = { .depth = s->block == NO_BLOCK ? 0 : s->m->blocks.v[s->block].depth };

	vec_push(s->m->arena, &s->m->blocks, b);
	return s->m->blocks.n - 1;
}

static void close_block(struct select *s, u32 next)
{
	if (s->block == NO_BLOCK)
		return;
	s->m->blocks.v[s->block].end = s->m->insns.n;
	s->m->blocks.v[s->block].next = next;
	s->block = NO_BLOCK;
}

void sel_place(struct select *s, u32 block)
{
	close_block(s, block);
	s->block = block;
	s->m->blocks.v[block].start = s->m->insns.n;
	vec_push(s->m->arena, &s->m->order, block);
}

void sel_goto(struct select *s, u32 block)
{
	close_block(s, block);
}

static const u8 jump_ops[] = {
	[CC_EQ] = BPF_JEQ,   [CC_NE] = BPF_JNE,   [CC_ULT] = BPF_JLT,  [CC_ULE] = BPF_JLE,
	[CC_UGT] = BPF_JGT,  [CC_UGE] = BPF_JGE,  [CC_SLT] = BPF_JSLT, [CC_SLE] = BPF_JSLE,
	[CC_SGT] = BPF_JSGT, [CC_SGE] = BPF_JSGE, [CC_SET] = BPF_JSET,
};

void sel_branch(struct select *s, enum ir_cond cc, struct opnd a, struct opnd b, u32 yes, u32 no)
{
	struct minsn in = { .code = BPF_JMP | jump_ops[cc], .index = yes };

	a = sel_use(s, a);
	b = sel_use(s, b);
	if (a.kind == O_IMM && b.kind == O_IMM) {
		sel_goto(s, ir_eval_cond(cc, (u64)a.imm, (u64)b.imm) ? yes : no);
		return;
	}
	if (a.kind == O_IMM) {
		sel_branch(s, ir_cond_swap(cc), b, a, yes, no);
		return;
	}
	in.dst = sel_reg(s, a);
	if (b.kind == O_IMM && fits_s32(b.imm)) {
		in.imm = b.imm;
	} else {
		in.code |= BPF_X;
		in.src = sel_reg(s, b);
	}
	sel_out(s, in);
	close_block(s, no);
}

/* ---- before selection: reachable blocks, uses */

static u32 taken(const struct select *s, const struct ir_insn *end, u32 to[2])
{
	struct opnd a = sel_use(s, end->arg[0]), b = sel_use(s, end->arg[1]);

	to[0] = end->target[0];
	to[1] = end->target[1];
	if (end->op != IR_BRANCH || a.kind != O_IMM || b.kind != O_IMM)
		return ir_n_targets(end);
	to[0] = end->target[ir_eval_cond(end->cc, (u64)a.imm, (u64)b.imm) ? 0 : 1];
	return 1;
}

/* reached[block] becomes 1 with one predecessor, 2 with more. */
static void find_reached(struct select *s)
{
	u32 *work = arena_array(s->m->arena, u32, s->f->blocks.n), n = 0, to[2];

	s->reached = arena_array(s->m->arena, u8, s->f->blocks.n);
	s->reached[0] = 1;
	work[n++] = 0;
	while (n) {
		const struct ir_block *b = s->f->blocks.v[work[--n]];
		u32 n_to = taken(s, vec_last(&b->insns), to);

		for (u32 i = 0; i < n_to; i++) {
			if (!s->reached[to[i]])
				work[n++] = to[i];
			if (s->reached[to[i]] < 2)
				s->reached[to[i]]++;
		}
	}
}

static bool is_aliased(const struct select *s, const struct ir_insn *in)
{
	return in->dst && s->m->alias[in->dst].kind != O_NONE;
}

static void count_uses(struct select *s)
{
	s->uses = arena_array(s->m->arena, u32, s->f->temps.n);
	for (u32 i = 0; i < s->f->blocks.n; i++) {
		const struct ir_block *b = s->f->blocks.v[i];

		for (u32 k = 0; s->reached[i] && k < b->insns.n; k++) {
			const struct ir_insn *in = &b->insns.v[k];

			for (u32 a = 0; a < ir_n_args(in) && !is_aliased(s, in); a++) {
				struct opnd o = sel_use(s, in->arg[a]);

				if (o.kind == O_TEMP)
					s->uses[o.id]++;
			}
		}
	}
}

/* ---- comparisons fused with their branch */

static bool redefines(const struct select *s, const struct ir_insn *in, const struct ir_insn *set)
{
	/* keeping the comparison would extend the operands' live ranges over it */
	if (ir_is_call(in->op))
		return true;
	for (u32 a = 0; a < 2; a++) {
		struct opnd o = sel_use(s, set->arg[a]);

		if (in->dst && o.kind == O_TEMP && o.id == in->dst)
			return true;
	}
	return false;
}

/* Whether the only reader of set is the branch at the end of the same block. */
static bool can_fuse(const struct select *s, const struct ir_insn *set, const struct ir_insn *end)
{
	struct opnd a = sel_use(s, end->arg[0]), b = sel_use(s, end->arg[1]);

	if (end->op != IR_BRANCH || (end->cc != CC_NE && end->cc != CC_EQ) || a.kind != O_TEMP ||
	    a.id != set->dst || b.kind != O_IMM || b.imm || s->uses[set->dst] != 1 ||
	    s->f->temps.v[set->dst].is_var)
		return false;
	for (const struct ir_insn *in = set + 1; in < end; in++)
		if (redefines(s, in, set))
			return false;
	return true;
}

/* The comparison is marked, so that the loader can lower the bound. */
static void select_bound(struct select *s, const struct ir_insn *in)
{
	u32 n = s->m->insns.n;

	sel_branch(s, in->cc, in->arg[0], in->arg[1], in->target[0], in->target[1]);
	for (; n < s->m->insns.n; n++)
		if (minsn_is_jump(&s->m->insns.v[n]) && BPF_SRC(s->m->insns.v[n].code) == BPF_K)
			s->m->insns.v[n].bound = (u32)in->imm;
}

static void select_branch(struct select *s, const struct ir_insn *in)
{
	const struct ir_insn *set = s->fused;

	if (!set && in->imm)
		select_bound(s, in);
	else if (!set)
		sel_branch(s, in->cc, in->arg[0], in->arg[1], in->target[0], in->target[1]);
	else if (in->cc == CC_NE)
		sel_branch(s, set->cc, set->arg[0], set->arg[1], in->target[0], in->target[1]);
	else
		sel_branch(s, set->cc, set->arg[0], set->arg[1], in->target[1], in->target[0]);
	s->fused = NULL;
}

static void select_return(struct select *s, const struct ir_insn *in)
{
	sel_into(s, R0, sel_use(s, in->arg[0]));
	sel_out(s, (struct minsn){ .code = OP_EXIT });
	close_block(s, NO_BLOCK);
}

/* ---- one instruction */

static void select_insn(struct select *s, const struct ir_insn *in, const struct ir_insn *end)
{
	switch ((enum ir_opcode)in->op) {
	case IR_MOVE:
	case IR_ADDR: sel_into(s, sel_temp(in->dst), sel_use(s, in->arg[0])); return;
	case IR_ADD:
	case IR_SUB:
	case IR_MUL:
	case IR_UDIV:
	case IR_UMOD:
	case IR_SDIV:
	case IR_SMOD:
	case IR_AND:
	case IR_OR:
	case IR_XOR:
	case IR_SHL:
	case IR_SHR:
	case IR_SAR:
	case IR_NEG: select_arith(s, in); return;
	case IR_NUMBER: select_number(s, in); return;
	case IR_SEXT:
	case IR_ZEXT:
	case IR_BSWAP: select_ext(s, in); return;
	case IR_SET:
		if (can_fuse(s, in, end))
			s->fused = in;
		else
			select_set(s, in);
		return;
	case IR_LOAD: select_load(s, in); return;
	case IR_STORE: select_store(s, in); return;
	case IR_ATOMIC_ADD:
	case IR_ATOMIC_FETCH_ADD:
	case IR_ATOMIC_OR:
	case IR_ATOMIC_AND:
	case IR_ATOMIC_XOR:
	case IR_ATOMIC_XCHG:
	case IR_ATOMIC_CMPXCHG: select_atomic(s, in); return;
	case IR_ZERO: select_zero(s, in); return;
	case IR_COPY: select_copy(s, in); return;
	case IR_CALL:
	case IR_KCALL:
	case IR_CALLSUB: select_call(s, in); return;
	case IR_JUMP: sel_goto(s, in->target[0]); return;
	case IR_BRANCH: select_branch(s, in); return;
	case IR_RETURN: select_return(s, in); return;
	case N_IR_OPS: break;
	}
	BUG("operation %u", in->op);
}

static bool is_dead(const struct select *s, const struct ir_insn *in)
{
	if (!(ir_ops[in->op].flags & IRF_PURE) && in->op != IR_LOAD)
		return false;
	/* a variable may be read earlier in the order: by the next iteration of a loop */
	return is_aliased(s, in) || (!s->uses[in->dst] && !s->f->temps.v[in->dst].is_var);
}

static void select_block(struct select *s, const struct ir_block *b)
{
	const struct ir_insn *end = vec_last(&b->insns);

	sel_place(s, b->id);
	for (const struct ir_insn *in = b->insns.v; in <= end; in++) {
		if (is_dead(s, in))
			continue;
		for (u32 a = 0; a < ir_n_args(in); a++) {
			struct opnd o = sel_use(s, in->arg[a]);

			if (o.kind == O_TEMP)
				s->uses[o.id]--;
		}
		s->span = in->span;
		select_insn(s, in, end);
	}
}

/* The context and parameters move out of r1..r5 first; moves that are not needed vanish later. */
static void select_entry(struct select *s)
{
	s->block = NO_BLOCK;
	sel_place(s, sel_block(s));
	s->span = s->f->blocks.v[0]->insns.v[0].span;
	s->ctx = sel_new(s);
	if (s->f == s->m->unit->funcs.v[0])
		sel_mov(s, s->ctx, R1);
	for (u32 i = 1; i <= s->f->n_params; i++)
		sel_mov(s, sel_temp(i), R1 + i - 1);
	sel_goto(s, 0);
}

/* Most operations become one or two instructions. */
static void reserve_insns(struct select *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->f->blocks.n; i++)
		if (s->reached[i])
			n += s->f->blocks.v[i]->insns.n;
	vec_reserve(s->m->arena, &s->m->insns, n + n / 2);
}

void select_func(struct mach *m)
{
	struct select s = { .m = m, .f = m->f };

	m->n_vregs = V_FIRST + m->f->temps.n;
	for (u32 i = 0; i < m->f->blocks.n; i++)
		vec_push(m->arena, &m->blocks,
			 (struct mblock){ .depth = m->f->blocks.v[i]->loop_depth });
	find_reached(&s);
	count_uses(&s);
	reserve_insns(&s);
	select_entry(&s);
	for (u32 i = 0; i < m->f->blocks.n; i++) {
		if (!s.reached[i])
			continue;
		if (s.reached[i] > 1 || !i || m->blocks.v[i - 1].next != i)
			sel_forget(&s);
		select_block(&s, m->f->blocks.v[i]);
	}
}
