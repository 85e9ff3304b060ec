/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which site of a function fired. */
#ifndef SONDE_BUILTIN_SITE_H
#define SONDE_BUILTIN_SITE_H

#include "ir/lower.h"

/* Its number, an index into program.sites. */
struct opnd lower_site(struct lower *l);
/* Rows of a table by site, those of later sites included: a power of two, at least 2. */
u32 site_rows(const struct lower *l);

#endif
