/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by elf.c (the file), elf_symbol.c and elf_notes.c; nobody else includes it. */
#ifndef SONDE_SYM_ELF_FILE_H
#define SONDE_SYM_ELF_FILE_H

#include <elf.h>
#include "sym/elf.h"

struct elf_code { /* one function, for searches by address */
	u64 value, size;
	u32 index; /* in its symbol table */
	u8 table;  /* 0 .symtab, 1 .dynsym */
	u8 rank;   /* of several at one address the greatest is shown */
};

struct elf_table { /* a symbol table and its strings, inside the file */
	const Elf64_Sym *sym;
	u32 n;
	const char *strings;
	u64 strings_len;
};

struct elf {
	const u8 *bytes;
	u64 len;
	bool mapped;
	char *path;
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segment;
	u32 n_segments;
	const Elf64_Shdr *section;
	u32 n_sections;
	const char *names; /* section names */
	u64 names_len;
	struct elf_table table[2];
	struct elf_code *code; /* by value; built on first need */
	u32 n_code;
	bool code_built;
	struct elf *debug;
	bool debug_tried;
};

/* len bytes at offset, or NULL when the file ends before. */
const void *elf_at(const struct elf *e, u64 offset, u64 len);
/* A NUL-terminated string within a table, or NULL. */
const char *elf_string(const char *table, u64 table_len, u64 offset);
void elf_find_tables(struct elf *e);
/* Symbol of a table as people see it; false: undefined, nameless, no code nor data. */
bool elf_table_symbol(const struct elf_table *t, u32 i, struct elf_symbol *out);

#endif
