/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source places of code that were looked up: for an address in a file, the functions whose code is
 * there with their lines. Rows of a map share most of their frames, and debug information is slow
 * to read. Holds at most tens of megabytes: a full cache is emptied.
 */
#ifndef SONDE_SYM_PLACES_H
#define SONDE_SYM_PLACES_H

#include "base/hash.h"
#include "sym/usym.h"

struct dwarf;

struct places; /* a cache */

struct place_list {
	u32 n;               /* 0: no debug information covers the address */
	struct usource at[]; /* the innermost function first */
};

struct places *places_new(void);
void places_free(struct places *p);
/* The list of an address in the file with that number, or NULL. */
const struct place_list *places_find(const struct places *p, u32 file, u64 pc);
/*
 * Reads the list from the debug information (NULL: there is none) and keeps it; show() makes the
 * name of a function for people. Lists of earlier calls are no longer valid.
 */
const struct place_list *places_add(struct places *p, u32 file, u64 pc, struct dwarf *d,
				    const char *(*show)(void *ctx, const char *name), void *ctx);

#endif
