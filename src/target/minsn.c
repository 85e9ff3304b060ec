/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each BPF opcode reads and writes: the only table of it. Calls, exits and compare-exchange
 * also touch machine registers that they do not name; liveness.c adds those.
 */
#include "target/mach.h"

static u32 alu_roles(const struct minsn *in)
{
	u32 op = BPF_OP(in->code), src = BPF_SRC(in->code) == BPF_X ? SRC_USED : 0;

	if (op == BPF_MOV)
		return DST_SET | src;
	if (op == BPF_NEG || op == BPF_END)
		return DST_USED | DST_SET;
	return DST_USED | DST_SET | src;
}

static u32 store_roles(const struct minsn *in)
{
	if (BPF_MODE(in->code) != BPF_ATOMIC || in->imm == BPF_CMPXCHG || !(in->imm & BPF_FETCH))
		return DST_USED | SRC_USED;
	return DST_USED | SRC_USED | SRC_SET;
}

u32 minsn_roles(const struct minsn *in)
{
	if (!in->code)
		return 0;
	switch (BPF_CLASS(in->code)) {
	case BPF_LD: return DST_SET;
	case BPF_LDX: return DST_SET | SRC_USED;
	case BPF_ST: return DST_USED;
	case BPF_STX: return store_roles(in);
	case BPF_ALU:
	case BPF_ALU64: return alu_roles(in);
	}
	if (!minsn_is_jump(in))
		return 0;
	return DST_USED | (BPF_SRC(in->code) == BPF_X ? SRC_USED : 0);
}

bool minsn_is_jump(const struct minsn *in)
{
	return BPF_CLASS(in->code) == BPF_JMP && in->code != OP_CALL && in->code != OP_EXIT &&
	       in->code != OP_JA;
}

bool minsn_is_pure(const struct minsn *in)
{
	u32 class = BPF_CLASS(in->code);

	return in->code &&
	       (class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX || class == BPF_LD);
}

bool minsn_is_constant(const struct minsn *in)
{
	return in->code == OP_LD_IMM64 || in->code == OP_MOV_IMM || in->code == OP_MOV32_IMM;
}
