/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a probe in a program or library is, in its file and in the process. */
#ifndef SONDE_BUILTIN_USER_SITE_H
#define SONDE_BUILTIN_USER_SITE_H

#include "ir/lower.h"

/* Whether user_site_ip() is known here. */
bool user_site_has_ip(const struct check *c);
/* The address of the instruction that is probed; at a return: of the function's first. */
struct opnd user_site_ip(struct lower *l);
/* PLACE_* of the site. */
struct opnd user_site_word(struct lower *l, u32 word);

#endif
