/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed parameters, results and variables of user-space code: what debug information adds to a
 * uprobe. */
#ifndef SONDE_PROVIDER_UARGS_H
#define SONDE_PROVIDER_UARGS_H

#include "provider/internal.h"

struct dwarf;
struct elf;

struct uargs_site {
	const char *path; /* to open */
	const struct elf *elf;
	/* in the file; may be moved after the prologue, or before the registers are restored */
	u64 offset;
	s32 sp;            /* then the stack pointer there, from the one at the entry */
	bool one_file;     /* the probe names one file: its types are in scope */
	bool many;         /* there are other functions: only what is used is described */
	bool typed_result; /* nevertheless: they share a name, not a pattern */
	bool inner;        /* an address, perhaps in an inlined copy, not a function's entry */
};

/* The profile for a site: base itself if no types are needed, else a copy that knows the
 * function's parameters (args), the variables that are read (vars) and the result (retval). */
struct profile *uargs_profile(struct provider_env *env, struct profile *base,
			      struct uargs_site *site);

/* Debug information of a file by the registers of its machine (e_machine); NULL with err. */
struct dwarf *uargs_open(const char *path, u16 machine, struct err *err);

#endif
