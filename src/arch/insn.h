/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86 instructions: the length of each and its effect on registers, as needed to place a probe
 * after it. Unknown instructions are reported as such (length 0, X86_UNKNOWN): nothing is guessed.
 */
#ifndef SONDE_ARCH_INSN_H
#define SONDE_ARCH_INSN_H

#include "base/base.h"

enum x86_mode { X86_64, X86_32 };

enum { /* register numbers as encoded; register sets are bitmaps */
       X86_AX,
       X86_CX,
       X86_DX,
       X86_BX,
       X86_SP,
       X86_BP,
       X86_SI,
       X86_DI,
       X86_FLAGS = 16, /* only in sets */
       X86_RIP,        /* only as base */
       X86_NO_REG = 0xff,
};

struct x86_insn {
	u8 len; /* 0: unknown instruction */
	u8 map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a; likewise for VEX, EVEX and XOP */
	u8 op;
	u8 rex; /* W 8, R 4, X 2, B 1; has_rex: a prefix is present */
	u8 modrm, base, index;
	bool has_rex, has_modrm, vector;
	bool short_operand, short_address, lock, repne, rep; /* prefixes 66 67 f0 f2 f3 */
	u8 segment;                                          /* prefix 26 2e 36 3e 64 65, or 0 */
	u8 disp_at; /* where disp is in the instruction, if base is X86_RIP */
	s32 disp;
	s64 imm; /* the last immediate or relative target, sign-extended */
};

/* Decodes the instruction at code, of which `room` bytes are readable. Returns its length or 0. */
u32 x86_decode(const u8 *code, u32 room, enum x86_mode mode, struct x86_insn *out);
/* The length of the instruction in 64-bit code, or 0. */
u32 x86_insn_len(const u8 *code, u32 room);

enum x86_kind {
	X86_UNKNOWN, /* may write any register and jump anywhere */
	X86_PLAIN,   /* falls through to the next instruction */
	X86_NOP,     /* falls through without effect */
	X86_ENDBR,
	X86_PUSH,   /* pushes a register */
	X86_JUMP,   /* jumps to target */
	X86_BRANCH, /* jumps to target or falls through */
	X86_CALL,   /* calls target */
	X86_CALL_INDIRECT,
	X86_JUMP_INDIRECT,
	X86_END, /* ret, ud2, hlt */
};

struct x86_effect {
	enum x86_kind kind;
	u32 writes;            /* registers that may change, including X86_FLAGS */
	bool moves_sp;         /* rsp is in writes, and its change is known: */
	s32 sp;                /* rsp += sp */
	u8 copy_to, copy_from; /* a full register copy; copy_to is X86_NO_REG if none */
	bool may_fault;        /* accesses memory that may be unmapped */
	s64 target;            /* relative to the start of the instruction */
};

void x86_effect(const struct x86_insn *in, struct x86_effect *out);
/*
 * Registers that the instruction reads, including X86_FLAGS; not those passed to a call or
 * returned.
 */
u32 x86_reads(const struct x86_insn *in);

/*
 * The kernel emulates it in a uprobe instead of single-stepping it (arch/x86/kernel/uprobes.c:
 * push_setup_xol_ops, branch_setup_xol_ops). all_nops: since 6.18 also nops of several bytes.
 */
bool x86_uprobe_emulates(const struct x86_insn *in, const u8 *code, bool all_nops);
/*
 * A uprobe on it breaks the program: branch_setup_xol_ops (all kernels from 3.x to 6.18) interprets
 * the opcode byte of VEX and EVEX instructions as a legacy one, and "emulates" vpcmpeqb as je, vpor
 * as jmp, vpsubsb as call.
 */
bool x86_uprobe_misreads(const struct x86_insn *in);
/*
 * Why the kernel refuses a uprobe on it; NULL: it accepts one. In a file that no process has mapped
 * yet the kernel accepts such an address, and the probe never fires. (uprobe_init_insn and
 * branch_setup_xol_ops of 5.10 to 7.2)
 */
const char *x86_uprobe_refuses(const struct x86_insn *in, enum x86_mode mode);
/* The five-byte nop that 6.18 turns into a call. */
bool x86_is_nop5(const u8 *code, u32 room);

#endif
