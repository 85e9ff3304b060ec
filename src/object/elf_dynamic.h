/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the dynamic linker reads in a file: the libraries it needs, the functions it exports and
 * imports, and the words of memory (GOT) that hold the addresses of the imported ones.
 */
#ifndef SONDE_OBJECT_ELF_DYNAMIC_H
#define SONDE_OBJECT_ELF_DYNAMIC_H

#include "object/elf.h"

/* Strings live as long as e; NULL: none. */
struct elf_dynamic {
	const char *soname;          /* DT_SONAME */
	const char *rpath, *runpath; /* directories, separated by colons */
};

void elf_dynamic(const struct elf *e, struct elf_dynamic *out);
/* DT_NEEDED, in order. A nonzero return of f stops the walk and is returned. */
int elf_each_needed(const struct elf *e, int (*f)(void *ctx, const char *name), void *ctx);
/* Functions of .dynsym that the file defines, including each version of a name. f as above. */
int elf_each_export(const struct elf *e, int (*f)(void *ctx, const struct elf_symbol *s),
		    void *ctx);
/* Undefined names of .dynsym: functions and untyped symbols. f as above. */
int elf_each_import(const struct elf *e, int (*f)(void *ctx, const char *name), void *ctx);
/*
 * Words that the dynamic linker sets to the address of a function: R_*_JUMP_SLOT and R_*_GLOB_DAT.
 * f as above.
 */
int elf_each_slot(const struct elf *e, int (*f)(void *ctx, u64 address, const char *name),
		  void *ctx);
/* The path of PT_INTERP: the dynamic linker. NULL: the program has none. */
const char *elf_interpreter(const struct elf *e);
/* The file virtual addresses of the file's segments: [*lo, *hi). False: it has none. */
bool elf_span(const struct elf *e, u64 *lo, u64 *hi);

#endif
