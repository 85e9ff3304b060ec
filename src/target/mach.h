/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of target_emit(): a function as BPF instructions over virtual registers.
 *
 *	select.c     IR -> instructions; moves operands to the registers that BPF demands
 *	liveness.c   the ranges of positions where each register is live; drops dead results
 *	regalloc.c   linear scan; spill.c rewrites what gets no register, then it runs again
 *	frame.c      offsets of the frame objects
 *	encode.c     order of blocks, jumps, struct bpf_insn
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
#define NO_BLOCK (~0u)

struct minsn {
	u8 code;   /* as encoded; 0: dropped */
	u8 pseudo; /* source field of ld_imm64 and call */
	u8 n_args; /* call: argument registers read */
	u8 reloc;  /* enum reloc_kind + 1; 0: none */
	s16 off;
	u32 dst, src;
	u32 index; /* relocation's index, function called, or block jumped to */
	u32 bound; /* jump: index + 1 into program.losses of the loop that it bounds */
	s64 imm;
	struct span span;
};

/* Straight-line code that may end in a conditional jump, then continues at `next`. */
struct mblock {
	u32 start, end; /* in mach.insns */
	u32 next;       /* NO_BLOCK after an exit */
	u32 depth;
	u32 first_pred, n_preds; /* in mach.preds */
};

struct limits {
	u32 regs;  /* bits: registers the allocator may use */
	u32 reach; /* of a jump, in either direction */
};

struct mach {
	struct arena *arena;
	struct ir_unit *unit;
	struct ir_func *f;
	struct features *features;
	VEC(struct minsn) insns;
	VEC(struct mblock) blocks; /* by id */
	VEC(u32) order;            /* ids in emission order; insns lie in this order too */
	u32 *preds;
	u32 n_vregs; /* V_FIRST included */
	struct limits limits;
	struct opnd *alias;  /* by temporary: the operand that replaces it, or O_NONE */
	s32 *slot_off;       /* by slot: from r10 */
	u32 frame;           /* bytes below r10 */
	VEC(u8) unspillable; /* by register: made by spill.c */
	u8 *assigned;        /* by register */
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
bool minsn_is_jump(const struct minsn *in);     /* conditional */
bool minsn_is_pure(const struct minsn *in);     /* only sets dst */
bool minsn_is_constant(const struct minsn *in); /* dst = immediate, map, function address */

/*
 * Resolves operands through copies, and through constants and addresses that each use recomputes.
 */
void mach_find_aliases(struct mach *m);
struct opnd mach_resolve(const struct mach *m, struct opnd o);

void frame_layout(struct mach *m);
void select_func(struct mach *m);
u32 mach_vreg(struct mach *m);

/* ---- liveness */

/* A live range [start, end): instruction i reads at position 2i and writes at 2i + 1. */
struct range {
	u32 start, end, next; /* next: index + 1, ascending */
};

struct live {
	VEC(struct range) ranges;
	u32 *first;  /* by register: index + 1, 0: never live */
	u32 *weight; /* by register: occurrences, each weighted by 8 for each loop around it */
	u32 *n_defs;
	u32 *def;  /* by register: an instruction that sets it */
	u32 words; /* of a bitmap with a bit for each position */
};
void live_compute(struct mach *m, struct live *l);
/*
 * Whether no position where reg lives is set in the bitmap; the other two set or clear these
 * positions.
 */
bool live_free(const struct live *l, const u64 *bitmap, u32 reg);
void live_mark(const struct live *l, u64 *bitmap, u32 reg, bool on);

/* May leave m->frame above STACK_MAX: then the function cannot be encoded. */
void regalloc(struct mach *m);
/* spilled[register]: 0 no, else 1 + spill slot; constants are rematerialized instead. */
void spill_rewrite(struct mach *m, const struct live *l, const u32 *spilled);

/* Runs after the last round of allocation. */
void peephole(struct mach *m, const struct live *l);

/* ---- result of one function, before functions are joined */
struct code {
	VEC(struct bpf_insn) insns;
	VEC(struct span) spans;
	VEC(struct reloc) relocs;
};
/* 0, or -E2BIG when islands cannot make all jumps reach. */
int encode_func(struct mach *m, struct code *c);

struct fixup { /* a jump whose distance is not known yet */
	u32 insn, label;
};
struct island { /* an unconditional jump toward a label */
	u32 label, target;
};
struct jumps {
	struct arena *arena;
	struct code *c;
	u32 reach;
	VEC(u32) at; /* by label: instruction; labels 0.. are the blocks */
	VEC(struct fixup) fixups;
	VEC(struct island) islands;
};
int fix_jumps(struct jumps *j);

/* target_emit() with fewer registers and shorter jumps, so that tests reach rare paths. */
int target_emit_with(struct ir_unit *u, struct features *features, struct bpf_func *out,
		     const struct limits *limits);
enum {
	ALL_REGS = 0x3ff,
	FEW_REGS = 1 << R0 | 1 << R6 | 1 << R7,
	/*
	 * A quarter of the 16-bit range: the kernel expands calls of helpers, divisions and loads,
	 * and refuses jumps that become too long ("cannot be patched due to 16-bit range").
	 */
	FAR = INT16_MAX / 4,
	NEAR = 64,
};

#endif
