/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vocabulary: one line for each theme, in index.h. */
#include "builtin/builtin.h"

const struct builtin_theme *const builtin_themes[] = {
#define T(name) &builtin_##name,
#include "builtin/index.h"
#undef T
	NULL,
};
