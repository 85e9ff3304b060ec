/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that have several implementations. */
#ifndef SONDE_PROVIDER_UIFUNC_H
#define SONDE_PROVIDER_UIFUNC_H

#include "object/elf.h"

/* The implementation of a function of the file that programs use on this processor; its name may be
 * "". False: not known, because the file is not the libc that we run with ourselves. */
bool uifunc_choice(const char *path, struct elf *e, const char *name, struct elf_symbol *chosen);

#endif
