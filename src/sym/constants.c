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
 * Names are one block, with offsets instead of pointers: 50 KB of pointers in a
 * position-independent program would be relocated, and thus copied, at each start.
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

/* The upper half of each value fits in 16 bits, or is INT32_MIN or INT32_MAX. */
#define HIGH(value)                                                                                \
	(((value) >> 32) == INT32_MAX ? INT16_MAX :                                                \
	 ((value) >> 32) == INT32_MIN ? INT16_MIN :                                                \
					((value) >> 32))

static const struct row {
	u32 low;
	s16 high;
	u16 name; /* offset in names */
} rows[] = {
#define HALVES(value) (u32)(value), (s16)HIGH((s64)(value))
#define C(name, value) { HALVES(value), offsetof(typeof(names), at_##name) },
#define A(name, x86, arm64) { HALVES(PICK(x86, arm64)), offsetof(typeof(names), at_##name) },
#include "sym/constants.def"
#undef C
#undef A
};
_Static_assert(sizeof names <= UINT16_MAX, "an offset has 16 bits");
#define C(name, value)                                                                             \
	_Static_assert(HIGH((s64)(value)) >= INT16_MIN && HIGH((s64)(value)) <= INT16_MAX,         \
		       "a value has 48 bits");
#define A(name, x86, arm64) C(name, x86) C(name, arm64)
#include "sym/constants.def"
#undef A
#undef C

static s64 value_of(const struct row *row)
{
	s64 high = row->high == INT16_MAX ? INT32_MAX :
		   row->high == INT16_MIN ? INT32_MIN :
					    row->high;

	return (s64)((u64)high << 32 | row->low);
}

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
	const struct row *row = bsearch(name, rows, ARRAY_SIZE(rows), sizeof rows[0], by_name);

	if (row)
		*value = value_of(row);
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
