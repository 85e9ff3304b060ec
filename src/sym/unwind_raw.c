/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers and stack bytes -> frames. */
#include "object/cfi.h"
#include "sym/unwind_raw.h"

struct walk {
	const struct unwind_tables *tables;
	const struct unwind_process *process;
	const struct unwind_raw *raw;
	u64 sp, fp, pc, entered;
	u64 link;                 /* arm64: x30; x86: rdi, of the first frame alone */
	u64 mask;                 /* the bits that a code address uses */
	u64 word;                 /* bytes of an address in memory */
	bool exact;               /* pc is the next instruction; else it is a return address */
	bool lost;                /* sp is only a lower bound; with a link register */
	enum unwind_reason by_fp; /* why the last step guessed by frame pointers */
	enum unwind_reason why;
	bool is_new; /* as in unwind_raw.h */
};

static bool stop(struct walk *w, enum unwind_reason why)
{
	w->why = why;
	return false;
}

static bool is_missing(const struct unwind_raw *raw, u64 address)
{
	u64 page = address / UNWIND_RAW_PAGE - raw->sp / UNWIND_RAW_PAGE;

	return page < 64 && raw->missing >> page & 1;
}

static bool read_word(struct walk *w, u64 address, u64 *v)
{
	u64 offset = address - w->raw->sp;

	if (address & (w->word - 1) || address < w->raw->sp)
		return stop(w, UNWIND_WHY_UNREADABLE);
	if (w->raw->len < w->word || offset > w->raw->len - w->word)
		return stop(w, UNWIND_WHY_CUT);
	if (is_missing(w->raw, address))
		return stop(w, UNWIND_WHY_UNREADABLE);
	*v = 0;
	memcpy(v, w->raw->stack + offset, w->word);
	return true;
}

/* NULL: the address is in no mapping. */
static const struct unwind_area *area_of(const struct unwind_process *p, u64 address)
{
	const struct unwind_area *a = NULL;

	for (u32 i = 0; i < UNWIND_AREAS && p->start[i] <= address; i++)
		a = &p->area[i];
	return a && (address - a->base) >> UNWIND_PAGE_SHIFT < a->n_pages ? a : NULL;
}

static bool find_cfa(struct walk *w, const struct unwind_rule *r, u64 *cfa)
{
	switch ((enum cfi_cfa)r->cfa_kind) {
	case CFI_NONE: return stop(w, UNWIND_WHY_NO_RULE);
	case CFI_SP: *cfa = w->sp + (u64)(s64)r->cfa; return true;
	case CFI_FP: *cfa = w->fp + (u64)(s64)r->cfa; return true;
	case CFI_PLT: *cfa = w->sp + w->word * ((w->pc & 15) >= (u64)r->add ? 2 : 1); return true;
	case CFI_SP_DEREF:
	case CFI_FP_DEREF: break;
	}
	if (!read_word(w, (r->cfa_kind == CFI_SP_DEREF ? w->sp : w->fp) + (u64)(s64)r->cfa, cfa))
		return false;
	*cfa += (u64)(s64)r->add;
	return true;
}

/* The caller's value of a register whose current value is `same`. */
static bool find_saved(struct walk *w, u8 kind, s32 offset, u64 cfa, u64 same, u64 *v)
{
	u64 base = 0;

	switch ((enum cfi_saved)kind) {
	case CFI_SAME:
	case CFI_IN_RDI: *v = same; return true;
	case CFI_AT_CFA: base = cfa; break;
	case CFI_AT_SP: base = w->sp; break;
	case CFI_AT_FP: base = w->fp; break;
	case CFI_NOWHERE:
	case CFI_OTHER: *v = 0; return true;
	}
	return read_word(w, base + (u64)(s64)offset, v);
}

static bool step_from_entry(struct walk *w)
{
	if (UNWIND_HAS_LINK) {
		w->pc = w->link & w->mask;
		w->entered = 0;
		w->exact = false;
		return true;
	}
	if (!read_word(w, w->entered, &w->pc))
		return false;
	w->sp = w->entered + w->word;
	w->entered = 0;
	w->exact = false;
	return true;
}

static bool step_by_fp(struct walk *w, enum unwind_reason why)
{
	u64 at = w->fp, up, pc;

	w->by_fp = why;
	if (w->entered)
		return step_from_entry(w);
	if (at - w->sp >= UNWIND_MAX_FRAME || at & (w->word - 1))
		return stop(w, w->by_fp);
	if (!read_word(w, at, &up) || !read_word(w, at + w->word, &pc))
		return false;
	w->sp = at + 2 * w->word;
	w->fp = up;
	w->pc = pc & w->mask;
	w->exact = false;
	w->lost = UNWIND_HAS_LINK;
	return true;
}

/* As step_record() of builtin/unwind.c: a function that saves fp and the return address stores them
 * at fp. */
static bool find_sp(struct walk *w, const struct unwind_rule *r)
{
	u64 cfa = w->fp - (u64)(s64)r->fp;

	if (!w->lost)
		return true;
	if (!r->simple || r->ra_kind != CFI_AT_CFA)
		return stop(w, UNWIND_WHY_NO_RULE);
	w->lost = false;
	if (r->cfa_kind != CFI_SP)
		return true;
	if (cfa <= w->sp)
		return stop(w, UNWIND_WHY_BACKWARDS);
	w->sp = cfa - (u64)(s64)r->cfa;
	return true;
}

/* Whether the return address is in a register. */
static bool is_in_link(const struct unwind_rule *r)
{
	return r->ra_kind == (UNWIND_HAS_LINK ? CFI_SAME : CFI_IN_RDI);
}

/* The register has it only until the function calls another one. With a link register a signal's
 * frame has the one of the code that it interrupted. */
static bool find_link(struct walk *w, const struct unwind_rule *r)
{
	enum { BELOW_PC = 16 }; /* in the kernel's signal frame: x30, sp, pc */

	if (is_in_link(r) && (!w->exact || !w->link))
		return stop(w, UNWIND_WHY_NO_RULE);
	if (!r->is_signal)
		return true;
	w->link = 0;
	return !UNWIND_HAS_LINK || read_word(w, w->sp + (u64)(s64)r->ra - BELOW_PC, &w->link);
}

static bool step_by_rule(struct walk *w, const struct unwind_rule *r)
{
	u64 cfa, fp, pc, link = w->link;
	bool in_link;

	if (!r)
		return step_by_fp(w, UNWIND_WHY_NO_RULE);
	if (r->ra_kind == CFI_NOWHERE)
		return stop(w, UNWIND_COMPLETE);
	if (r->ra_kind == CFI_OTHER)
		return stop(w, UNWIND_WHY_SWITCH);
	in_link = is_in_link(r);
	if (!find_sp(w, r) || !find_cfa(w, r, &cfa))
		return false;
	if (!r->is_signal && cfa <= w->sp - in_link)
		return stop(w, UNWIND_WHY_BACKWARDS);
	if (!find_saved(w, r->fp_kind, r->fp, cfa, w->fp, &fp) ||
	    !find_saved(w, r->ra_kind, r->ra, cfa, in_link ? link : 0, &pc) || !find_link(w, r))
		return false;
	w->sp = cfa;
	w->fp = fp;
	w->pc = pc & w->mask;
	w->exact = r->is_signal;
	w->by_fp = UNWIND_COMPLETE;
	return true;
}

/* If a function has several probes, the last entry for its slot holds the real return address; the
 * others hold the trampoline's, which is pc. */
static bool step_return_probe(struct walk *w)
{
	for (u32 i = 0; i < UNWIND_RAW_RETURNS; i++) {
		const struct unwind_return *r = &w->raw->returns[i];

		if (r->stack != w->sp - (UNWIND_HAS_LINK ? 0 : w->word) || r->address == w->pc)
			continue;
		w->pc = r->address;
		return true;
	}
	w->is_new = true;
	return stop(w, w->by_fp ? w->by_fp : UNWIND_WHY_NOT_CODE);
}

/* Adds the frame of pc and steps to its caller; false: that was the last one. */
static bool step(struct walk *w, u64 *ips, u32 *n)
{
	u64 address = w->pc - !w->exact;
	const struct unwind_area *a = area_of(w->process, address);

	if (!a && !w->pc)
		return stop(w, w->by_fp && w->fp ? w->by_fp : UNWIND_COMPLETE);
	if (!a || a->pages == (u32)UNWIND_RETURNS)
		return step_return_probe(w);
	ips[(*n)++] = w->pc;
	if (*n > 1)
		w->entered = 0;
	if (a->pages == (u32)UNWIND_NO_ROOM)
		return stop(w, UNWIND_WHY_NO_ROOM);
	if (a->pages >= (u32)UNWIND_SPECIAL)
		return step_by_fp(w, UNWIND_WHY_NO_FP + a->pages - UNWIND_BY_FP);
	return step_by_rule(w, unwind_tables_rule(w->tables, a->pages, address - a->base));
}

u32 unwind_raw_frames(const struct unwind_tables *t, const struct unwind_process *p,
		      const struct unwind_raw *raw, u64 *ips, u32 max, bool *is_new)
{
	struct walk w = { .tables = t,
			  .process = p,
			  .raw = raw,
			  .sp = raw->sp,
			  .fp = raw->fp,
			  .pc = raw->pc,
			  .link = raw->link,
			  .mask = unwind_address_mask(),
			  .word = raw->word,
			  .entered = raw->entered,
			  .exact = true };
	u32 n = 0;

	while (n < max - 1 && step(&w, ips, &n))
		w.why = n < max - 1 ? UNWIND_COMPLETE : UNWIND_WHY_DEPTH;
	*is_new = w.is_new;
	ips[0] = raw->shown;
	n = MAX(n, 1u);
	if (w.why)
		ips[n++] = w.why;
	return n;
}
