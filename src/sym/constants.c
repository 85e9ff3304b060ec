/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of the system: a sorted table (constants.def, from build-aux/gen-constants), searched. */
#include <stdlib.h>
#include "sym/constants.h"

#if defined(__aarch64__)
#define PICK(x86, arm64) (arm64)
#else
#define PICK(x86, arm64) (x86)
#endif

static const struct constant rows[] = {
#define C(name, value) { #name, value },
#define A(name, x86, arm64) { #name, PICK(x86, arm64) },
#include "sym/constants.def"
#undef C
#undef A
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct constant *)row)->name);
}

const struct constant *constant_find(const char *name)
{
	return bsearch(name, rows, ARRAY_SIZE(rows), sizeof(rows[0]), by_name);
}

u32 constants_count(void)
{
	return ARRAY_SIZE(rows);
}

const struct constant *constant_at(u32 i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}
