/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compact tables beside the rows that they are made from: at the first, the last and a middle
 * byte of each row both must give the same rule. Several files share one memory.
 */
#include <unistd.h>
#include "object/cfi.h"
#include "object/unwind_table.h"
#include "tap.h"

static bool same(const struct unwind_rule *r, const struct cfi_rule *c)
{
	if (c->cfa_kind == CFI_NONE)
		return !r;
	return r && r->cfa_kind == c->cfa_kind && r->fp_kind == c->fp_kind &&
	       r->ra_kind == c->ra_kind && r->is_signal == c->is_signal && r->cfa == c->cfa &&
	       r->add == c->add && r->fp == c->fp && r->ra == c->ra;
}

/* With a link register: fp and the return address are one record, or both still in registers. */
static bool saved_is_right(const struct unwind_rule *r, u32 saved)
{
	s32 at = saved == UNWIND_SAVED_LAST ? -r->cfa : -(s32)(saved + 1) * 8;

	if (!UNWIND_HAS_LINK)
		return r->ra_kind == CFI_AT_CFA && r->ra == -8 &&
		       (saved ? r->fp_kind == CFI_AT_CFA && r->fp == -(s32)(saved + 1) * 8 :
				r->fp_kind == CFI_SAME);
	if (!saved)
		return r->fp_kind == CFI_SAME && r->ra_kind == CFI_SAME;
	return r->fp_kind == CFI_AT_CFA && r->ra_kind == CFI_AT_CFA && r->fp == at &&
	       r->ra == at + 8;
}

/* What step_simple() of builtin/unwind.c reads from the 16 bits. */
static bool simple_is_right(const struct unwind_rule *r)
{
	u32 s = r->simple;

	return !s || ((r->cfa_kind == CFI_FP) == (s & 1) && r->cfa == (s32)(s >> 1 & 1023) * 8 &&
		      saved_is_right(r, s >> 11 & 31) && !r->is_signal);
}

/* The linker's stubs of arm64 have no information and change no register that matters. */
static bool is_stub(const struct unwind_rule *r)
{
	return UNWIND_HAS_LINK && r && r->cfa_kind == CFI_SP && !r->cfa && r->fp_kind == CFI_SAME &&
	       r->ra_kind == CFI_SAME;
}

/* Where a program starts without information, its first frame. */
static bool is_start(const struct unwind_rule *r, u64 at, u64 entry)
{
	return at >= entry && at < entry + 128 && r && r->ra_kind == CFI_NOWHERE;
}

static bool compare(const struct unwind_tables *t, const struct unwind_file *f,
		    const struct cfi_table *cfi, u64 entry)
{
	for (u32 i = 1; i + 1 < cfi->n_rows; i++) {
		u64 at = cfi->rows[i].address, len = cfi->rows[i + 1].address - at;
		const struct cfi_rule *rule = &cfi->rules[cfi->rows[i].rule];
		u64 try[] = { at, at + len / 2, at + len - 1 };

		if (rule->cfa_kind == CFI_NONE && len < 16)
			continue; /* padding between functions belongs to the one before */
		for (u32 k = 0; k < ARRAY_SIZE(try); k++) {
			const struct unwind_rule *r = unwind_tables_at(t, f, try[k]);

			if (rule->cfa_kind == CFI_NONE &&
			    (is_start(r, try[k], entry) || is_stub(r)))
				continue;
			if (!same(r, rule) || (r && !simple_is_right(r))) {
				printf("# at 0x%llx\n", (unsigned long long)try[k]);
				return false;
			}
		}
	}
	return true;
}

static void file(struct unwind_tables *t, const char *path)
{
	struct err err = { 0 };
	struct elf *e = elf_open(path, &err);
	struct cfi_table cfi;
	struct unwind_file f;
	u32 rows;

	if (t->n_rows > UNWIND_N_ROWS / 2) {
		void *memory = t->memory;

		unwind_tables_release(t);
		memset(memory, 0, UNWIND_SIZE);
		unwind_tables_init(t, memory, false);
	}
	rows = t->n_rows;
	if (!e || !cfi_build(&cfi, e)) {
		printf("ok %d - %s # SKIP no such file here\n", ++tap_run, path);
		elf_close(e);
		err_release(&err);
		return;
	}
	unwind_tables_add(t, e, &f);
	ok(f.pages < (u32)UNWIND_SPECIAL && compare(t, &f, &cfi, elf_entry(e)), "%s: %u rows of %u",
	   path, t->n_rows - rows, cfi.n_rows);
	ok(!unwind_tables_at(t, &f, f.base + ((u64)f.n_pages << UNWIND_PAGE_SHIFT)),
	   "nothing past its end");
	ok(!unwind_tables_at(t, &f, f.base - 1), "nothing before its start");
	cfi_release(&cfi);
	elf_close(e);
}

/* A file whose rows are in two parts: those of a page are in one. */
static void two_parts(struct unwind_tables *t, u32 before)
{
	struct err err = {};
	struct elf *e = elf_open("/bin/bash", &err);
	struct cfi_table cfi;
	struct unwind_file f;
	const u32 *pages = (const u32 *)(const void *)(t->memory + UNWIND_PAGES);
	u32 astray = 0, crossed = 0;

	t->n_rows = UNWIND_PART_ROWS - before;
	if (!e || !cfi_build(&cfi, e))
		return;
	unwind_tables_add(t, e, &f);
	for (u32 i = f.pages; i < f.pages + f.n_pages; i++) {
		u32 last = pages[i] - 1 + (1u << UNWIND_PAGE_SHIFT);

		astray += (pages[i] - 1) / UNWIND_PART_ROWS != last / UNWIND_PART_ROWS;
		crossed += (pages[i] - 1) / UNWIND_PART_ROWS !=
			   (pages[i + 1] - 1) / UNWIND_PART_ROWS;
	}
	is_int(astray, 0, "%u rows before the end of a part: no search leaves its part", before);
	is_int(crossed, 1, "one page is the last of the first part");
	ok(compare(t, &f, &cfi, elf_entry(e)), "the same rules");
	cfi_release(&cfi);
	elf_close(e);
}

/* A file that does not fit leaves the others as they are. */
static void full(struct unwind_tables *t)
{
	struct err err = { 0 };
	struct elf *e = elf_open("/proc/self/exe", &err);
	struct unwind_file f;
	u32 rows = t->n_rows;

	t->n_rows = UNWIND_N_ROWS - 2;
	unwind_tables_add(t, e, &f);
	is_int(f.pages, UNWIND_NO_ROOM, "no room for rows");
	is_int(t->n_rows, UNWIND_N_ROWS - 2, "nothing was added");
	t->n_rows = rows;
	t->most_pages = t->n_pages + 1;
	unwind_tables_add(t, e, &f);
	is_int(f.pages, UNWIND_NO_ROOM, "no room for pages");
	t->most_pages = UNWIND_N_PAGES;
	elf_close(e);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = { "/proc/self/exe", "/bin/bash", "/usr/bin/perl",
					     "/lib/x86_64-linux-gnu/libc.so.6",
					     "/lib/x86_64-linux-gnu/libcrypto.so.3" };
	void *memory = xcalloc(1, UNWIND_SIZE);
	struct unwind_tables t;

	unwind_tables_init(&t, memory, false);
	for (int i = 1; i < argc; i++)
		file(&t, argv[i]);
	for (u32 i = 0; argc == 1 && i < ARRAY_SIZE(usual); i++)
		file(&t, usual[i]);
	for (u32 before = 600; before <= 1500; before += 300)
		two_parts(&t, before);
	full(&t);
	unwind_tables_release(&t);
	free(memory);
	return done();
}
