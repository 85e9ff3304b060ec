/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of themes, from index.h. */
#include "builtin/builtin.h"

const struct builtin_theme *const builtin_themes[] = {
#define T(name) &builtin_##name,
#include "builtin/index.h"
#undef T
	NULL,
};
