/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private declarations of elf*.c. */
#ifndef SONDE_OBJECT_ELF_FILE_H
#define SONDE_OBJECT_ELF_FILE_H

#include <elf.h>
#include <sys/stat.h>
#include "object/elf.h"

struct elf_code { /* one function, for searches by address */
	u64 value, size;
	u32 index; /* in its symbol table */
	u8 table;  /* 0 .symtab, 1 .dynsym */
	u8 rank;   /* the highest of several at one address is shown */
};

struct elf_table { /* a symbol table and its strings, inside the file */
	const Elf64_Sym *sym;
	u32 n;
	const char *strings;
	u64 strings_len;
	const u16 *version; /* of each symbol (.gnu.version), or NULL */
	/* Chains of symbols by name, from the lookup ASKED_OFTEN on: the first of each by its hash,
	 * the next by symbol; numbers from 1. */
	struct elf_chains {
		u32 *first, *next, mask, n_asked;
	} * chains;
};

struct elf {
	const u8 *bytes;
	u64 len;
	struct {
		bool is;
		char *path;
		struct stat st; /* of the file then */
	} mapped;
	struct elf_extra {
		void *of; /* NULL: none */
		void (*release)(void *of);
	} extra;
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
	bool debug_tried, fetch_tried;
	struct elf *mini; /* .gnu_debugdata */
	bool mini_tried;
	void *unpacked;         /* decompressed contents of this file, to be freed */
	struct elf_code *frame; /* functions of .eh_frame, by value; built on first need */
	u32 n_frames;
	bool frames_built;
	char *frame_names;
	/* 64-bit copies of a 32-bit file's structures; NULL otherwise */
	void *own_header, *own_segment, *own_section, *own_symbols[2];
};

void elf_chains_release(struct elf_table *t);
/* len bytes at offset, or NULL past the end of the file. */
const void *elf_at(const struct elf *e, u64 offset, u64 len);
/* A NUL-terminated string within a table, or NULL. */
const char *elf_string(const char *table, u64 table_len, u64 offset);
/* The symbols compressed in the file itself (.gnu_debugdata); owned by e. NULL: none. */
struct elf *elf_mini_file(struct elf *e);
/* Symbols from the Go runtime's tables, over the bytes of e. NULL: e is not a Go program. */
struct elf *elf_go_symbols(const struct elf *e);
enum elf_go_kind {
	/* a function with a frame saves the caller's frame pointer below the return address */
	ELF_GO_COMPILED,
	ELF_GO_ASSEMBLY, /* may save it elsewhere */
	ELF_GO_FIRST,    /* of a thread or a goroutine: it has no caller */
	ELF_GO_SWITCH,   /* may have switched to another stack */
	ELF_GO_SIGNAL,   /* signal handlers return to its first byte */
};
/* A function of a Go program for x86-64, with the bytes pushed since its entry, by address. */
struct elf_go_function {
	u64 start, end;
	enum elf_go_kind kind;
	/*
	 * Pairs of numbers as ULEB128: the change of the bytes on the stack, zigzag (the first one
	 * begins at -1), and the number of bytes of code for which it holds. A change of 0, except
	 * the first, ends them. NULL: not known.
	 */
	const u8 *deltas, *deltas_end;
};
void elf_each_go_function(const struct elf *e,
			  void (*f)(void *ctx, const struct elf_go_function *function), void *ctx);
/* Iterates over the loader's relocations of a 64-bit file: zeroed before first use; false: the
 * end. */
struct elf_relocations {
	struct elf_section of;
	u32 n_sections; /* seen */
	u64 next;       /* offset in `of` */
};
bool elf_relocation_next(const struct elf *e, struct elf_relocations *at, Elf64_Rela *out);
/* An FDE of .eh_frame: a code range and its frame rules. */
struct elf_fde {
	u64 start, size;
	const u8 *initial, *insns; /* DW_CFA_*: the CIE's, then its own */
	u32 n_initial, n_insns;    /* bytes */
	u32 code_align, return_reg;
	s32 data_align;
	bool is_signal; /* a signal frame: the handler returns into it */
};
/* In file order; unsupported entries are skipped. */
void elf_each_fde(const struct elf *e, void (*f)(void *ctx, const struct elf_fde *fde), void *ctx);
/* The number of functions in .eh_frame; e->frame lists them. */
u32 elf_n_frames(struct elf *e);
/* 32-bit files. */
bool elf32_header(struct elf *e);
void elf32_segments(struct elf *e);
void elf32_sections(struct elf *e);
const Elf64_Sym *elf32_symbols(struct elf *e, u32 table, const Elf64_Shdr *s, u32 *n);
void elf_find_tables(struct elf *e);

#endif
