/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of the system: a sorted table (constants.def, from build-aux/gen-constants), searched.
 * */
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

/* First row that does not sort before the prefix. */
static u32 lower_bound(const char *prefix)
{
	u32 lo = 0, hi = ARRAY_SIZE(rows);

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (strcmp(rows[mid].name, prefix) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const char *constant_name(const char *prefix, s64 value)
{
	for (u32 i = lower_bound(prefix); i < ARRAY_SIZE(rows) && starts_with(rows[i].name, prefix);
	     i++)
		if (rows[i].value == value)
			return rows[i].name;
	return NULL;
}

/* Names of one word only, so that neither EPOLL_CTL_ADD is an error nor SIG_BLOCK a signal. */
static const char *one_word(const char *prefix, const char *but, s64 value)
{
	for (u32 i = lower_bound(prefix); i < ARRAY_SIZE(rows) && starts_with(rows[i].name, prefix);
	     i++)
		if (rows[i].value == value && !strchr(rows[i].name, '_') &&
		    !starts_with(rows[i].name, but))
			return rows[i].name;
	return NULL;
}

const char *errno_name(s64 value)
{
	return one_word("E", "EPOLL", value);
}

const char *signal_name(s64 value)
{
	return one_word("SIG", "SIGRTMAX", value);
}
