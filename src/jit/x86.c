/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [lock] [fs] [66] [REX] [0f] opcode modrm [SIB] [displacement] */
#include "jit/x86.h"

enum { REX = 0x40, REX_W = 8, REX_R = 4, REX_B = 1, LOCK = 0xf0, FS = 0x64, SIZE_16 = 0x66 };
enum { MOD_DISP8 = 1 << 6, MOD_DISP32 = 2 << 6, MOD_REG = 3 << 6, SIB_NO_INDEX = 4 << 3 };

static void put(struct buf *b, u8 byte)
{
	buf_putc(b, (char)byte);
}

static void put_s32(struct buf *b, s32 v)
{
	buf_add(b, &v, sizeof v);
}

/* Operations whose register operand of one byte would be ah to bh without a prefix. */
static bool has_byte_operand(u32 op, u32 size)
{
	op &= 0x1ff;
	return size == 1 || op == X_MOVZX_8 || op == X_MOVSX_8;
}

static void put_opcode(struct buf *b, u32 op, u32 size, u8 reg, u8 rm)
{
	u8 rex = (u8)((size == 8 ? REX_W : 0) | (reg >> 3 ? REX_R : 0) | (rm >> 3 ? REX_B : 0));

	if (op & X_LOCK)
		put(b, LOCK);
	if (op & X_FS)
		put(b, FS);
	if (size == 2)
		put(b, SIZE_16);
	if (rex || (has_byte_operand(op, size) && (reg >= RSP || rm >= RSP)))
		put(b, REX | rex);
	if (op & X_0F)
		put(b, 0x0f);
	put(b, (u8)(op - (size == 1)));
}

void x86_rr(struct buf *b, u32 op, u32 size, u8 reg, u8 rm)
{
	put_opcode(b, op, size, reg, rm);
	put(b, (u8)(MOD_REG | (reg & 7) << 3 | (rm & 7)));
}

void x86_rm(struct buf *b, u32 op, u32 size, u8 reg, struct x86_mem m)
{
	bool is_short = m.disp == (s8)m.disp, has_disp = m.disp || (m.base & 7) == RBP;

	put_opcode(b, op, size, reg, m.base);
	put(b, (u8)((has_disp ? is_short ? MOD_DISP8 : MOD_DISP32 : 0) | (reg & 7) << 3 |
		    (m.base & 7)));
	if ((m.base & 7) == RSP)
		put(b, SIB_NO_INDEX | RSP);
	if (has_disp && is_short)
		put(b, (u8)m.disp);
	else if (has_disp)
		put_s32(b, m.disp);
}

void x86_fs(struct buf *b, u32 op, u32 size, u8 reg, s32 disp)
{
	put_opcode(b, op | X_FS, size, reg, 0);
	put(b, (u8)((reg & 7) << 3 | RSP));
	put(b, SIB_NO_INDEX | RBP); /* neither base nor index */
	put_s32(b, disp);
}

void x86_ri(struct buf *b, u32 op, u32 size, u8 rm, s32 imm)
{
	bool is_short = imm == (s8)imm;

	x86_rr(b, is_short ? X_OP_IMM8 : X_OP_IMM32, size, (u8)(op >> 3), rm);
	if (is_short)
		put(b, (u8)imm);
	else
		put_s32(b, imm);
}

void x86_mi(struct buf *b, u32 op, u32 size, struct x86_mem m, s32 imm)
{
	bool is_short = imm == (s8)imm;

	x86_rm(b, (is_short ? X_OP_IMM8 : X_OP_IMM32) | (op & X_LOCK), size, (u8)((op & 0xff) >> 3),
	       m);
	if (is_short)
		put(b, (u8)imm);
	else
		put_s32(b, imm);
}

void x86_shift(struct buf *b, u32 digit, u32 size, u8 rm, u8 count)
{
	x86_rr(b, X_SHIFT_IMM, size, (u8)digit, rm);
	put(b, count);
}

void x86_mov_imm(struct buf *b, u8 reg, u64 v)
{
	if (v == (u32)v) {
		put_opcode(b, 0xb8 + (reg & 7u), 4, 0, reg);
		put_s32(b, (s32)v);
	} else if (v == (u64)(s64)(s32)v) {
		x86_rr(b, X_MOV_IMM, 8, 0, reg);
		put_s32(b, (s32)v);
	} else {
		put_opcode(b, 0xb8 + (reg & 7u), 8, 0, reg);
		buf_add(b, &v, sizeof v);
	}
}

u32 x86_jump(struct buf *b, enum x86_cond c)
{
	if (c < C_ALWAYS) {
		put(b, 0x0f);
		put(b, (u8)(0x80 + c));
	} else {
		put(b, c == C_CALL ? 0xe8 : 0xe9);
	}
	put_s32(b, 0);
	return (u32)b->len - 4;
}

void x86_land(struct buf *b, u32 from, u32 to)
{
	s32 distance = (s32)(to - from - 4);

	memcpy(b->s + from, &distance, sizeof distance);
}

void x86_push(struct buf *b, u8 reg)
{
	put_opcode(b, 0x50 + (reg & 7u), 4, 0, reg);
}

void x86_pop(struct buf *b, u8 reg)
{
	put_opcode(b, 0x58 + (reg & 7u), 4, 0, reg);
}

void x86_bytes(struct buf *b, const char *bytes, u32 n)
{
	buf_add(b, bytes, n);
}
