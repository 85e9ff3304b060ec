/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf sample -> struct unwind_raw. */
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include "sym/unwind_sample.h"

enum { MOST_STACK = 1 << 16 }; /* the size of a record is 16 bits */

#ifdef __aarch64__
enum {
	REG_SP = PERF_REG_ARM64_SP,
	REG_FP = PERF_REG_ARM64_X29,
	REG_PC = PERF_REG_ARM64_PC,
	REG_LINK = PERF_REG_ARM64_LR
};
#else
enum {
	REG_SP = PERF_REG_X86_SP,
	REG_FP = PERF_REG_X86_BP,
	REG_PC = PERF_REG_X86_IP,
	REG_LINK = PERF_REG_X86_DI
};
#endif

static bool has(const struct unwind_sample *s, u32 number)
{
	return s->regs && number < 64 && s->mask >> number & 1;
}

/* 0: the sample lacks it. */
static u64 reg(const struct unwind_sample *s, u32 number)
{
	u64 v = 0;

	if (has(s, number))
		memcpy(&v,
		       s->regs + sizeof v * (size_t)__builtin_popcountll(s->mask &
									 ((1ull << number) - 1)),
		       sizeof v);
	return v;
}

u64 unwind_sample_sp(const struct unwind_sample *s)
{
	return reg(s, REG_SP);
}

struct unwind_raw *unwind_sample_room(void)
{
	return xmalloc(sizeof(struct unwind_raw) + MOST_STACK);
}

bool unwind_sample_take(const struct unwind_sample *s, struct unwind_raw *raw)
{
	bool is32 = s->abi == PERF_SAMPLE_REGS_ABI_32;

	if ((s->abi != PERF_SAMPLE_REGS_ABI_64 && (!is32 || UNWIND_HAS_LINK)) || !has(s, REG_SP) ||
	    !has(s, REG_PC))
		return false;
	*raw = (struct unwind_raw){ .len = (u32)MIN(s->stack_len, (u64)MOST_STACK),
				    .sp = reg(s, REG_SP),
				    .fp = reg(s, REG_FP),
				    .pc = reg(s, REG_PC),
				    .link = reg(s, REG_LINK),
				    .shown = reg(s, REG_PC),
				    .word = is32 ? 4 : 8 };
	if (raw->len)
		memcpy(raw->stack, s->stack, raw->len);
	return true;
}
