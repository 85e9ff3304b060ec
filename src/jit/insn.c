/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arithmetic, memory and jumps, with the results that the interpreter (vm/interp.c) gives. */
#include "jit/internal.h"

/* The width of arithmetic and jumps. */
static u32 width(const struct bpf_insn *i)
{
	u8 class = BPF_CLASS(i->code);

	return class == BPF_ALU64 || class == BPF_JMP ? 8 : 4;
}

static bool has_reg(const struct bpf_insn *i)
{
	return BPF_SRC(i->code) == BPF_X;
}

/* The register of a source operand; r10's value is computed into a temporary. */
static u8 source(struct jit *j, u32 bpf)
{
	if (bpf != 10)
		return jit_reg(bpf);
	x86_rm(j->code, X_LEA, 8, T0, jit_mem(j, 10, 0));
	return T0;
}

/* ---- arithmetic */

static const u16 simple_ops[16] = { [BPF_ADD >> 4] = X_ADD,
				    [BPF_SUB >> 4] = X_SUB,
				    [BPF_OR >> 4] = X_OR,
				    [BPF_AND >> 4] = X_AND,
				    [BPF_XOR >> 4] = X_XOR };
static const u8 shift_digits[16] = { [BPF_LSH >> 4] = D_SHL,
				     [BPF_RSH >> 4] = D_SHR,
				     [BPF_ARSH >> 4] = D_SAR };

static void move(struct jit *j, const struct bpf_insn *i, u8 dst)
{
	u32 w = width(i);
	u8 src;

	if (!has_reg(i)) {
		x86_mov_imm(j->code, dst, w == 8 ? (u64)(s64)i->imm : (u32)i->imm);
		return;
	}
	src = source(j, i->src_reg);
	switch (i->off) {
	case 8: x86_rr(j->code, X_MOVSX_8, w, dst, src); break;
	case 16: x86_rr(j->code, X_MOVSX_16, w, dst, src); break;
	case 32: x86_rr(j->code, X_MOVSX_32, w, dst, src); break;
	default: x86_rr(j->code, X_MOV, w, src, dst);
	}
}

static void shift(struct jit *j, const struct bpf_insn *i, u8 dst)
{
	u32 w = width(i), digit = shift_digits[BPF_OP(i->code) >> 4];
	u8 count, to = dst == RCX ? T1 : dst;

	if (!has_reg(i)) {
		x86_shift(j->code, digit, w, dst, (u8)((u32)i->imm & (8 * w - 1)));
		return;
	}
	count = jit_reg(i->src_reg);
	if (count != RCX || dst == RCX)
		x86_rr(j->code, X_MOV, 8, RCX, T1);
	if (count != RCX)
		x86_rr(j->code, X_MOV, 4, count, RCX);
	x86_rr(j->code, X_SHIFT_CL, w, (u8)digit, to);
	if (count != RCX || dst == RCX)
		x86_rr(j->code, X_MOV, dst == RCX ? w : 8, T1, RCX);
}

/*
 *	r11 = divisor
 *	if r11 == 0:		r11 = div ? 0 : dividend
 *	else if signed, r11 == -1:	r11 = div ? -dividend : 0	(the smallest number would trap)
 *	else:			r11 = div ? rax : rdx
 */
static void divide(struct jit *j, const struct bpf_insn *i, u8 dst)
{
	bool is_div = BPF_OP(i->code) == BPF_DIV, is_signed = i->off != 0;
	struct buf *b = j->code;
	u32 w = width(i), zero, minus = 0, end[2];

	if (has_reg(i))
		x86_rr(b, X_MOV, w, jit_reg(i->src_reg), T1);
	else
		x86_mov_imm(b, T1, w == 8 ? (u64)(s64)i->imm : (u32)i->imm);
	x86_push(b, RAX);
	x86_push(b, RDX);
	x86_rr(b, X_MOV, w, dst, RAX);
	x86_rr(b, X_TEST, w, T1, T1);
	zero = x86_jump(b, C_E);
	if (is_signed) {
		x86_ri(b, X_CMP, w, T1, -1);
		minus = x86_jump(b, C_E);
		if (w == 8)
			X86_BYTES(b, "\x48");
		X86_BYTES(b, "\x99"); /* cdq, cqo */
	} else {
		x86_rr(b, X_XOR, 4, RDX, RDX);
	}
	x86_rr(b, X_UNARY, w, is_signed ? D_IDIV : D_DIV, T1);
	x86_rr(b, X_MOV, w, is_div ? RAX : RDX, T1);
	end[0] = x86_jump(b, C_ALWAYS);
	if (is_signed) {
		x86_land(b, minus, (u32)b->len);
		if (is_div)
			x86_rr(b, X_UNARY, w, D_NEG, RAX);
		else
			x86_rr(b, X_XOR, 4, RAX, RAX);
		x86_rr(b, X_MOV, w, RAX, T1);
		end[1] = x86_jump(b, C_ALWAYS);
	}
	x86_land(b, zero, (u32)b->len);
	if (!is_div)
		x86_rr(b, X_MOV, w, RAX, T1);
	x86_land(b, end[0], (u32)b->len);
	if (is_signed)
		x86_land(b, end[1], (u32)b->len);
	x86_pop(b, RDX);
	x86_pop(b, RAX);
	x86_rr(b, X_MOV, 8, T1, dst);
}

static void swap_bytes(struct jit *j, u32 bits, u8 dst)
{
	if (bits == 16) {
		x86_shift(j->code, D_ROL, 2, dst, 8);
		x86_rr(j->code, X_MOVZX_16, 4, dst, dst);
		return;
	}
	/* bswap: 0f c8 + register */
	const char bytes[] = { (char)(0x40 | (bits == 64 ? 8 : 0) | dst >> 3), 0x0f,
			       (char)(0xc8 + (dst & 7)) };

	x86_bytes(j->code, bytes, sizeof bytes);
}

static void byte_order(struct jit *j, const struct bpf_insn *i, u8 dst)
{
	u32 bits = (u32)i->imm;

	if (BPF_CLASS(i->code) == BPF_ALU64 || BPF_SRC(i->code) == BPF_TO_BE)
		swap_bytes(j, bits, dst);
	else if (bits == 16)
		x86_rr(j->code, X_MOVZX_16, 4, dst, dst);
	else if (bits == 32)
		x86_rr(j->code, X_MOV, 4, dst, dst);
}

static void multiply(struct jit *j, const struct bpf_insn *i, u8 dst)
{
	if (has_reg(i)) {
		x86_rr(j->code, X_IMUL, width(i), dst, source(j, i->src_reg));
		return;
	}
	x86_rr(j->code, X_IMUL_IMM, width(i), dst, dst);
	buf_add(j->code, &i->imm, 4);
}

static bool has_no_value(struct held h)
{
	return h.kind == HELD_CONTEXT || h.kind == HELD_MIXED;
}

static int arithmetic(struct jit *j, const struct bpf_insn *i)
{
	u8 op = BPF_OP(i->code), dst = jit_reg(i->dst_reg);
	struct held h = jit_held(j, i->dst_reg);

	if (has_no_value(h) && op != BPF_MOV) /* its offset is known */
		return 0;
	if (op == BPF_MOV && has_reg(i) && has_no_value(jit_held(j, i->src_reg)))
		return 0;
	switch (op) {
	case BPF_MOV: move(j, i, dst); return 0;
	case BPF_NEG: x86_rr(j->code, X_UNARY, width(i), D_NEG, dst); return 0;
	case BPF_END: byte_order(j, i, dst); return 0;
	case BPF_MUL: multiply(j, i, dst); return 0;
	case BPF_DIV:
	case BPF_MOD: divide(j, i, dst); return 0;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH: shift(j, i, dst); return 0;
	}
	if (!simple_ops[op >> 4])
		return jit_refuse(j, "an instruction of code 0x%x", i->code);
	if (has_reg(i))
		x86_rr(j->code, simple_ops[op >> 4], width(i), source(j, i->src_reg), dst);
	else
		x86_ri(j->code, simple_ops[op >> 4], width(i), dst, i->imm);
	return 0;
}

/* ---- memory */

/* It has no value, so it was not stored there. */
static bool is_spilled_context(const struct jit *j, const struct bpf_insn *i)
{
	int slot = flow_slot(i);

	return slot >= 0 && has_no_value(j->flow[j->pc].slot[slot]);
}

static int load(struct jit *j, const struct bpf_insn *i)
{
	static const u16 zero[] = { [1] = X_MOVZX_8, [2] = X_MOVZX_16, [4] = X_LOAD, [8] = X_LOAD };
	static const u16 sign[] = { [1] = X_MOVSX_8, [2] = X_MOVSX_16, [4] = X_MOVSX_32, [8] = 0 };
	bool is_signed = BPF_MODE(i->code) == BPF_MEMSX;
	u32 size = bpf_access_size(i->code);
	struct held h = jit_held(j, i->src_reg);
	u8 dst = jit_reg(i->dst_reg);

	if (BPF_MODE(i->code) != BPF_MEM && !is_signed)
		return jit_refuse(j, "a load of code 0x%x", i->code);
	if (is_spilled_context(j, i))
		return 0;
	if (h.kind == HELD_CONTEXT) {
		if (jit_context_load(j, i->dst_reg, h.v + i->off, size) < 0)
			return j->err->code;
		if (is_signed)
			x86_rr(j->code, sign[size], 8, dst, dst);
		return 0;
	}
	if (is_signed)
		x86_rm(j->code, sign[size], 8, dst, jit_mem(j, i->src_reg, i->off));
	else
		x86_rm(j->code, zero[size], size == 8 ? 8 : 4, dst, jit_mem(j, i->src_reg, i->off));
	return 0;
}

static void store_imm(struct jit *j, const struct bpf_insn *i)
{
	u32 size = bpf_access_size(i->code);

	x86_rm(j->code, X_MOV_IMM, size, 0, jit_mem(j, i->dst_reg, i->off));
	buf_add(j->code, &i->imm, MIN(size, 4u));
}

static const u16 atomic_ops[16] = {
	[BPF_ADD >> 4] = X_ADD, [BPF_OR >> 4] = X_OR, [BPF_AND >> 4] = X_AND, [BPF_XOR >> 4] = X_XOR
};

/*
 *	r9 = v; r10 = address
 *	rax = [r10]
 *	do r11 = rax op r9 while the exchange of [r10] from rax to r11 fails
 *	v = the old value
 */
static void fetch_by_exchange(struct jit *j, const struct bpf_insn *i, u32 op, u32 size)
{
	struct buf *b = j->code;
	u8 v = jit_reg(i->src_reg);
	u32 again;

	x86_rm(b, X_LEA, 8, T0, jit_mem(j, i->dst_reg, i->off));
	x86_push(b, RAX);
	x86_push(b, X9);
	x86_rr(b, X_MOV, size, v, X9);
	x86_rm(b, X_LOAD, size, RAX, at(T0, 0));
	again = (u32)b->len;
	x86_rr(b, X_MOV, size, RAX, T1);
	x86_rr(b, op, size, X9, T1);
	x86_rm(b, X_CMPXCHG | X_LOCK, size, T1, at(T0, 0));
	x86_land(b, x86_jump(b, C_NE), again);
	x86_rr(b, X_MOV, size, RAX, T1);
	x86_pop(b, X9);
	x86_pop(b, RAX);
	x86_rr(b, X_MOV, 8, T1, v);
}

static int atomic(struct jit *j, const struct bpf_insn *i)
{
	u32 op = (u32)i->imm, size = bpf_access_size(i->code), x86 = atomic_ops[(op >> 4) & 15];
	u8 v = jit_reg(i->src_reg);
	struct x86_mem m = jit_mem(j, i->dst_reg, i->off);

	if (op == BPF_LOAD_ACQ || op == BPF_STORE_REL) {
		struct bpf_insn plain = *i;

		plain.code = (u8)(BPF_MEM | BPF_SIZE(i->code));
		plain.code |= op == BPF_LOAD_ACQ ? BPF_LDX : BPF_STX;
		if (op == BPF_LOAD_ACQ)
			return load(j, &plain);
		x86_rm(j->code, X_MOV, size, v, m);
		return 0;
	}
	if (size < 4)
		return jit_refuse(j, "an atomic operation on %u bytes", size);
	if (op == BPF_XCHG) {
		x86_rm(j->code, X_XCHG, size, v, m);
	} else if (op == BPF_CMPXCHG) {
		x86_rm(j->code, X_CMPXCHG | X_LOCK, size, v, m);
		if (size == 4)
			x86_rr(j->code, X_MOV, 4, RAX, RAX);
	} else if (!x86 || op & 0xe) {
		return jit_refuse(j, "an atomic operation of code 0x%x", op);
	} else if (!(op & BPF_FETCH)) {
		x86_rm(j->code, x86 | X_LOCK, size, v, m);
	} else if ((op & 0xf0) == BPF_ADD) {
		x86_rm(j->code, X_XADD | X_LOCK, size, v, m);
	} else {
		fetch_by_exchange(j, i, x86, size);
	}
	return 0;
}

static int store(struct jit *j, const struct bpf_insn *i)
{
	u8 mode = BPF_MODE(i->code);

	if (mode == BPF_ATOMIC && BPF_CLASS(i->code) == BPF_STX)
		return atomic(j, i);
	if (mode != BPF_MEM)
		return jit_refuse(j, "a store of code 0x%x", i->code);
	if (BPF_CLASS(i->code) == BPF_ST)
		store_imm(j, i);
	else if (!has_no_value(jit_held(j, i->src_reg)))
		x86_rm(j->code, X_MOV, bpf_access_size(i->code), source(j, i->src_reg),
		       jit_mem(j, i->dst_reg, i->off));
	return 0;
}

/* ---- control */

static int load_imm64(struct jit *j, const struct bpf_insn *i)
{
	const struct reloc *r = j->in.reloc_of[j->pc];
	u8 dst = jit_reg(i->dst_reg);

	if (r && r->kind == RELOC_MAP_VALUE) {
		const struct shared_map *m = &j->world->maps->v[r->index];

		if (!m->type)
			return jit_refuse(j, "the address of map %s",
					  j->prog->maps.v[r->index].name);
		x86_mov_imm(j->code, dst, j->world->block + m->offset + r->add);
	} else if (!r && !i->src_reg) {
		x86_mov_imm(j->code, dst, (u32)i[0].imm | (u64)(u32)i[1].imm << 32);
	} else if (i->src_reg != BPF_PSEUDO_FUNC && !(r && r->kind == RELOC_MAP)) {
		return jit_refuse(j, "a reference to something that is not in a process");
	}
	return 0; /* maps and functions are known where they are used */
}

static int jump(struct jit *j, const struct bpf_insn *i)
{
	static const u8 conds[16] = {
		[BPF_JEQ >> 4] = C_E,   [BPF_JNE >> 4] = C_NE,  [BPF_JGT >> 4] = C_A,
		[BPF_JGE >> 4] = C_AE,  [BPF_JLT >> 4] = C_B,   [BPF_JLE >> 4] = C_BE,
		[BPF_JSGT >> 4] = C_G,  [BPF_JSGE >> 4] = C_GE, [BPF_JSLT >> 4] = C_L,
		[BPF_JSLE >> 4] = C_LE, [BPF_JSET >> 4] = C_NE,
	};
	u8 op = BPF_OP(i->code), dst = jit_reg(i->dst_reg);
	u32 target = bpf_jump_target(i, j->pc), w = width(i);

	if (flow_asks_for_record(i, &j->flow[j->pc]) && op == BPF_JEQ)
		return 0;
	if (bpf_is_goto(i) || flow_asks_for_record(i, &j->flow[j->pc])) {
		jit_goto(j, C_ALWAYS, target);
		return 0;
	}
	if (!conds[op >> 4])
		return jit_refuse(j, "a jump of code 0x%x", i->code);
	if (i->dst_reg == 10)
		return jit_refuse(j, "a comparison of r10");
	if (has_reg(i)) {
		x86_rr(j->code, op == BPF_JSET ? X_TEST : X_CMP, w, source(j, i->src_reg), dst);
	} else if (op == BPF_JSET) {
		x86_rr(j->code, X_UNARY, w, D_TEST, dst);
		buf_add(j->code, &i->imm, 4);
	} else if (!i->imm) {
		x86_rr(j->code, X_TEST, w, dst, dst); /* carry and overflow are 0, as of cmp 0 */
	} else {
		x86_ri(j->code, X_CMP, w, dst, i->imm);
	}
	jit_goto(j, conds[op >> 4], target);
	return 0;
}

static int control(struct jit *j, const struct bpf_insn *i)
{
	switch (BPF_OP(i->code)) {
	case BPF_CALL: return jit_call(j);
	case BPF_EXIT:
		if (!j->frame.is_main)
			jit_frame_leave(j);
		else if (j->pc + 1 <
			 j->f->n_insns) /* else it is followed by what it would jump to */
			jit_goto(j, C_ALWAYS, j->f->n_insns);
		return 0;
	}
	return jump(j, i);
}

int jit_insn(struct jit *j)
{
	const struct bpf_insn *i = &j->f->insns[j->pc];

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: return arithmetic(j, i);
	case BPF_LDX: return load(j, i);
	case BPF_ST:
	case BPF_STX: return store(j, i);
	case BPF_LD: return load_imm64(j, i);
	}
	return control(j, i);
}

u32 jit_insn_changes(const struct bpf_insn *i)
{
	u8 class = BPF_CLASS(i->code), op = BPF_OP(i->code);
	bool is_alu = class == BPF_ALU || class == BPF_ALU64,
	     is_shift = is_alu && shift_digits[op >> 4];
	u32 dst = 1u << jit_reg(i->dst_reg), src = 1u << jit_reg(i->src_reg), temps = 0;

	if (i->src_reg == 10)
		temps |= 1u << T0;
	if ((is_shift && has_reg(i)) || (is_alu && (op == BPF_DIV || op == BPF_MOD)))
		temps |= 1u << T1;
	switch (class) {
	case BPF_ALU:
	case BPF_ALU64: return dst | temps;
	case BPF_LDX: return dst | 1u << T1;
	case BPF_LD: return i->code ? dst : 0;
	case BPF_STX:
		if (BPF_MODE(i->code) == BPF_ATOMIC && i->imm & ~0xf0)
			return src | dst | 1u << RAX | 1u << T0 | 1u << T1;
		return temps;
	case BPF_JMP:
		return op == BPF_CALL ? jit_call_changes(i->src_reg ? 0 : (u32)i->imm) : temps;
	}
	return temps;
}
