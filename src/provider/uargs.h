/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed parameters, results and variables of user-space code: what debug information provides for a
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
	/* the stack pointer at the moved site, relative to the one at the entry */
	s32 sp;
	bool one_file;     /* the probe names one file: its types are in scope */
	bool many;         /* one of several functions: only what is used is described */
	bool typed_result; /* typed nevertheless: the functions share a name, not a pattern */
	/* an address other than a function's entry, perhaps in an inlined copy */
	bool inner;
};

/* The profile for a site: base itself if no types are needed, else a copy that has the function's
 * parameters (args), the variables that are read (vars) and the result (retval). */
struct profile *uargs_profile(struct provider_env *env, struct profile *base,
			      struct uargs_site *site);

/* Debug information of a file by the registers of its machine (e_machine); NULL with err. */
struct dwarf *uargs_open(const char *path, u16 machine, struct err *err);

#endif
