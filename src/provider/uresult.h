/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What registers hold when a function returns, from its code: compilers change the convention of
 * functions whose callers they all know. */
#ifndef SONDE_PROVIDER_URESULT_H
#define SONDE_PROVIDER_URESULT_H

#include "object/elf.h"

struct uresult {
	u32 address; /* registers (X86_…) that hold the first argument's value at the entry */
	bool has_slot;
	s32 slot; /* ... and the word at this distance from sp */
	u32 set;  /* registers that some path to it has written */
	/* For one return: the instruction at which this holds, which may be before the restored
	 * registers; and sp there, relative to sp at the entry. */
	u64 at;
	s32 sp;
};

/*
 * Analyzes the x86-64 function at `entry`: at all of its returns (ret 0) or at the one at `ret`;
 * file virtual addresses. False: its code cannot be followed.
 */
bool uresult_find(struct elf *e, u64 entry, u64 ret, struct uresult *out);

/* Tells whether the function at an address returns something according to its source. */
struct uresult_asker {
	bool (*has_result)(void *ctx, u64 entry);
	void *ctx;
};

/*
 * Whether a local function still returns something in a register (X86_…): a caller reads it. If the
 * compiler may not have changed the function, it is enough that the function is not optimized, or
 * computes something that it does not use itself.
 */
bool uresult_is_used(struct elf *e, u64 entry, u32 reg, bool is_changed,
		     const struct uresult_asker *asker);

#endif
