/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind tables of files in the memory that programs read (type/unwind.h). Memory is allocated
 * from its start and never freed.
 */
#ifndef SONDE_OBJECT_UNWIND_TABLE_H
#define SONDE_OBJECT_UNWIND_TABLE_H

#include "object/elf.h"
#include "type/unwind.h"

struct unwind_tables {
	u8 *memory;     /* UNWIND_SIZE bytes, zeroed; borrowed */
	u32 most_pages; /* that are used */
	u32 n_rules, n_pages, n_rows;
	u32 *slots; /* hash of rules: index, 0: empty */
};

/* A file's share of the tables. */
struct unwind_file {
	u64 base;  /* file virtual address of its first page */
	u32 pages; /* index of the first page, or enum unwind_special */
	u32 n_pages;
};

/* in_parts: the memory is elements of UNWIND_PART bytes. */
void unwind_tables_init(struct unwind_tables *t, void *memory, bool in_parts);
void unwind_tables_release(struct unwind_tables *t);
void unwind_tables_add(struct unwind_tables *t, struct elf *e, struct unwind_file *out);
/* The rule at an address of a file; NULL: no rule. */
const struct unwind_rule *unwind_tables_at(const struct unwind_tables *t,
					   const struct unwind_file *f, u64 address);
/* The same, by a file's first page and the offset from its base; the offset must be within its
 * pages. */
const struct unwind_rule *unwind_tables_rule(const struct unwind_tables *t, u32 pages, u64 offset);

#endif
