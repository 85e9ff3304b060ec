/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be verified without values: every instruction exists and has zeros in its unused fields;
 * jumps stay inside their function and avoid second halves; functions end in exit or a jump;
 * everything is reachable; the frames of any chain of calls fit the stack (kernel/bpf/verifier.c:
 * check_cfg, check_subprogs, check_max_stack_depth, resolve_pseudo_ldimm64).
 */
#include "target/verify.h"

enum { LD_IMM64 = BPF_LD | BPF_IMM | BPF_DW };

static int reserved(struct verifier *c, const struct bpf_insn *i)
{
	return verify_fail(c, "instruction 0x%02x has something in a field that it does not use",
			   i->code);
}

static int no_such(struct verifier *c, const struct bpf_insn *i)
{
	return verify_fail(c, "there is no instruction 0x%02x", i->code);
}

/* ---- encoding */

static int shape_unary(struct verifier *c, const struct bpf_insn *i, bool wide)
{
	if (i->src_reg || i->off)
		return reserved(c, i);
	if (BPF_OP(i->code) == BPF_NEG)
		return i->imm || BPF_SRC(i->code) ? reserved(c, i) : 0;
	if (wide && BPF_SRC(i->code))
		return reserved(c, i);
	if (i->imm != 16 && i->imm != 32 && i->imm != 64)
		return verify_fail(c, "a byte order of %d bits", i->imm);
	return 0;
}

static bool good_off(u8 op, bool wide, bool by_reg, s16 off)
{
	if (!off)
		return true;
	if (op == BPF_DIV || op == BPF_MOD)
		return off == 1;
	return op == BPF_MOV && by_reg && (off == 8 || off == 16 || (off == 32 && wide));
}

static int shape_alu(struct verifier *c, const struct bpf_insn *i)
{
	bool wide = BPF_CLASS(i->code) == BPF_ALU64, by_reg = BPF_SRC(i->code) == BPF_X;
	u8 op = BPF_OP(i->code);

	if (op > BPF_END)
		return no_such(c, i);
	if (i->dst_reg == 10)
		return verify_fail(c, "r10 is written");
	if (op == BPF_END || op == BPF_NEG)
		return shape_unary(c, i, wide);
	if (by_reg ? i->imm != 0 : i->src_reg != 0)
		return reserved(c, i);
	if (!good_off(op, wide, by_reg, i->off))
		return reserved(c, i);
	if (by_reg)
		return 0;
	if ((op == BPF_DIV || op == BPF_MOD) && !i->imm)
		return verify_fail(c, "division by the constant 0");
	if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && (u32)i->imm >= (wide ? 64 : 32))
		return verify_fail(c, "shift by %d bits", i->imm);
	return 0;
}

static int shape_ld(struct verifier *c, const struct bpf_insn *i)
{
	const struct bpf_insn *second = i + 1;

	if (i->code != LD_IMM64)
		return no_such(c, i);
	if (c->pc + 1 >= c->f->n_insns || second->code || second->dst_reg || second->src_reg ||
	    second->off)
		return verify_fail(c, "the second half of a 64-bit constant is missing");
	if (i->dst_reg == 10)
		return verify_fail(c, "r10 is written");
	return i->off ? reserved(c, i) : 0;
}

static int shape_ldx(struct verifier *c, const struct bpf_insn *i)
{
	u8 mode = BPF_MODE(i->code);

	if (mode != BPF_MEM && (mode != BPF_MEMSX || BPF_SIZE(i->code) == BPF_DW))
		return no_such(c, i);
	if (i->dst_reg == 10)
		return verify_fail(c, "r10 is written");
	return i->imm ? reserved(c, i) : 0;
}

static bool is_atomic_op(s32 op)
{
	switch (op) {
	case BPF_ADD:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
	case BPF_ADD | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_OR | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
	case BPF_CMPXCHG: return true;
	}
	return false;
}

static int shape_store(struct verifier *c, const struct bpf_insn *i)
{
	bool by_reg = BPF_CLASS(i->code) == BPF_STX;

	if (BPF_MODE(i->code) == BPF_ATOMIC && by_reg) {
		if (!is_atomic_op(i->imm) ||
		    (BPF_SIZE(i->code) != BPF_W && BPF_SIZE(i->code) != BPF_DW))
			return verify_fail(c, "there is no atomic operation 0x%x of this size",
					   i->imm);
		if (i->src_reg == 10 && i->imm & BPF_FETCH)
			return verify_fail(c, "r10 is written");
		return 0;
	}
	if (BPF_MODE(i->code) != BPF_MEM)
		return no_such(c, i);
	return (by_reg ? i->imm != 0 : i->src_reg != 0) ? reserved(c, i) : 0;
}

static int shape_call(struct verifier *c, const struct bpf_insn *i)
{
	if (BPF_CLASS(i->code) == BPF_JMP32 || BPF_SRC(i->code))
		return no_such(c, i);
	if (i->dst_reg || i->off || i->src_reg > BPF_PSEUDO_KFUNC_CALL)
		return reserved(c, i);
	if (i->src_reg == BPF_PSEUDO_KFUNC_CALL) {
		const struct reloc *r = verify_reloc(c, c->pc);

		if (!r || r->kind != RELOC_KFUNC)
			return verify_fail(c, "a call of a kernel function without relocation");
	}
	return 0;
}

static int shape_jump(struct verifier *c, const struct bpf_insn *i)
{
	bool narrow = BPF_CLASS(i->code) == BPF_JMP32, by_reg = BPF_SRC(i->code) == BPF_X;

	switch (BPF_OP(i->code)) {
	case BPF_CALL: return shape_call(c, i);
	case BPF_EXIT:
		if (narrow || by_reg)
			return no_such(c, i);
		return i->dst_reg || i->src_reg || i->imm || i->off ? reserved(c, i) : 0;
	case BPF_JA:
		if (by_reg)
			return no_such(c, i);
		return i->dst_reg || i->src_reg || (narrow ? i->off : i->imm) ? reserved(c, i) : 0;
	}
	if (BPF_OP(i->code) > BPF_JSLE)
		return no_such(c, i);
	return (by_reg ? i->imm != 0 : i->src_reg != 0) ? reserved(c, i) : 0;
}

static int shape_insn(struct verifier *c, const struct bpf_insn *i)
{
	if (i->dst_reg > 10 || i->src_reg > 10)
		return verify_fail(c, "register r%u does not exist", MAX(i->dst_reg, i->src_reg));
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: return shape_alu(c, i);
	case BPF_LD: return shape_ld(c, i);
	case BPF_LDX: return shape_ldx(c, i);
	case BPF_ST:
	case BPF_STX: return shape_store(c, i);
	}
	return shape_jump(c, i);
}

static int shape_insns(struct verifier *c)
{
	for (c->pc = 0; c->pc < c->f->n_insns; c->pc++) {
		if (shape_insn(c, &c->f->insns[c->pc]))
			return -1;
		if (c->f->insns[c->pc].code == LD_IMM64)
			c->mark[++c->pc] |= MARK_SECOND;
	}
	return 0;
}

/* ---- functions */

/* Whether an instruction calls or refers to a function; *target is its first instruction. */
static bool callee(const struct bpf_insn *i, u32 pc, u32 *target)
{
	bool call = i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL;

	*target = pc + 1 + (u32)i->imm;
	return call || (i->code == LD_IMM64 && i->src_reg == BPF_PSEUDO_FUNC);
}

static int mark_sub(struct verifier *c, u32 insn)
{
	if (insn >= c->f->n_insns || c->mark[insn] & MARK_SECOND)
		return verify_fail(c, "there is no function at instruction %u", insn);
	c->mark[insn] |= MARK_SUB;
	return 0;
}

static struct sub new_sub(const struct verifier *c, u32 insn)
{
	struct sub s = { .start = insn, .end = c->f->n_insns, .name = "" };

	for (u32 i = 0; i < c->f->n_subprogs; i++) {
		const struct subprog *p = &c->f->subprogs[i];

		if (p->insn != insn)
			continue;
		s.name = p->name;
		s.shared = p->shared;
		s.n_params = p->n_params;
	}
	return s;
}

static int find_subs(struct verifier *c)
{
	u32 n = c->f->n_insns, target;

	c->pc = 0;
	if (mark_sub(c, 0))
		return -1;
	for (u32 i = 0; i < c->f->n_subprogs; i++)
		if (mark_sub(c, c->f->subprogs[i].insn))
			return -1;
	for (c->pc = 0; c->pc < n; c->pc++)
		if (!(c->mark[c->pc] & MARK_SECOND) &&
		    callee(&c->f->insns[c->pc], c->pc, &target) && mark_sub(c, target))
			return -1;
	for (u32 pc = 0; pc < n; pc++) {
		if (!(c->mark[pc] & MARK_SUB))
			continue;
		if (c->subs.n)
			vec_last(&c->subs)->end = pc;
		vec_push(&c->arena, &c->subs, new_sub(c, pc));
	}
	return 0;
}

u32 verify_sub_at(const struct verifier *c, u32 insn)
{
	u32 lo = 0, hi = c->subs.n;

	while (hi - lo > 1) {
		u32 mid = (lo + hi) / 2;

		if (c->subs.v[mid].start <= insn)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* ---- jumps */

static int shape_target(struct verifier *c, const struct sub *s, u32 target)
{
	if (target < s->start || target >= s->end)
		return verify_fail(c, "jumps out of its function, to instruction %u", target);
	if (c->mark[target] & MARK_SECOND)
		return verify_fail(c, "jumps into the middle of a 64-bit constant");
	c->mark[target] |= target <= c->pc ? MARK_TARGET | MARK_LOOP : MARK_TARGET;
	return 0;
}

static void add_call(struct verifier *c, u32 from, u32 to)
{
	for (u32 i = 0; i < c->calls.n; i++)
		if (c->calls.v[i].from == from && c->calls.v[i].to == to)
			return;
	vec_push(&c->arena, &c->calls, (struct sub_call){ from, to });
}

/* Of a function that an earlier program has only the calls are not known. */
static void add_calls(struct verifier *c, const struct sub *s, u32 index)
{
	u32 target;

	for (u32 pc = s->start; pc < s->end; pc++)
		if (c->reloc[pc] && callee(&c->f->insns[pc], pc, &target))
			add_call(c, index, verify_sub_at(c, target));
}

static int shape_sub(struct verifier *c, const struct sub *s, u32 index)
{
	const struct bpf_insn *i = NULL;
	u32 target;

	if (s->shared && verify_is_known(c, index)) {
		add_calls(c, s, index);
		return 0;
	}
	for (c->pc = s->start; c->pc < s->end; c->pc++) {
		if (c->mark[c->pc] & MARK_SECOND)
			continue;
		i = &c->f->insns[c->pc];
		if (bpf_is_jump(i) && shape_target(c, s, bpf_jump_target(i, c->pc)))
			return -1;
		if (callee(i, c->pc, &target))
			add_call(c, index, verify_sub_at(c, target));
	}
	c->pc = s->end - 1;
	if (i->code != (BPF_JMP | BPF_EXIT) && !bpf_is_goto(i))
		return verify_fail(c, "runs past the end of its function");
	return 0;
}

/* ---- reachability */

struct todo {
	u32 *pc, n;
};

static void visit(struct verifier *c, struct todo *t, u32 pc)
{
	if (c->mark[pc] & MARK_SEEN)
		return;
	c->mark[pc] |= MARK_SEEN;
	t->pc[t->n++] = pc;
}

/* All of a function that an earlier program has is reached from its start. */
static void visit_known(struct verifier *c, struct todo *t, u32 sub)
{
	const struct sub *s = &c->subs.v[sub];

	for (u32 pc = s->start; pc < s->end; pc++)
		c->mark[pc] |= MARK_SEEN;
	for (u32 i = 0; i < c->calls.n; i++)
		if (c->calls.v[i].from == sub)
			visit(c, t, c->subs.v[c->calls.v[i].to].start);
}

static void visit_next(struct verifier *c, struct todo *t, u32 pc)
{
	const struct bpf_insn *i = &c->f->insns[pc];
	u32 target;

	if (c->mark[pc] & MARK_SUB && c->subs.v[verify_sub_at(c, pc)].known) {
		visit_known(c, t, verify_sub_at(c, pc));
		return;
	}
	if (bpf_is_jump(i))
		visit(c, t, bpf_jump_target(i, pc));
	if (callee(i, pc, &target))
		visit(c, t, target);
	if (!bpf_is_goto(i) && i->code != (BPF_JMP | BPF_EXIT))
		visit(c, t, pc + (i->code == LD_IMM64 ? 2 : 1));
}

static int shape_reachable(struct verifier *c)
{
	struct todo t = { arena_array(&c->arena, u32, c->f->n_insns), 0 };

	visit(c, &t, 0);
	while (t.n)
		visit_next(c, &t, t.pc[--t.n]);
	for (c->pc = 0; c->pc < c->f->n_insns; c->pc++)
		if (!(c->mark[c->pc] & (MARK_SEEN | MARK_SECOND)))
			return verify_fail(c, "this instruction cannot be reached");
	return 0;
}

int verify_shape(struct verifier *c)
{
	if (!c->f->n_insns)
		return verify_fail(c, "the program is empty");
	if (shape_insns(c) || find_subs(c))
		return -1;
	for (u32 i = 0; i < c->subs.n; i++)
		if (shape_sub(c, &c->subs.v[i], i))
			return -1;
	return shape_reachable(c);
}

/* ---- stack depth */

static u32 rounded(u32 depth)
{
	return ALIGN_UP(MAX(depth, 1u), 32u);
}

static int depth_from(struct verifier *c, u32 sub, u32 above, u32 level)
{
	u32 depth = above + rounded(c->subs.v[sub].depth);

	c->pc = c->subs.v[sub].start;
	if (level == VERIFY_FRAMES)
		return verify_fail(c, "more than %d functions call each other", VERIFY_FRAMES);
	if (depth > VERIFY_STACK)
		return verify_fail(c, "the stack of %u bytes, with its callers', is more than %d",
				   depth, VERIFY_STACK);
	for (u32 i = 0; i < c->calls.n; i++)
		if (c->calls.v[i].from == sub && depth_from(c, c->calls.v[i].to, depth, level + 1))
			return -1;
	return 0;
}

int verify_depth(struct verifier *c)
{
	return depth_from(c, 0, 0, 0);
}
