/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample of a perf event has to unwind a user stack (include/uapi/linux/perf_event.h:
 * PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER), as a hit that a program stored.
 */
#ifndef SONDE_SYM_UNWIND_SAMPLE_H
#define SONDE_SYM_UNWIND_SAMPLE_H

#include "type/unwind.h"

/* Registers are those of this machine. Pointers are into the sample, and not aligned. */
struct unwind_sample {
	u64 abi;         /* PERF_SAMPLE_REGS_ABI_*; 0: no registers */
	u64 mask;        /* of the registers, by their numbers in asm/perf_regs.h */
	const u8 *regs;  /* u64 each; NULL: none */
	const u8 *stack; /* from the stack pointer on; NULL: none */
	u64 stack_len;
};

/* The stack pointer; 0: it is not in the sample. */
u64 unwind_sample_sp(const struct unwind_sample *s);
/* Room for the largest one. The caller frees it. */
struct unwind_raw *unwind_sample_room(void);
/* Fills in raw, which has that room, but for the process and the time. False: the sample lacks
 * registers, or has those of another ABI. */
bool unwind_sample_take(const struct unwind_sample *s, struct unwind_raw *raw);

#endif
