/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the bitmap of all branch targets in the code of a file. The decoders are arch/insn_*.c. */
#include <stdlib.h>
#include "provider/branch_targets.h"

bool branch_targets_build(struct branch_targets *b, struct elf *e, u32 shift,
			  void (*mark)(struct branch_targets *b, const struct elf_section *s))
{
	struct elf_section s;
	u64 end = 0;

	b->base = UINT64_MAX;
	b->shift = shift;
	for (u32 i = 0; elf_code_segment(e, i, &s); i++) {
		b->base = MIN(b->base, s.address);
		end = MAX(end, s.address + s.size);
	}
	if (end <= b->base || end - b->base > MAX_BRANCH_TEXT)
		return false;
	b->len = end - b->base;
	b->bit = xcalloc((b->len >> shift) / 64 + 1, sizeof(u64));
	for (u32 i = 0; elf_code_segment(e, i, &s); i++)
		if (s.bytes)
			mark(b, &s);
	return true;
}

void branch_targets_release(struct branch_targets *b)
{
	free(b->bit);
	b->bit = NULL;
}

bool branch_targets_any(const struct branch_targets *b, u64 first, u64 last)
{
	for (u64 at = first - b->base; at <= last - b->base && at < b->len; at += 1ull << b->shift)
		if (b->bit[at >> b->shift >> 6] >> (at >> b->shift) % 64 & 1)
			return true;
	return false;
}
