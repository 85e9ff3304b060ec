/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The general registers that an x86-64 instruction reads. Input: its parts (insn_x86.c); output:
 * registers whose value affects it, including FLAGS. Idioms that ignore their operand (xor eax,
 * eax; or eax, -1) read nothing. Arguments of a call and results of a return are not included.
 * Intel SDM volume 2.
 */
#include "arch/insn.h"

enum { AX = 1 << X86_AX, CX = 1 << X86_CX, DX = 1 << X86_DX, FLAGS = 1 << X86_FLAGS };

static u32 number(u32 low, u32 high)
{
	return 1u << ((low & 7) | (high ? 8 : 0));
}

/* Without REX the numbers 4 to 7 of byte operands mean ah, ch, dh, bh. */
static u32 byte_number(const struct x86_insn *in, u32 low, u32 high)
{
	return in->has_rex || (low & 7) < 4 ? number(low, high) : number(low - 4, 0);
}

/* Opcodes that read byte operands; for movzx and movsx, the source. */
static bool is_byte_op(const struct x86_insn *in, bool is_source)
{
	if (in->map == 1)
		return in->op == 0xb0 || in->op == 0xc0 ||
		       (is_source && (in->op == 0xb6 || in->op == 0xbe));
	return !(in->op & 1);
}

static u32 reg_field(const struct x86_insn *in)
{
	return is_byte_op(in, false) ? byte_number(in, in->modrm >> 3, in->rex & 4) :
				       number(in->modrm >> 3, in->rex & 4);
}

/* The register in ModRM's rm. */
static u32 rm_field(const struct x86_insn *in)
{
	if (in->modrm < 0xc0)
		return 0;
	return is_byte_op(in, true) ? byte_number(in, in->modrm, in->rex & 1) :
				      number(in->modrm, in->rex & 1);
}

static u32 address(const struct x86_insn *in)
{
	u32 regs = 0;

	if (!in->has_modrm || in->modrm >= 0xc0)
		return 0;
	if (in->base < 16)
		regs |= 1u << in->base;
	if (in->index < 16)
		regs |= 1u << in->index;
	return regs;
}

/* add or adc and sbb and sub xor cmp, in their six forms. */
static u32 arithmetic(const struct x86_insn *in)
{
	enum { ADC = 2, SBB = 3, SUB = 5, XOR = 6 };
	u32 what = in->op >> 3, carry = what == ADC || what == SBB ? FLAGS : 0;

	if ((in->op & 7) >= 4)
		return AX | carry;
	if ((what == SUB || what == XOR || what == SBB) && rm_field(in) == reg_field(in))
		return carry;
	return rm_field(in) | reg_field(in) | carry;
}

/* 80, 81, 83: the same with an immediate. */
static u32 with_constant(const struct x86_insn *in)
{
	enum { OR = 1, ADC = 2, SBB = 3, AND = 4 };
	u32 what = in->modrm >> 3 & 7;

	if ((what == OR && in->imm == -1) || (what == AND && in->imm == 0))
		return 0;
	return rm_field(in) | (what == ADC || what == SBB ? FLAGS : 0);
}

/* rcl and rcr rotate through the carry. */
static u32 shift(const struct x86_insn *in)
{
	u32 what = in->modrm >> 3 & 7;

	return rm_field(in) | (what == 2 || what == 3 ? FLAGS : 0);
}

static u32 group3(const struct x86_insn *in)
{
	u32 what = in->modrm >> 3 & 7;

	return rm_field(in) | (what >= 4 ? AX : 0) | (what >= 6 && in->op & 1 ? DX : 0);
}

/* A pushed value is an argument or a stack slot: its use is unknown. */
static u32 one_byte(const struct x86_insn *in)
{
	u8 op = in->op;

	if (op < 0x40)
		return (op & 7) < 6 ? arithmetic(in) : 0;
	if (op >= 0x70 && op <= 0x7f)
		return FLAGS;
	if ((op == 0x90 && in->rex & 1 && !in->rep) || (op >= 0x91 && op <= 0x97))
		return AX | number(op, in->rex & 1);
	if (op >= 0xe0 && op <= 0xe3)
		return CX | (op < 0xe2 ? FLAGS : 0);
	switch (op) {
	case 0x63: /* movsxd */
	case 0x69: /* imul with a constant */
	case 0x6b:
	case 0x8a:
	case 0x8b:
	case 0xfe:
	case 0xff: return rm_field(in);
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1: return shift(in);
	case 0xd2:
	case 0xd3: return shift(in) | CX;
	case 0x80:
	case 0x81:
	case 0x83: return with_constant(in);
	case 0x84: /* test, xchg */
	case 0x85:
	case 0x86:
	case 0x87: return rm_field(in) | reg_field(in);
	case 0x88:
	case 0x89: return reg_field(in);
	case 0x98: /* cdqe, cqo, test with a constant, stos, scas */
	case 0x99:
	case 0xa8:
	case 0xa9: return AX;
	case 0xaa:
	case 0xab: return AX | 1u << X86_DI | (in->rep ? CX : 0);
	case 0xa4:
	case 0xa5: return 1u << X86_SI | 1u << X86_DI | (in->rep ? CX : 0);
	case 0xf5: return FLAGS; /* cmc */
	case 0xf6:
	case 0xf7: return group3(in);
	}
	return 0;
}

static u32 two_bytes(const struct x86_insn *in)
{
	u8 op = in->op;

	if (op >= 0x40 && op <= 0x4f) /* cmov */
		return rm_field(in) | reg_field(in) | FLAGS;
	if (op >= 0x80 && op <= 0x9f)
		return FLAGS;
	if (op >= 0xc8 && op <= 0xcf)
		return number(op, in->rex & 1);
	switch (op) {
	case 0x2a: /* to a float, to a vector */ return in->rep || in->repne ? rm_field(in) : 0;
	case 0x6e:
	case 0xc4:
	case 0xb6: /* movzx, movsx */
	case 0xb7:
	case 0xbe:
	case 0xbf:
	case 0xb8: /* popcnt, bsf, bsr */
	case 0xbc:
	case 0xbd:
	case 0xba: return rm_field(in);
	case 0xa3: /* bit operations, shifts of two registers, imul, xadd */
	case 0xa4:
	case 0xab:
	case 0xac:
	case 0xaf:
	case 0xb3:
	case 0xbb:
	case 0xc0:
	case 0xc1: return rm_field(in) | reg_field(in);
	case 0xc3: return reg_field(in); /* movnti */
	case 0xa5:
	case 0xad: return rm_field(in) | reg_field(in) | CX;
	case 0xb0: /* cmpxchg */
	case 0xb1: return rm_field(in) | reg_field(in) | AX;
	case 0xa2: return AX | CX; /* cpuid */
	}
	return 0;
}

u32 x86_reads(const struct x86_insn *in)
{
	u32 regs = address(in);

	if (in->map == 0 && !in->vector)
		return regs | one_byte(in);
	if (in->map == 1)
		return regs | two_bytes(in);
	return regs;
}
