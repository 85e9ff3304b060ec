/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache of source positions: for an address in a file, the functions whose code is there, with
 * their lines. Rows of a map share most of their frames, and reading debug information is slow. At
 * most tens of megabytes: a full cache is emptied.
 */
#ifndef SONDE_SYM_PLACES_H
#define SONDE_SYM_PLACES_H

#include "base/hash.h"
#include "sym/usym.h"

struct dwarf;

struct places;

struct place_list {
	u32 n;               /* 0: the address has no debug information */
	struct usource at[]; /* the innermost function first */
};

struct places *places_new(void);
void places_free(struct places *p);
/* The cached list of an address in the file with that number; NULL: not in the cache. */
const struct place_list *places_find(const struct places *p, u32 file, u64 pc);
/*
 * Reads the list from the debug information (NULL: there is none) and caches it; show() turns a
 * function's name into what is shown. Invalidates lists of earlier calls.
 */
const struct place_list *places_add(struct places *p, u32 file, u64 pc, struct dwarf *d,
				    const char *(*show)(void *ctx, const char *name), void *ctx);

#endif
