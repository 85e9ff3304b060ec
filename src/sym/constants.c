/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookup in the sorted table of system constants (constants.def, from build-aux/gen-constants). */
#include <stdlib.h>
#include "sym/constants.h"

#if defined(__aarch64__)
#define PICK(x86, arm64) (arm64)
#else
#define PICK(x86, arm64) (x86)
#endif

/*
 * The names in one block, with offsets instead of pointers: in a position-independent program 50 KB
 * of pointers would be relocated, and so copied, at each start.
 */
static const struct {
#define C(name, value) char at_##name[sizeof(#name)];
#define A(name, x86, arm64) char at_##name[sizeof(#name)];
#include "sym/constants.def"
#undef C
#undef A
} names = {
#define C(name, value) #name,
#define A(name, x86, arm64) #name,
#include "sym/constants.def"
#undef C
#undef A
};

static const struct row {
	s64 value;
	u32 name; /* offset in names */
} rows[] = {
#define C(name, value) { value, offsetof(typeof(names), at_##name) },
#define A(name, x86, arm64) { PICK(x86, arm64), offsetof(typeof(names), at_##name) },
#include "sym/constants.def"
#undef C
#undef A
};

static const char *name_of(const struct row *row)
{
	return (const char *)&names + row->name;
}

static int by_name(const void *key, const void *row)
{
	return strcmp(key, name_of(row));
}

bool constant_find(const char *name, s64 *value)
{
	const struct row *row = bsearch(name, rows, ARRAY_SIZE(rows), sizeof(rows[0]), by_name);

	if (row)
		*value = row->value;
	return row != NULL;
}

u32 constants_count(void)
{
	return ARRAY_SIZE(rows);
}

const char *constant_name(u32 i)
{
	return i < ARRAY_SIZE(rows) ? name_of(&rows[i]) : NULL;
}
