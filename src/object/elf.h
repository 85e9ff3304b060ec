/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of ELF files in native byte order, 64-bit or 32-bit, over a mapping of the file: nothing
 * is copied, every access is checked against the file's size. Returned strings and bytes live as
 * long as the struct elf.
 */
#ifndef SONDE_OBJECT_ELF_H
#define SONDE_OBJECT_ELF_H

#include "base/err.h"

struct elf;

struct elf_symbol {
	const char *name;
	u64 value; /* file virtual address */
	u64 size;
	u8 type, bind; /* STT_*, STB_* */
	u16 section;
};

struct elf_section {
	const char *name;
	u32 type; /* SHT_* */
	u64 flags, address, offset, size;
	const void *bytes; /* NULL if the file has none (SHT_NOBITS, truncated) */
};

struct elf_usdt {
	const char *provider, *name;
	const char *args;     /* "-4@%edi 8@-16(%rbp)" */
	u64 address;          /* of the probe's nop, prelink-adjusted */
	u64 offset;           /* the same as a file offset, for uprobes */
	u64 semaphore;        /* address, or 0 */
	u64 semaphore_offset; /* in the file, or 0 */
	/* enum usdt_kind of argument i in bits 4i to 4i + 3: from a note of <sonde/sonde.h>; 0:
	 * none */
	u64 kinds;
	u64 cold_path; /* address of the code that writes a record, or 0; likewise for its module */
	u64 module;
};
/* enum sonde_kind of include/sonde/sonde.h */
enum usdt_kind { USDT_SIGNED = 1, USDT_UNSIGNED, USDT_BOOL, USDT_FLOAT, USDT_POINTER, USDT_STRING };
static inline enum usdt_kind usdt_kind(u64 kinds, u32 arg)
{
	return (enum usdt_kind)(kinds >> 4 * arg & 15);
}

/* NULL with err set: missing, not ELF, unsupported class. */
struct elf *elf_open(const char *path, struct err *err);
/* The bytes are borrowed, not copied. */
struct elf *elf_from_bytes(const void *bytes, size_t len, struct err *err);
void elf_close(struct elf *e);
/* Gives back the pages that were read, after much of the file; what is read again is mapped
 * again. */
void elf_unmap_pages(struct elf *e);
/* What a user of the file learned about it: made at the first call, released with the file. */
void *elf_extra(struct elf *e, void *(*make)(void), void (*release)(void *extra));

u16 elf_machine(const struct elf *e); /* EM_* */
u16 elf_type(const struct elf *e);    /* ET_EXEC, ET_DYN */
bool elf_is32(const struct elf *e);
u64 elf_entry(const struct elf *e);
u32 elf_n_sections(const struct elf *e);
bool elf_section_at(const struct elf *e, u32 index, struct elf_section *out);
bool elf_section(const struct elf *e, const char *name, struct elf_section *out);
/* That which has the address, if its name begins so: ".plt" is .plt, .plt.got and .plt.sec. */
bool elf_section_around(const struct elf *e, u64 address, const char *prefix,
			struct elf_section *out);
/* The index-th executable PT_LOAD with its bytes. */
bool elf_code_segment(const struct elf *e, u32 index, struct elf_section *out);
/* Virtual address <-> file offset through PT_LOAD. False: not mapped. */
bool elf_address_to_offset(const struct elf *e, u64 address, u64 *offset);
/* The file virtual address that the loader stores at an address (R_X86_64_RELATIVE). */
bool elf_stored_address(const struct elf *e, u64 at, u64 *out);
bool elf_offset_to_address(const struct elf *e, u64 offset, u64 *address);
/*
 * Address of the first PT_LOAD, page aligned: a mapping's start minus this address is the load
 * bias.
 */
u64 elf_load_address(const struct elf *e);
/* Where the file's TLS block is; each thread-local variable is at an offset in the block. */
struct elf_tls {
	enum {
		TLS_BELOW,    /* thread pointer - distance */
		TLS_DISTANCE, /* thread pointer + the word at slot - distance */
		TLS_MODULE,   /* the word at slot is an index in the thread's vector */
	} how;
	u64 distance, slot; /* slot: file virtual address */
};

/* NULL, or the reason why it is unknown. */
const char *elf_tls(const struct elf *e, struct elf_tls *out);
/* NULL: none. */
const u8 *elf_build_id(const struct elf *e, u32 *len);
/* Of notes alone, as /sys/kernel/notes has them; points into them. */
const u8 *elf_notes_build_id(const void *notes, u64 len, u32 *id_len);
const char *elf_debuglink(const struct elf *e, u32 *crc);

/*
 * Defined symbol by name: .symtab, .dynsym, then the separate debug file. Functions win over data.
 */
bool elf_find(struct elf *e, const char *name, struct elf_symbol *out);
/*
 * Calls f for that symbol, then for other functions of the name: each source file may have a static
 * one. A nonzero return of f stops the walk and is returned.
 */
int elf_each_named(struct elf *e, const char *name, int (*f)(void *ctx, const struct elf_symbol *s),
		   void *ctx);
/* Copies of a function that the compiler specialized: NAME.constprop.0, NAME.isra.0 ... */
bool symbol_is_clone_of(const char *have, const char *name);
int elf_each_clone(struct elf *e, const char *name, int (*f)(void *ctx, const struct elf_symbol *s),
		   void *ctx);
/* The function (or other code symbol) that covers an address. */
bool elf_symbol_at(struct elf *e, u64 address, struct elf_symbol *out);
/* The function of .eh_frame that covers an address, in stripped files: nameless. */
bool elf_frame_at(struct elf *e, u64 address, struct elf_symbol *out);
/* A code symbol is in (lo, hi]. */
bool elf_symbol_within(struct elf *e, u64 lo, u64 hi);
/*
 * Calls f for functions whose name matches (glob; NULL: all), once for each (name, address), in
 * address order. Functions from .eh_frame are named by address, "0x1a40". A nonzero return of f
 * stops the walk and is returned.
 */
int elf_each_function(struct elf *e, const char *glob,
		      int (*f)(void *ctx, const struct elf_symbol *s), void *ctx);
/* USDT notes in file order. f as above. */
int elf_each_usdt(struct elf *e, int (*f)(void *ctx, const struct elf_usdt *u), void *ctx);
/* The sites named by records of <sonde/sonde.h>: only address, provider, name and kinds are set. */
int elf_each_record_site(struct elf *e, int (*f)(void *ctx, const struct elf_usdt *u), void *ctx);

/*
 * The file with the symbols, by build id or debug link, searched in dirs ("a:b"; relative ones are
 * relative to the file; NULL: /usr/lib/debug) and in debuginfod's cache; opened on first use and
 * owned by e. NULL: none.
 */
struct elf *elf_debug_file(struct elf *e);
/* The same; a missing file is requested from servers, once: see object/debuginfod.h. */
struct elf *elf_fetch_debug_file(struct elf *e);
/* The file's only symbol table, if any, is the dynamic one. */
bool elf_is_stripped(const struct elf *e);
void elf_debug_dirs(const char *dirs);
const char *elf_path(const struct elf *e);
const void *elf_bytes(const struct elf *e, size_t *len); /* the whole file */

#endif
