/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that have several implementations. */
#ifndef SONDE_PROVIDER_UIFUNC_H
#define SONDE_PROVIDER_UIFUNC_H

#include "object/elf.h"

/* The implementation of a function of the file that programs use on this processor; its name may be
 * "". False: not known, because the file is not the libc that sonde itself uses. */
bool uifunc_choice(const char *path, struct elf *e, const char *name, struct elf_symbol *chosen);

/*
 * Calls f for the addresses in the code of the resolver (x86-64: lea; arm64: adrp, add): each is an
 * implementation. A nonzero return of f stops the walk and is returned. *calls: it also calls
 * functions, so the choice may be outside the file (the vDSO).
 */
int uifunc_candidates(const struct elf *e, const struct elf_symbol *chooser,
		      int (*f)(void *ctx, u64 address), void *ctx, bool *calls);

#endif
