/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What registers hold when a function returns, from its code: compilers change the convention of
 * functions whose callers they all know. */
#ifndef SONDE_PROVIDER_URESULT_H
#define SONDE_PROVIDER_URESULT_H

#include "object/elf.h"

struct uresult {
	u32 address; /* registers (X86_…) that hold what the first argument was at the entry */
	bool has_slot;
	s32 slot; /* ... as does the word so far from sp */
	u32 set;  /* registers that some path to it has written */
	/* Of one return: the instruction at which that holds, before it, where registers are given
	 * back; and sp there, from sp at the entry. */
	u64 at;
	s32 sp;
};

/*
 * Of the x86-64 function at entry: after all of its returns (ret 0) or at the one at ret,
 * addresses of the file. False: its code cannot be followed.
 */
bool uresult_find(struct elf *e, u64 entry, u64 ret, struct uresult *out);

/* Whether the function at an address returns something, as it was written. */
struct uresult_asker {
	bool (*has_result)(void *ctx, u64 entry);
	void *ctx;
};

/*
 * Whether a local function still returns something in a register (X86_…): a caller looks at it.
 * Where the compiler need not have changed the function, it is enough that it is not optimized and
 * computes something that it does not use itself.
 */
bool uresult_is_used(struct elf *e, u64 entry, u32 reg, bool is_changed,
		     const struct uresult_asker *asker);

#endif
