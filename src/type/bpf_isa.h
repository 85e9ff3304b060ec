/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF instruction definitions that linux/bpf.h of the oldest supported distribution (6.1) lacks,
 * for code that emits, verifies or interprets instructions.
 * Documentation/bpf/standardization/instruction-set.rst.
 */
#ifndef SONDE_TYPE_BPF_ISA_H
#define SONDE_TYPE_BPF_ISA_H

#include <linux/bpf.h>
#include "base/base.h"

#ifndef BPF_MEMSX
#define BPF_MEMSX 0x80 /* sign-extending load, 6.6 */
#endif
#ifndef BPF_LOAD_ACQ
#define BPF_LOAD_ACQ 0x100 /* atomic load and store, 6.15 */
#define BPF_STORE_REL 0x110
#endif

/*
 * Only for engines in user space, which know more of a past event than a helper of the kernel can
 * ask. The kernel's own list ends at 211 and is frozen (include/uapi/linux/bpf.h).
 */
enum {
	BPF_FUNC_get_leader_comm = 240, /* (buf, size): as get_current_comm, of the group leader */
	/* of bpf_get_stack, with BPF_F_USER_STACK: by call frame information */
	STACK_UNWOUND = 1 << 16,
};

/* Access size in bytes of a load, store or atomic operation. */
static inline u32 bpf_access_size(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B: return 1;
	case BPF_H: return 2;
	case BPF_W: return 4;
	default: return 8;
	}
}

/* A jump within the function, conditional or not. */
static inline bool bpf_is_jump(const struct bpf_insn *i)
{
	u8 class = BPF_CLASS(i->code), op = BPF_OP(i->code);

	return class == BPF_JMP32 || (class == BPF_JMP && op != BPF_CALL && op != BPF_EXIT);
}

/* Unconditional: ja, or its long form (gotol, 6.6). */
static inline bool bpf_is_goto(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA) || i->code == (BPF_JMP32 | BPF_JA);
}

/* The target index of the jump at index pc. */
static inline u32 bpf_jump_target(const struct bpf_insn *i, u32 pc)
{
	return pc + 1 + (u32)(i->code == (BPF_JMP32 | BPF_JA) ? i->imm : i->off);
}

#endif
