/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of target_emit() share: a function as BPF instructions over virtual registers.
 *
 *	select.c     IR -> instructions; operands that BPF wants in fixed places are moved there
 *	liveness.c   for each register the ranges of positions where it is live; drops dead results
 *	regalloc.c   linear scan; what finds no register is rewritten by spill.c, and again
 *	frame.c      offsets of the frame objects
 *	encode.c     blocks in order, jumps, struct bpf_insn
 *
 * Registers 0..9 are the machine's, 10 the frame, from V_FIRST on virtual: temporary t of the IR is
 * V_FIRST + t. Machine registers are only live inside a block.
 */
#ifndef SONDE_TARGET_MACH_H
#define SONDE_TARGET_MACH_H

#include "ir/pass.h"
#include "target/bpf.h"
#include "target/target.h"

enum { V_FIRST = 11 };
#define NO_REG (~0u)
#define NO_BLOCK (~0u)

struct minsn {
	u8 code;   /* as encoded; 0: dropped */
	u8 pseudo; /* source field of ld_imm64 and call */
	u8 n_args; /* call: argument registers read */
	u8 reloc;  /* enum reloc_kind + 1; 0: none */
	s16 off;
	u32 dst, src;
	u32 index; /* relocation's index, function called, or block jumped to */
	s64 imm;
	struct span span;
};

/* Straight code, perhaps with a conditional jump as its last instruction; then on to `next`. */
struct mblock {
	u32 start, end; /* in mach.insns */
	u32 next;	/* NO_BLOCK behind an exit */
	u32 depth;
	u32 first_pred, n_preds; /* in mach.preds */
};

struct mach {
	struct arena *arena;
	struct ir_unit *unit;
	struct ir_func *f;
	struct features *features;
	VEC(struct minsn) insns;
	VEC(struct mblock) blocks; /* by id */
	VEC(u32) order;		   /* ids in emission order; insns lie in this order too */
	u32 *preds;
	u32 n_vregs;		   /* V_FIRST included */
	u32 allowed;		   /* registers the allocator may use */
	struct opnd *alias;	   /* by temporary: what it stands for, or O_NONE */
	s32 *slot_off;		   /* by slot: from r10 */
	u32 frame;		   /* bytes below r10 */
	VEC(u8) unspillable;	   /* by register: made by spill.c */
	u8 *assigned;		   /* by register */
};

static inline bool fits_s16(s64 v)
{
	return v == (s16)v;
}

static inline bool fits_s32(s64 v)
{
	return v == (s32)v;
}

/* How an instruction touches its two register fields. */
enum role { DST_USED = 1, DST_SET = 2, SRC_USED = 4, SRC_SET = 8 };
u32 minsn_roles(const struct minsn *in);
bool minsn_is_jump(const struct minsn *in);	 /* conditional */
bool minsn_is_pure(const struct minsn *in);	 /* only sets dst */
bool minsn_is_constant(const struct minsn *in);	 /* dst = immediate, map, function address */

/* What an operand stands for: through copies, constants and addresses that are made anew at each use. */
void mach_find_aliases(struct mach *m);
struct opnd mach_resolve(const struct mach *m, struct opnd o);

void frame_layout(struct mach *m);
void select_func(struct mach *m);
u32 mach_vreg(struct mach *m);

/* ---- liveness */

/* A live range [start, end) in half positions: instruction i reads at 2i and writes at 2i + 1. */
struct range {
	u32 start, end, next; /* next: index + 1, ascending */
};

struct live {
	VEC(struct range) ranges;
	u32 *first;  /* by register: index + 1, 0: never live */
	u32 *weight; /* by register: occurrences, each counted 8 times per loop around it */
	u32 *n_defs;
	u32 *def;    /* by register: an instruction that sets it */
};
void live_compute(struct mach *m, struct live *l);

void regalloc(struct mach *m);
/* spilled[register]: 0 no, else 1 + spill slot; constants are made again instead. */
void spill_rewrite(struct mach *m, const struct live *l, const u32 *spilled);

/* ---- result of one function, before functions are joined */
struct code {
	VEC(struct bpf_insn) insns;
	VEC(struct span) spans;
	VEC(struct reloc) relocs;
};
/* 0 or -E2BIG: a jump too far. */
int encode_func(struct mach *m, struct code *c);

/* target_emit() with fewer registers, for tests of spilling. */
int target_emit_with(struct ir_unit *u, struct features *features, struct bpf_func *out, u32 allowed);
enum { ALL_REGS = 0x3ff, FEW_REGS = 1 << R0 | 1 << R6 | 1 << R7 };

#endif
