/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information as a table: for each address of a file's code, the rule that leads from a
 * function's registers to its caller's. Made from .eh_frame (DWARF 5, 6.4; System V ABI, x86-64,
 * "Unwinding"), which strip keeps, and .debug_frame, and for functions of Go, which have neither,
 * from Go's table of stack pointers (elf_go.c). It holds only what is needed to find the caller:
 * the canonical frame address (CFA), the frame pointer and the return address.
 */
#ifndef SONDE_OBJECT_CFI_H
#define SONDE_OBJECT_CFI_H

#include "object/elf.h"

/* The CFA, which is the caller's stack pointer. */
enum cfi_cfa {
	CFI_NONE,     /* no entry covers the address, or no kind below expresses its rule */
	CFI_SP,       /* sp + cfa */
	CFI_FP,       /* fp + cfa */
	CFI_SP_DEREF, /* *(sp + cfa) + add */
	CFI_FP_DEREF, /* *(fp + cfa) + add */
	CFI_PLT,      /* sp + a word, and one more if the low 4 bits of pc are at least add */
};

/* Where the caller's value of a register is. */
enum cfi_saved {
	CFI_SAME,    /* still in the register */
	CFI_AT_CFA,  /* *(CFA + offset) */
	CFI_AT_SP,   /* *(sp + offset): signal frames */
	CFI_AT_FP,   /* *(fp + offset): functions that align the stack */
	CFI_NOWHERE, /* return address: this is the thread's first frame; others: lost */
	CFI_OTHER,   /* no kind above expresses it; return address: Go changes the stack */
	CFI_IN_RDI,  /* return address: in rdi, where vfork() of glibc keeps it */
};

struct cfi_rule {
	u8 cfa_kind, fp_kind, ra_kind; /* enum cfi_cfa, cfi_saved, cfi_saved */
	bool is_signal;                /* the return address is the instruction to resume */
	s32 cfa, add;                  /* bytes */
	s32 fp, ra;                    /* bytes */
};

struct cfi_row {
	u64 address; /* file virtual address; valid up to the next row */
	u32 rule;    /* index in cfi_table.rules */
};

struct cfi_table {
	struct cfi_row *rows; /* by address; gaps between functions have a row of CFI_NONE */
	u32 n_rows;
	struct cfi_rule *rules; /* no duplicates; rules[0] is CFI_NONE */
	u32 n_rules;
};

/* Reads all entries of an x86 or arm64 file; false: the file has none. Release with
 * cfi_release(). */
bool cfi_build(struct cfi_table *t, struct elf *e);
void cfi_release(struct cfi_table *t);
/*
 * Calls f for each entry whose code is not entered by a call: its return address is not where a
 * call puts it. Parts that the compiler moved out of functions, signal trampolines, and the dynamic
 * linker's entry from the PLT.
 */
void cfi_each_without_call(const struct elf *e, void (*f)(void *ctx, u64 address), void *ctx);
/* The rule at an address; rules[0] if no entry covers it. */
const struct cfi_rule *cfi_at(const struct cfi_table *t, u64 address);

#endif
