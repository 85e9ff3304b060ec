/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the branches of a file go: one bit for each place of its code. */
#ifndef SONDE_PROVIDER_BRANCH_TARGETS_H
#define SONDE_PROVIDER_BRANCH_TARGETS_H

#include "object/elf.h"

enum {
	MAX_BRANCH_TEXT = 256 << 20
}; /* bytes: not every offset of a file with more code is decoded */

struct branch_targets {
	u64 base, len; /* bytes: from the first code segment to the end of the last */
	u32 shift;     /* places are 1 << shift bytes apart */
	u64 *bit;      /* NULL: not built, or the code is too large */
};

/* Calls mark for each segment that has bytes, to tell targets. false: there is no code or too much
 * of it. */
bool branch_targets_build(struct branch_targets *b, struct elf *e, u32 shift,
			  void (*mark)(struct branch_targets *b, const struct elf_section *s));
void branch_targets_release(struct branch_targets *b);
/* Whether a branch goes to one of the places from first to last, both addresses of the file. */
bool branch_targets_any(const struct branch_targets *b, u64 first, u64 last);

/* distance: from base; one outside of the code is none. */
static inline void branch_targets_add(struct branch_targets *b, u64 distance)
{
	if (distance < b->len)
		b->bit[distance >> b->shift >> 6] |= 1ull << (distance >> b->shift) % 64;
}

#endif
