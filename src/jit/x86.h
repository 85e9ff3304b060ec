/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encoding of x86-64 instructions (Intel's manual, volume 2). An operation is its opcode, with
 * flags; an operand size is in bytes: 1, 2, 4 (which clears the upper half of a register) or 8.
 */
#ifndef SONDE_JIT_X86_H
#define SONDE_JIT_X86_H

#include "base/buf.h"

enum x86_reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, X8, X9, X10, X11, X12, X13, X14, X15 };
enum { X86_REGS = 16 };

enum x86_op {
	/* rm op= reg; for one byte the opcode is one less */
	X_ADD = 0x01,
	X_OR = 0x09,
	X_SBB = 0x19,
	X_AND = 0x21,
	X_SUB = 0x29,
	X_XOR = 0x31,
	X_CMP = 0x39, /* rm with reg */
	X_TEST = 0x85,
	X_XCHG = 0x87,
	X_MOV = 0x89,
	X_CMPXCHG = 0x1b1,
	X_XADD = 0x1c1,
	/* reg op= rm */
	X_ADD_TO = 0x03,
	X_SUB_FROM = 0x2b,
	X_LOAD = 0x8b,
	X_LEA = 0x8d,
	X_MOVSX_32 = 0x63,
	X_LSL = 0x103,
	X_IMUL = 0x1af,
	X_IMUL_IMM = 0x69, /* a 32-bit immediate follows */
	X_MOVZX_8 = 0x1b6,
	X_MOVZX_16 = 0x1b7,
	X_MOVSX_8 = 0x1be,
	X_MOVSX_16 = 0x1bf,
	/* one operand, rm: the rest of the opcode is in place of reg, see X86_DIGIT */
	X_SHIFT_IMM = 0xc1, /* an immediate byte follows */
	X_SHIFT_CL = 0xd3,
	X_UNARY = 0xf7,   /* 0: test with a 32-bit immediate that follows */
	X_MOV_IMM = 0xc7, /* a 32-bit immediate follows, for two bytes a 16-bit one */
	X_OP_IMM32 = 0x81,
	X_OP_IMM8 = 0x83,
	/* flags */
	X_0F = 0x100,
	X_LOCK = 0x200,
	X_FS = 0x400,
};
/* In place of the register: of X_OP_IMM* those of X_ADD to X_CMP are opcode / 8. */
enum { D_ROL = 0, D_ROR = 1, D_SHL = 4, D_SHR = 5, D_SAR = 7 };
enum { D_TEST = 0, D_NOT = 2, D_NEG = 3, D_MUL = 4, D_DIV = 6, D_IDIV = 7 };

/* Conditions of jumps */
enum x86_cond {
	C_B = 2,
	C_AE,
	C_E,
	C_NE,
	C_BE,
	C_A,
	C_L = 12,
	C_GE,
	C_LE,
	C_G,
	C_ALWAYS = 16,
	C_CALL,
};

struct x86_mem {
	u8 base;
	s32 disp;
};
static inline struct x86_mem at(u8 base, s32 disp)
{
	return (struct x86_mem){ base, disp };
}

/* Operand rm is a register, memory. */
void x86_rr(struct buf *b, u32 op, u32 size, u8 reg, u8 rm);
void x86_rm(struct buf *b, u32 op, u32 size, u8 reg, struct x86_mem m);
/* X_ADD to X_CMP of X_OP_IMM*, with a sign-extended immediate. */
void x86_ri(struct buf *b, u32 op, u32 size, u8 rm, s32 imm);
void x86_mi(struct buf *b, u32 op, u32 size, struct x86_mem m, s32 imm);
void x86_shift(struct buf *b, u32 digit, u32 size, u8 rm, u8 count);
/* A constant in the shortest form. Does not change flags. */
void x86_mov_imm(struct buf *b, u8 reg, u64 v);
/* At an absolute address of the thread's segment: FS:[disp]. */
void x86_fs(struct buf *b, u32 op, u32 size, u8 reg, s32 disp);
/* A jump or call to a place that x86_land() gives; returns where its distance is. */
u32 x86_jump(struct buf *b, enum x86_cond c);
void x86_land(struct buf *b, u32 from, u32 to);
void x86_push(struct buf *b, u8 reg);
void x86_pop(struct buf *b, u8 reg);
void x86_bytes(struct buf *b, const char *bytes, u32 n);
#define X86_BYTES(b, bytes) x86_bytes(b, bytes, sizeof(bytes) - 1)

#endif
