/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of arm64 (A64, four bytes each): what each does to the registers and where it goes, as far
 * as placing a probe behind it needs to know, and what the kernel does with a uprobe on it. What is not
 * known is said to be (ARM64_UNKNOWN): nothing is guessed.
 */
#ifndef SONDE_ARCH_INSN_ARM64_H
#define SONDE_ARCH_INSN_ARM64_H

#include "base/base.h"

enum { /* register numbers; 31 is sp in sets, where xzr never is */
       ARM64_FP = 29,
       ARM64_LR = 30,
       ARM64_SP = 31,
       ARM64_NO_REG = 0xff,
};

enum arm64_kind {
	ARM64_UNKNOWN,       /* may write anything and go anywhere */
	ARM64_PLAIN,         /* goes on to the next instruction */
	ARM64_NOP,           /* and changes nothing: nop, bti */
	ARM64_JUMP,          /* b */
	ARM64_BRANCH,        /* to target or on: b.eq, cbz, tbz */
	ARM64_CALL,          /* bl */
	ARM64_CALL_INDIRECT, /* blr */
	ARM64_JUMP_INDIRECT, /* br */
	ARM64_RETURN,        /* ret, retaa */
	ARM64_END,           /* udf, brk, hlt, eret */
};

struct arm64_effect {
	enum arm64_kind kind;
	u32 writes;            /* registers that may differ behind it: bitmap */
	bool flags;            /* so may the flags */
	bool moves_sp;         /* sp is in writes, and what it becomes is known: */
	s32 sp;                /* sp += sp */
	u8 copy_to, copy_from; /* a whole register copied: copy_to is ARM64_NO_REG when none is */
	bool may_fault;        /* touches memory other than at sp plus a constant */
	bool signs;            /* of writes, x30 gets or loses its signature: paciasp, autiasp */
	bool saves_frame;      /* stp x29, x30, [sp ...]: */
	s32 frame_at;          /* so far from sp behind the instruction */
	s64 target;            /* of branches, from the instruction */
};

void arm64_effect(u32 word, struct arm64_effect *out);

/* Whether the kernel simulates it in a uprobe instead of stepping over a copy (arch/arm64/kernel/probes/
 * decode-insn.c: arm_probe_decode_insn). nops: since 6.13 nop too. */
bool arm64_uprobe_simulates(u32 word, bool nops);
/*
 * Why the kernel refuses a uprobe on it, or would run its copy wrongly; NULL: it may be probed. What the
 * kernel refuses it refuses when the file is mapped, so that nobody would be told.
 */
const char *arm64_uprobe_refuses(u32 word);
/* Exclusive loads (ldxr, ldaxr, ldxp) and stores (stxr ...): between them no breakpoint may be hit, because
 * the exception loses the reservation and the store fails for ever. */
bool arm64_is_exclusive_load(u32 word);
bool arm64_is_exclusive_store(u32 word);

#endif
