/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic. BPF has two-address instructions: d = a op b is a move and the operation, and the
 * allocator removes the move where a ends. Kernels before 6.6 divide unsigned only: there signed
 * division is built from sign masks. A native one exists since 6.6, but INT64_MIN / -1 traps on x86
 * until 6.12 (commit 7dd34d7b7dcf), so a divisor of -1 never reaches it.
 */
#include "target/select.h"

static u8 alu_op(u32 op)
{
	switch ((enum ir_opcode)op) {
	case IR_ADD: return BPF_ADD;
	case IR_SUB: return BPF_SUB;
	case IR_MUL: return BPF_MUL;
	case IR_UDIV: return BPF_DIV;
	case IR_SDIV: return BPF_DIV;
	case IR_UMOD: return BPF_MOD;
	case IR_SMOD: return BPF_MOD;
	case IR_AND: return BPF_AND;
	case IR_OR: return BPF_OR;
	case IR_XOR: return BPF_XOR;
	case IR_SHL: return BPF_LSH;
	case IR_SHR: return BPF_RSH;
	case IR_SAR: return BPF_ARSH;
	default: BUG("operation %u is no arithmetic", op);
	}
}

static void negate(struct select *s, u32 reg)
{
	sel_out(s, (struct minsn){ .code = BPF_ALU64 | BPF_NEG, .dst = reg });
}

/* A virtual register as an operand: its ids follow those of the IR's temporaries. */
static struct opnd reg_opnd(u32 reg)
{
	return o_temp(reg - V_FIRST);
}

/* ---- signed division */

struct division {
	const struct ir_insn *in;
	struct opnd a, b;
	u32 d; /* result */
	u8 op; /* BPF_DIV or BPF_MOD */
};

static void divide_native(struct select *s, const struct division *v)
{
	struct minsn in = { .code = BPF_ALU64 | v->op, .off = 1, .dst = v->d };

	if (v->b.kind == O_IMM && fits_s32(v->b.imm)) {
		in.imm = v->b.imm;
	} else {
		in.code |= BPF_X;
		in.src = sel_reg(s, v->b);
	}
	sel_out(s, in);
}

/* By -1: negation, remainder 0. */
static void divide_by_minus_one(struct select *s, const struct division *v)
{
	if (v->op == BPF_DIV)
		negate(s, v->d);
	else
		sel_imm(s, v->d, 0);
}

/*	d = a; if b == -1 goto minus; d s/= b; goto out; minus: d = -d; out:	*/
static void divide_guarded(struct select *s, const struct division *v)
{
	u32 minus = sel_block(s), plain = sel_block(s), out = sel_block(s);
	struct opnd b = v->b;

	if (b.kind != O_TEMP || b.imm)
		b = reg_opnd(sel_reg(s, b));
	sel_branch(s, CC_EQ, b, o_imm(-1), minus, plain);
	sel_place(s, plain);
	sel_alu(s, v->op, v->d, sel_temp(b.id));
	vec_last(&s->m->insns)->off = 1;
	sel_goto(s, out);
	sel_place(s, minus);
	divide_by_minus_one(s, v);
	sel_place(s, out);
}

/* All ones where r is negative. */
static u32 sign_mask(struct select *s, u32 reg)
{
	u32 mask = sel_new(s);

	sel_mov(s, mask, reg);
	sel_alu_imm(s, BPF_ARSH, mask, 63);
	return mask;
}

/* r = -r where the mask is all ones: (r ^ -1) - -1 */
static void negate_by_mask(struct select *s, u32 reg, u32 mask)
{
	sel_alu(s, BPF_XOR, reg, mask);
	sel_alu(s, BPF_SUB, reg, mask);
}

/*
 * |a| op |b|, then the sign: of a ^ b for the quotient, of a for the remainder. It has no branches:
 * in a loop that verifiers unroll, each branch would be a pending path, and they allow 8192.
 */
static void divide_emulated(struct select *s, const struct division *v)
{
	u32 sign = sign_mask(s, v->d);

	negate_by_mask(s, v->d, sign);
	if (v->b.kind == O_IMM) {
		sel_alu_imm(s, v->op, v->d, v->b.imm < 0 ? (s64) - (u64)v->b.imm : v->b.imm);
		if (v->op == BPF_DIV && v->b.imm < 0)
			sel_alu_imm(s, BPF_XOR, sign, -1);
	} else {
		u32 y = sel_new(s), y_sign;

		sel_into(s, y, v->b);
		y_sign = sign_mask(s, y);
		negate_by_mask(s, y, y_sign);
		sel_alu(s, v->op, v->d, y);
		if (v->op == BPF_DIV)
			sel_alu(s, BPF_XOR, sign, y_sign);
	}
	negate_by_mask(s, v->d, sign);
}

static void select_signed_division(struct select *s, const struct ir_insn *in)
{
	struct division v = { .in = in,
			      .a = sel_use(s, in->arg[0]),
			      .b = sel_use(s, in->arg[1]),
			      .op = in->op == IR_SDIV ? BPF_DIV : BPF_MOD };

	v.d = sel_new(s);
	sel_into(s, v.d, v.a);
	if (v.b.kind == O_IMM && v.b.imm == 0) {
		if (v.op == BPF_DIV)
			sel_imm(s, v.d, 0);
	} else if (v.b.kind == O_IMM && v.b.imm == -1) {
		divide_by_minus_one(s, &v);
	} else if (!feature_has(s->m->features, FEAT_SDIV)) {
		divide_emulated(s, &v);
	} else if (v.b.kind == O_IMM) {
		divide_native(s, &v);
	} else {
		divide_guarded(s, &v);
	}
	sel_done(s, in, v.d);
}

/* ---- other operations */

static bool ends_here(const struct select *s, struct opnd o)
{
	return o.kind == O_TEMP && !o.imm && o.id < s->f->temps.n && !s->uses[o.id] &&
	       !s->f->temps.v[o.id].is_var;
}

/* Which operand of a commutative operation becomes the result's register. */
static bool better_swapped(const struct select *s, const struct ir_insn *in, struct opnd a,
			   struct opnd b)
{
	if (!(ir_ops[in->op].flags & IRF_COMMUTES) || b.kind == O_IMM)
		return false;
	if (a.kind == O_IMM || (b.kind == O_TEMP && !b.imm && b.id == in->dst))
		return true;
	return ends_here(s, b) && !ends_here(s, a) && !(a.kind == O_TEMP && a.id == in->dst);
}

static void arith_imm(struct select *s, const struct ir_insn *in, u32 d, s64 imm)
{
	bool divides = in->op == IR_UDIV || in->op == IR_UMOD;

	if (in->op == IR_SHL || in->op == IR_SHR || in->op == IR_SAR)
		imm &= 63;
	if (divides && imm == 0) {
		if (in->op == IR_UDIV)
			sel_imm(s, d, 0);
	} else if (in->op == IR_SUB) {
		sel_alu_imm(s, BPF_ADD, d, (s64) - (u64)imm);
	} else if (in->op == IR_AND && imm == 0xffffffff) {
		sel_out(s, (struct minsn){ .code = OP_MOV32, .dst = d, .src = d });
	} else {
		sel_alu_imm(s, alu_op(in->op), d, imm);
	}
}

void select_arith(struct select *s, const struct ir_insn *in)
{
	struct ir_insn v = *in;
	u32 d, b;

	v.arg[0] = sel_use(s, in->arg[0]);
	v.arg[1] = sel_use(s, in->arg[1]);
	if (in->op == IR_SDIV || in->op == IR_SMOD) {
		select_signed_division(s, in);
		return;
	}
	if (in->op != IR_NEG && better_swapped(s, &v, v.arg[0], v.arg[1])) {
		struct opnd t = v.arg[0];

		v.arg[0] = v.arg[1];
		v.arg[1] = t;
	}
	d = sel_dst(s, &v);
	if (in->op == IR_NEG) {
		sel_into(s, d, v.arg[0]);
		negate(s, d);
	} else if (v.arg[1].kind == O_IMM) {
		sel_into(s, d, v.arg[0]);
		arith_imm(s, &v, d, v.arg[1].imm);
	} else {
		b = sel_reg(s, v.arg[1]);
		sel_into(s, d, v.arg[0]);
		sel_alu(s, alu_op(in->op), d, b);
	}
	sel_done(s, in, d);
}

/*
 * Makes a number of a pointer to a kernel structure, for arithmetic:
 *
 *	r = -r; r = -r		avoids "bitwise operator &= on pointer prohibited"
 */
void select_number(struct select *s, const struct ir_insn *in)
{
	u32 d = sel_temp(in->dst);

	sel_into(s, d, sel_use(s, in->arg[0]));
	negate(s, d);
	negate(s, d);
}

static void sign_extend(struct select *s, u32 d, struct opnd a, u32 size)
{
	if (feature_has(s->m->features, FEAT_MOVSX)) {
		sel_out(s, (struct minsn){ .code = OP_MOV,
					   .dst = d,
					   .src = sel_reg(s, a),
					   .off = (s16)(8 * size) });
		return;
	}
	sel_into(s, d, a);
	sel_alu_imm(s, BPF_LSH, d, 64 - 8 * size);
	sel_alu_imm(s, BPF_ARSH, d, 64 - 8 * size);
}

static void swap_bytes(struct select *s, u32 d, u32 size)
{
	u8 code = feature_has(s->m->features, FEAT_BSWAP) ? OP_BSWAP : OP_TO_BE;

	sel_out(s, (struct minsn){ .code = code, .dst = d, .imm = 8 * size });
}

void select_ext(struct select *s, const struct ir_insn *in)
{
	struct opnd a = sel_use(s, in->arg[0]);
	u32 d = sel_temp(in->dst);

	if (in->op == IR_BSWAP) {
		sel_into(s, d, a);
		swap_bytes(s, d, in->size);
	} else if (in->size == 8) {
		sel_into(s, d, a);
	} else if (in->op == IR_SEXT) {
		sign_extend(s, d, a, in->size);
	} else if (in->size == 4) {
		sel_out(s, (struct minsn){ .code = OP_MOV32, .dst = d, .src = sel_reg(s, a) });
	} else {
		sel_into(s, d, a);
		sel_alu_imm(s, BPF_AND, d, (1 << 8 * in->size) - 1);
	}
}

/*	d = 1; if a cc b goto out; d = 0; out:	(a s< 0: the sign bit, without a branch) */
void select_set(struct select *s, const struct ir_insn *in)
{
	struct opnd a = sel_use(s, in->arg[0]), b = sel_use(s, in->arg[1]);
	u32 d, zero, out;

	if (in->cc == CC_SLT && b.kind == O_IMM && b.imm == 0) {
		sel_into(s, sel_temp(in->dst), a);
		sel_alu_imm(s, BPF_RSH, sel_temp(in->dst), 63);
		return;
	}
	if (a.kind == O_IMM && b.kind == O_IMM) {
		sel_imm(s, sel_temp(in->dst), ir_eval_cond(in->cc, (u64)a.imm, (u64)b.imm));
		return;
	}
	if (a.kind == O_IMM) {
		struct ir_insn swapped = *in;

		swapped.cc = (u8)ir_cond_swap(in->cc);
		swapped.arg[0] = b;
		swapped.arg[1] = a;
		select_set(s, &swapped);
		return;
	}
	d = sel_new(s);
	zero = sel_block(s);
	out = sel_block(s);
	sel_imm(s, d, 1);
	sel_branch(s, in->cc, a, b, out, zero);
	sel_place(s, zero);
	sel_imm(s, d, 0);
	sel_place(s, out);
	sel_done(s, in, d);
}
