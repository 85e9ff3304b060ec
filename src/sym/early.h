/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a command is held: after the dynamic linker has mapped and relocated all files, and before
 * any code of them runs. It calls a function for debuggers then, as <link.h> describes.
 */
#ifndef SONDE_SYM_EARLY_H
#define SONDE_SYM_EARLY_H

#include "base/base.h"

struct early {
	/* in the dynamic linker: called at changes, a word: 0 when they are over */
	u64 function, state;
};
/* linker: a path. */
bool early_find(const char *linker, struct early *out);
/* Whether a program has a dynamic linker for which that holds. */
bool early_is_possible(const char *program);

#endif
