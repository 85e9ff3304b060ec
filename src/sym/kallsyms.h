/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols: /proc/kallsyms, read in full on first use, sorted by address. Names point
 * into the text and live as long as the table.
 */
#ifndef SONDE_SYM_KALLSYMS_H
#define SONDE_SYM_KALLSYMS_H

#include "base/err.h"

struct kallsyms;

struct ksym {
	const char *name;
	const char *module; /* "vmlinux" symbols: NULL; else "xfs", "bpf", ... */
	u64 address;
	u64 offset; /* of the address that was looked up, from the symbol's start */
	char type;  /* as nm(1): t T d D ... */
};

/* path NULL: /proc/kallsyms. Reads nothing yet. Never NULL. */
struct kallsyms *kallsyms_new(const char *path);
void kallsyms_free(struct kallsyms *k);
/* Reads the table now. 0, or -errno; -EPERM if the kernel hides addresses (kptr_restrict). */
int kallsyms_load(struct kallsyms *k, struct err *err);
u32 kallsyms_count(struct kallsyms *k);
/* The symbol that covers an address; false: none. */
bool kallsyms_lookup(struct kallsyms *k, u64 address, struct ksym *out);
/* The table is read and the address is in the kernel image, where symbols do not change. */
bool kallsyms_is_fixed(struct kallsyms *k, u64 address);
/* By name; module NULL: any, "vmlinux": only the kernel itself. The lowest address wins. */
bool kallsyms_find(struct kallsyms *k, const char *name, const char *module, struct ksym *out);
/* Calls f for all symbols of a name, unordered; module as above. A nonzero return of f stops the
 * walk. */
void kallsyms_each_named(struct kallsyms *k, const char *name, const char *module,
			 int (*f)(void *ctx, const struct ksym *s), void *ctx);
/* The name occurs more than once (among functions of that module). */
u32 kallsyms_occurrences(struct kallsyms *k, const char *name, const char *module);
/*
 * Calls f for all symbols by ascending address, or in the kernel's order if it hides addresses. A
 * nonzero return of f stops the walk and is returned.
 */
int kallsyms_each(struct kallsyms *k, int (*f)(void *ctx, const struct ksym *s), void *ctx);
static inline bool ksym_is_text(const struct ksym *s)
{
	return s->type == 't' || s->type == 'T' || s->type == 'w' || s->type == 'W';
}

#endif
