/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of arm64's vDSO, which kernels build without .eh_frame, from its code. In: its functions.
 * Out: the return address is in the link register or, after the first instructions of a function
 * that calls others, in its frame record:
 *
 *	stp x29, x30, [sp, #-N]!	CFA = sp + N
 *	mov x29, sp			CFA = x29 + N
 *	ldp x29, x30, [sp], #N		in registers again, up to ret
 */
#include "object/cfi_vdso.h"

enum { INSN = 4, X29 = 29, X30 = 30, REGS = 128 + 184 };

const struct cfi_rule cfi_arm64_signal = { .cfa_kind = CFI_SP_DEREF,
					   .cfa = REGS + 31 * 8,
					   .fp_kind = CFI_AT_SP,
					   .fp = REGS + X29 * 8,
					   .ra_kind = CFI_AT_SP,
					   .ra = REGS + 32 * 8,
					   .is_signal = true };
static const struct cfi_rule none = { .cfa_kind = CFI_NONE }, leaf = { .cfa_kind = CFI_SP };

struct vdso {
	struct elf_section text;
	void (*f)(void *ctx, u64 address, const struct cfi_rule *r);
	void *ctx;
};

static u32 insn_at(const struct vdso *v, u64 address)
{
	u32 insn;

	memcpy(&insn, (const u8 *)v->text.bytes + (address - v->text.address), sizeof(insn));
	return insn;
}

static bool is_push(u32 insn)
{
	return (insn & 0xffc07fff) == 0xa9807bfd;
}

static bool is_pop(u32 insn)
{
	return (insn & 0xffc07fff) == 0xa8c07bfd;
}

static bool is_call(u32 insn)
{
	return (insn & 0xfc000000) == 0x94000000;
}

/* The instruction that makes the frame; `to`: none. */
static u64 find_push(const struct vdso *v, u64 from, u64 to)
{
	while (from < to && !is_push(insn_at(v, from)))
		from += INSN;
	return from;
}

static bool calls(const struct vdso *v, u64 from, u64 to)
{
	while (from < to && !is_call(insn_at(v, from)))
		from += INSN;
	return from < to;
}

static void framed(const struct vdso *v, u64 push, u64 to)
{
	enum { RET = 0xd65f03c0, MOV_FP_SP = 0x910003fd };
	s32 size = -8 * ((s32)(insn_at(v, push) << 10) >> 25); /* a signed field of 7 bits */
	struct cfi_rule r = { .cfa_kind = CFI_SP,
			      .cfa = size,
			      .fp_kind = CFI_AT_CFA,
			      .fp = -size,
			      .ra_kind = CFI_AT_CFA,
			      .ra = 8 - size };

	v->f(v->ctx, push + INSN, &r);
	for (u64 at = push + INSN; at < to; at += INSN) {
		u32 insn = insn_at(v, at);

		if (insn == MOV_FP_SP)
			r.cfa_kind = CFI_FP;
		if (is_pop(insn))
			v->f(v->ctx, at + INSN, &leaf);
		else if (insn == MOV_FP_SP || insn == (u32)RET)
			v->f(v->ctx, at + INSN, &r);
	}
}

static int function(void *ctx, const struct elf_symbol *s)
{
	enum { FIRST = 4 * INSN };
	const struct vdso *v = ctx;
	u64 from = s->value, to = s->value + s->size, push;

	if (from < v->text.address + INSN || to > v->text.address + v->text.size ||
	    from & (INSN - 1) || to & (INSN - 1) || to < from)
		return 0;
	if (streq(s->name, "__kernel_rt_sigreturn")) {
		v->f(v->ctx, from - INSN, &cfi_arm64_signal); /* callers are looked up at pc - 1 */
		v->f(v->ctx, to, &none);
		return 0;
	}
	push = find_push(v, from, to);
	if (push == to && calls(v, from, to))
		return 0;
	if (push != to && push - from >= FIRST)
		return 0;
	v->f(v->ctx, from, &leaf);
	if (push != to)
		framed(v, push, to);
	v->f(v->ctx, to, &none);
	return 0;
}

void cfi_each_vdso_row(struct elf *e, void (*f)(void *ctx, u64 address, const struct cfi_rule *r),
		       void *ctx)
{
	struct vdso v = { .f = f, .ctx = ctx };
	struct elf_symbol s;

	if (elf_find(e, "__kernel_rt_sigreturn", &s) && elf_section(e, ".text", &v.text) &&
	    v.text.bytes)
		elf_each_function(e, NULL, function, &v);
}
