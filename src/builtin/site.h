/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which site of a function fired. */
#ifndef SONDE_BUILTIN_SITE_H
#define SONDE_BUILTIN_SITE_H

#include "ir/lower.h"

/* Its number, an index into program.sites. */
struct opnd lower_site(struct lower *l);

#endif
