/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of call frame information (cfi.c) -> the compact tables of type/unwind.h. A row is 4 bytes
 * and a page of 256 bytes of code another 4: in all 0.05 to 0.13 bytes per byte of code.
 */
#include <stdlib.h>
#include "object/cfi.h"
#include "object/unwind_table.h"

enum {
	N_SLOTS = 2 * UNWIND_N_RULES,
	PADDING = 16, /* between two functions: never executed */
	PAGE = 1 << UNWIND_PAGE_SHIFT,
	REACH = 2 * PAGE, /* rows that a search reaches, with a margin */
	ROWS_SKIPPED = (REACH + 1) * (UNWIND_N_ROWS / UNWIND_PART_ROWS),
};

static struct unwind_rule *rules(const struct unwind_tables *t)
{
	return (struct unwind_rule *)(void *)(t->memory + UNWIND_RULES);
}

static u32 *pages(const struct unwind_tables *t)
{
	return (u32 *)(void *)(t->memory + UNWIND_PAGES);
}

static u32 *rows(const struct unwind_tables *t)
{
	return (u32 *)(void *)(t->memory + UNWIND_ROWS);
}

void unwind_tables_init(struct unwind_tables *t, void *memory, bool in_parts)
{
	*t = (struct unwind_tables){ .memory = memory,
				     .most_pages = in_parts ? UNWIND_PART_PAGES : UNWIND_N_PAGES,
				     .n_rules = 1 };
	t->slots = xcalloc(N_SLOTS, sizeof *t->slots);
}

void unwind_tables_release(struct unwind_tables *t)
{
	free(t->slots);
	*t = (struct unwind_tables){};
}

/* ---- rules */

/* Where fp is saved, on a machine with a link register; -1: not representable. */
static s32 saved_with_link(const struct cfi_rule *r)
{
	enum { WORD = 8, MAX_FP = UNWIND_SAVED_LAST * WORD };

	if (r->fp_kind == CFI_SAME && r->ra_kind == CFI_SAME)
		return 0;
	if (r->fp_kind != CFI_AT_CFA || r->ra_kind != CFI_AT_CFA || r->ra != r->fp + WORD)
		return -1;
	if (r->fp == -r->cfa && r->fp < 0)
		return UNWIND_SAVED_LAST;
	if (r->fp <= -2 * WORD && r->fp >= -MAX_FP && r->fp % WORD == 0)
		return -r->fp / WORD - 1;
	return -1;
}

/* On a machine without one: the return address is at CFA - 8. */
static s32 saved_without_link(const struct cfi_rule *r)
{
	enum { WORD = 8, MAX_FP = 32 * WORD };

	if (r->ra_kind != CFI_AT_CFA || r->ra != -WORD || !r->cfa)
		return -1;
	if (r->fp_kind == CFI_SAME)
		return 0;
	if (r->fp_kind == CFI_AT_CFA && r->fp <= -2 * WORD && r->fp >= -MAX_FP && r->fp % WORD == 0)
		return -r->fp / WORD - 1;
	return -1;
}

static u32 simple_form(const struct cfi_rule *r)
{
	enum { WORD = 8, MAX_CFA = 1023 * WORD };
	bool by_fp = r->cfa_kind == CFI_FP;
	s32 saved = UNWIND_HAS_LINK ? saved_with_link(r) : saved_without_link(r);

	if ((!by_fp && r->cfa_kind != CFI_SP) || r->cfa < 0 || r->cfa > MAX_CFA || r->cfa % WORD ||
	    r->is_signal || saved < 0)
		return 0;
	return UNWIND_IS_SIMPLE | (u32)saved << 11 | (u32)r->cfa / WORD << 1 | by_fp;
}

static u32 hash_rule(const struct unwind_rule *r)
{
	u64 words[sizeof *r / 8], h = 0;

	memcpy(words, r, sizeof words);
	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return (u32)h;
}

/* 0: not representable, or the table is full. Simple rules are for words of 8 bytes. */
static u32 rule_index(struct unwind_tables *t, const struct cfi_rule *from, bool is32)
{
	struct unwind_rule r = { .simple = is32 ? 0 : simple_form(from),
				 .cfa_kind = from->cfa_kind,
				 .fp_kind = from->fp_kind,
				 .ra_kind = from->ra_kind,
				 .is_signal = from->is_signal,
				 .cfa = from->cfa,
				 .add = from->add,
				 .fp = from->fp,
				 .ra = from->ra };
	u32 i = hash_rule(&r) & (N_SLOTS - 1);

	if (from->cfa_kind == CFI_NONE)
		return 0;
	for (; t->slots[i]; i = (i + 1) & (N_SLOTS - 1))
		if (!memcmp(&rules(t)[t->slots[i]], &r, sizeof r))
			return t->slots[i];
	if (t->n_rules == UNWIND_N_RULES)
		return 0;
	rules(t)[t->n_rules] = r;
	return t->slots[i] = t->n_rules++;
}

/* ---- rows */

/* From the first byte of code to the last row. */
static bool code_range(const struct elf *e, const struct cfi_table *cfi, u64 *from, u64 *to)
{
	struct elf_section s;

	*from = ~0ull;
	*to = cfi->rows[cfi->n_rows - 1].address;
	for (u32 i = 0; elf_code_segment(e, i, &s); i++) {
		*from = MIN(*from, s.address);
		*to = MAX(*to, s.address + s.size);
	}
	*from &= ~(u64)(PAGE - 1);
	return *from < *to && cfi->rows[1].address >= *from &&
	       (*to - *from) >> UNWIND_PAGE_SHIFT < UNWIND_N_PAGES;
}

struct filling {
	struct unwind_tables *t;
	struct unwind_file *file;
	struct elf_section stubs; /* .plt */
	bool is32;
	u32 row, page; /* the next ones */
	u32 last_rule;
};

/*
 * All rows that a search of a page may reach, beginning with the one before its first, must be in
 * one part (type/unwind.h): the rest of a part is filled with its last row.
 */
static void keep_in_part(struct filling *f)
{
	u32 *all = rows(f->t), last = f->row - 1;

	if (f->row % UNWIND_PART_ROWS < UNWIND_PART_ROWS - REACH)
		return;
	while (f->row % UNWIND_PART_ROWS != 1)
		all[f->row++] = all[last];
}

static void fill_pages(struct filling *f, u32 up_to)
{
	if (f->page <= up_to)
		keep_in_part(f);
	for (; f->page <= up_to; f->page++)
		pages(f->t)[f->file->pages + f->page] = f->row;
}

static void add_row(struct filling *f, u64 offset, u32 rule)
{
	fill_pages(f, (u32)(offset >> UNWIND_PAGE_SHIFT));
	if (rule == f->last_rule && f->row > f->t->n_rows)
		return;
	rows(f->t)[f->row++] = (u32)(offset & 0xffff) | rule << 16;
	f->last_rule = rule;
}

static bool is_padding(const struct cfi_table *cfi, u32 i)
{
	return cfi->rules[cfi->rows[i].rule].cfa_kind == CFI_NONE && i && i + 1 < cfi->n_rows &&
	       cfi->rows[i + 1].address - cfi->rows[i].address < PADDING;
}

static bool has_room(const struct unwind_tables *t, const struct unwind_file *f,
		     const struct cfi_table *cfi)
{
	return t->n_pages + f->n_pages + 1 <= t->most_pages &&
	       t->n_rows + cfi->n_rows + 1 + ROWS_SKIPPED <= UNWIND_N_ROWS;
}

/* On arm64 the linker's stubs have no call frame information, and only the first, which calls the
 * dynamic linker, changes a register that matters. */
static void add_stubs(struct filling *f, u64 from, u64 to)
{
	static const struct cfi_rule leaf = { .cfa_kind = CFI_SP };
	enum { FIRST = 32 };
	u64 start = f->stubs.address + FIRST, end = f->stubs.address + f->stubs.size;

	if (!UNWIND_HAS_LINK || f->stubs.size <= FIRST || start < from || end > to)
		return;
	add_row(f, start - f->file->base, rule_index(f->t, &leaf, f->is32));
	add_row(f, end - f->file->base, 0);
}

/*
 * Programs that start without call frame information (ld.so's _start, musl's) are entered at
 * e_entry: the first frame of the thread.
 */
static void add_uncovered(struct filling *f, u64 from, u64 to, u64 entry)
{
	static const struct cfi_rule first = { .cfa_kind = CFI_SP, .ra_kind = CFI_NOWHERE };
	enum { MAX_START = 128 };

	add_row(f, from - f->file->base, 0);
	add_stubs(f, from, to);
	if (entry < from || entry >= to)
		return;
	add_row(f, entry - f->file->base, rule_index(f->t, &first, f->is32));
	if (to - entry > MAX_START)
		add_row(f, entry + MAX_START - f->file->base, 0);
}

/* The row before the first page's first is "none": a search begins one row before its page. */
static void fill(struct unwind_tables *t, struct unwind_file *file, const struct cfi_table *cfi,
		 const struct elf *e)
{
	struct filling f = { .t = t, .file = file, .is32 = elf_is32(e), .row = t->n_rows };
	u64 entry = elf_entry(e);
	u32 *rule = xcalloc(cfi->n_rules, sizeof *rule); /* of each of cfi->rules */

	for (u32 i = 0; i < cfi->n_rules; i++)
		rule[i] = rule_index(t, &cfi->rules[i], f.is32);
	if (!elf_section(e, ".plt", &f.stubs))
		f.stubs.size = 0;
	rows(t)[f.row++] = 0;
	add_uncovered(&f, file->base, cfi->rows[1].address, entry);
	for (u32 i = 1; i < cfi->n_rows; i++) {
		const struct cfi_row *row = &cfi->rows[i];

		if (cfi->rules[row->rule].cfa_kind != CFI_NONE)
			add_row(&f, row->address - file->base, rule[row->rule]);
		else if (!is_padding(cfi, i))
			add_uncovered(&f, row->address,
				      i + 1 < cfi->n_rows ? row[1].address : ~0ull, entry);
	}
	free(rule);
	fill_pages(&f, file->n_pages);
	t->n_rows = f.row;
	t->n_pages += file->n_pages + 1;
}

void unwind_tables_add(struct unwind_tables *t, struct elf *e, struct unwind_file *out)
{
	struct cfi_table cfi;
	u64 to;

	*out = (struct unwind_file){ .pages = UNWIND_BY_FP_FILE };
	if (!cfi_build(&cfi, e))
		return;
	if (code_range(e, &cfi, &out->base, &to)) {
		out->n_pages = (u32)((to - out->base + PAGE - 1) >> UNWIND_PAGE_SHIFT);
		out->pages = has_room(t, out, &cfi) ? t->n_pages : (u32)UNWIND_NO_ROOM;
		if (out->pages != (u32)UNWIND_NO_ROOM)
			fill(t, out, &cfi, e);
	}
	cfi_release(&cfi);
}

const struct unwind_rule *unwind_tables_rule(const struct unwind_tables *t, u32 first, u64 offset)
{
	const u32 *page = pages(t) + first + (offset >> UNWIND_PAGE_SHIFT);
	u32 at = page[0] - 1, end = page[1];

	while (at + 1 < end && (rows(t)[at + 1] & 0xffff) <= (offset & 0xffff))
		at++;
	return rows(t)[at] >> 16 ? &rules(t)[rows(t)[at] >> 16] : NULL;
}

const struct unwind_rule *unwind_tables_at(const struct unwind_tables *t,
					   const struct unwind_file *f, u64 address)
{
	u64 offset = address - f->base;

	if (f->pages >= (u32)UNWIND_SPECIAL || offset >> UNWIND_PAGE_SHIFT >= f->n_pages)
		return NULL;
	return unwind_tables_rule(t, f->pages, offset);
}
