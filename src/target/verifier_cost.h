/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of target_verifier_cost(): verifier_cost.c walks the paths, verifier_cost_need.c
 * determines which parts of two states must be compared.
 */
#ifndef SONDE_TARGET_VERIFIER_COST_H
#define SONDE_TARGET_VERIFIER_COST_H

#include "target/verify.h"

struct need { /* a bit for each register, for each slot of the frame */
	u16 regs, exact;
	u64 slots, exact_slots;
};

struct needs {
	const struct verifier *c;
	struct need *at;   /* by instruction: before it executes */
	u16 *wanted;       /* registers whose value the instruction itself needs */
	u32 *first, *next; /* jumps and calls to an instruction, + 1 */
	u32 *todo, n_todo;
	u8 *waits;
};

/* The end of the code to follow: functions known from an earlier program are not followed again. */
u32 verifier_cost_end(const struct verifier *c);
/*
 * Computes needs from instruction `from` to that end. wanted: needed values known in advance, by
 * instruction; NULL: none.
 */
void verifier_cost_needs(struct needs *ns, struct verifier *c, u32 from, const u16 *wanted);
/* A bit for each argument of a helper that is a size. */
u16 verifier_cost_sizes(u32 helper);
/* Records that the instruction needs the value of a register. */
void verifier_cost_want(struct needs *ns, u32 pc, u32 reg);

#endif
