/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of x86: how long each is, and what it does to the registers, as far as placing a probe
 * behind it needs to know. What is not known is said to be (length 0, X86_UNKNOWN): nothing is guessed.
 */
#ifndef SONDE_ARCH_INSN_H
#define SONDE_ARCH_INSN_H

#include "base/base.h"

enum x86_mode { X86_64, X86_32 };

enum { /* register numbers as instructions have them; sets of them are bitmaps */
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
	u8 len; /* 0: none that we know */
	u8 map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a; of VEX, EVEX and XOP likewise */
	u8 op;
	u8 rex; /* W 8, R 4, X 2, B 1; has_rex tells whether there was one */
	u8 modrm, base, index;
	bool has_rex, has_modrm, vector;
	bool short_operand, short_address, lock, repne, rep; /* prefixes 66 67 f0 f2 f3 */
	u8 segment;                                          /* prefix 26 2e 36 3e 64 65, or 0 */
	s32 disp;
	s64 imm; /* of the last immediate, sign-extended; relative targets too */
};

/* Decodes the instruction at code, of which room bytes may be read. Returns its length or 0. */
u32 x86_decode(const u8 *code, u32 room, enum x86_mode mode, struct x86_insn *out);
/* The same for 64-bit code when only the length matters. */
u32 x86_insn_len(const u8 *code, u32 room);

enum x86_kind {
	X86_UNKNOWN, /* may write anything and go anywhere */
	X86_PLAIN,   /* goes on to the next instruction */
	X86_NOP,     /* and changes nothing */
	X86_ENDBR,
	X86_PUSH,   /* of a register */
	X86_JUMP,   /* to target */
	X86_BRANCH, /* to target or on */
	X86_CALL,   /* of target */
	X86_CALL_INDIRECT,
	X86_JUMP_INDIRECT,
	X86_END, /* ret, ud2, hlt */
};

struct x86_effect {
	enum x86_kind kind;
	u32 writes;            /* registers that may differ behind it, X86_FLAGS too */
	bool moves_sp;         /* rsp is in writes, and what it becomes is known: */
	s32 sp;                /* rsp += sp */
	u8 copy_to, copy_from; /* a whole register copied: copy_to is X86_NO_REG when none is */
	bool may_fault;        /* touches memory that may not be there */
	s64 target;            /* from the start of the instruction */
};

void x86_effect(const struct x86_insn *in, struct x86_effect *out);
/* Registers whose value it looks at, X86_FLAGS too; not those that a function passes on or returns. */
u32 x86_reads(const struct x86_insn *in);

/* Whether the kernel emulates it in a uprobe instead of stepping over it (arch/x86/kernel/uprobes.c:
 * push_setup_xol_ops, branch_setup_xol_ops). all_nops: since 6.18 nops of several bytes too. */
bool x86_uprobe_emulates(const struct x86_insn *in, const u8 *code, bool all_nops);
/*
 * Whether a uprobe on it breaks the program: branch_setup_xol_ops (all kernels from 3.x to 6.18) looks at
 * the opcode byte of VEX and EVEX instructions as if it were a legacy one, and "emulates" vpcmpeqb as je,
 * vpor as jmp, vpsubsb as call.
 */
bool x86_uprobe_misreads(const struct x86_insn *in);
/*
 * Why the kernel puts no uprobe on it; NULL: it does. Of a file that no process has mapped yet it accepts such a
 * place, and the probe never fires. (uprobe_init_insn and branch_setup_xol_ops of 5.10 to 7.2)
 */
const char *x86_uprobe_refuses(const struct x86_insn *in, enum x86_mode mode);
/* The five-byte nop that 6.18 turns into a call. */
bool x86_is_nop5(const u8 *code, u32 room);

#endif
