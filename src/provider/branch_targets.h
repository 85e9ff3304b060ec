/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The branch targets of a file: one bit for each address of its code. */
#ifndef SONDE_PROVIDER_BRANCH_TARGETS_H
#define SONDE_PROVIDER_BRANCH_TARGETS_H

#include "object/elf.h"

enum { MAX_BRANCH_TEXT = 256 << 20 }; /* bytes: larger files are not decoded at every offset */

struct branch_targets {
	u64 base, len; /* bytes: from the first code segment to the end of the last */
	u32 shift;     /* a bit stands for 1 << shift bytes */
	u64 *bit;      /* NULL: not built, or the code is too large */
};

/* Calls mark for each segment that has bytes; mark adds the targets. False: no code, or too
 * much. */
bool branch_targets_build(struct branch_targets *b, struct elf *e, u32 shift,
			  void (*mark)(struct branch_targets *b, const struct elf_section *s));
void branch_targets_release(struct branch_targets *b);
/* Whether a branch goes to an address from first to last, inclusive; both are file virtual
 * addresses. */
bool branch_targets_any(const struct branch_targets *b, u64 first, u64 last);

/* distance: from base; a target outside the code is ignored. */
static inline void branch_targets_add(struct branch_targets *b, u64 distance)
{
	if (distance < b->len)
		b->bit[distance >> b->shift >> 6] |= 1ull << (distance >> b->shift) % 64;
}

#endif
