/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64 instructions (A64, four bytes each): effect on registers and control flow, as needed to
 * place a probe after it, and how the kernel's uprobes handle it. Unknown instructions are reported
 * as such (ARM64_UNKNOWN): nothing is guessed.
 */
#ifndef SONDE_ARCH_INSN_ARM64_H
#define SONDE_ARCH_INSN_ARM64_H

#include "base/base.h"

enum { /* register numbers; 31 is sp in sets, which never contain xzr */
       ARM64_FP = 29,
       ARM64_LR = 30,
       ARM64_SP = 31,
       ARM64_NO_REG = 0xff,
};

enum arm64_kind {
	ARM64_UNKNOWN,       /* may write any register and jump anywhere */
	ARM64_PLAIN,         /* falls through to the next instruction */
	ARM64_NOP,           /* falls through without effect: nop, bti */
	ARM64_JUMP,          /* b */
	ARM64_BRANCH,        /* jumps to target or falls through: b.eq, cbz, tbz */
	ARM64_CALL,          /* bl */
	ARM64_CALL_INDIRECT, /* blr */
	ARM64_JUMP_INDIRECT, /* br */
	ARM64_RETURN,        /* ret, retaa */
	ARM64_END,           /* udf, brk, hlt, eret */
};

struct arm64_effect {
	enum arm64_kind kind;
	u32 writes;            /* registers that may change: bitmap */
	bool flags;            /* the flags may change */
	bool moves_sp;         /* sp is in writes, and its change is known: */
	s32 sp;                /* sp += sp */
	u8 copy_to, copy_from; /* a full register copy; copy_to is ARM64_NO_REG if none */
	bool may_fault;        /* accesses memory other than at sp plus a constant */
	bool signs;            /* signs or authenticates x30 (in writes): paciasp, autiasp */
	bool saves_frame;      /* stp x29, x30, [sp ...]: */
	s32 frame_at;          /* offset from sp after the instruction */
	s64 target;            /* of branches, relative to the instruction */
};

void arm64_effect(u32 word, struct arm64_effect *out);

/*
 * The kernel simulates it in a uprobe instead of stepping a copy
 * (arch/arm64/kernel/probes/decode-insn.c: arm_probe_decode_insn). nops: since 6.13 also nop.
 */
bool arm64_uprobe_simulates(u32 word, bool nops);
/*
 * Why the kernel refuses a uprobe on it, or would execute its copy wrongly; NULL: probes are
 * allowed. The kernel refuses it when the file is mapped, which is not reported to the tracer.
 */
const char *arm64_uprobe_refuses(u32 word);
/*
 * Exclusive loads (ldxr, ldaxr, ldxp) and stores (stxr ...): no breakpoint may be hit between them,
 * because the exception loses the reservation and the store fails forever.
 */
bool arm64_is_exclusive_load(u32 word);
bool arm64_is_exclusive_store(u32 word);

#endif
