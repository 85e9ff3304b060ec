/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lookup in the sorted table of system constants (constants.def, from build-aux/gen-constants),
 * which is unpacked for the first name.
 */
#include <stdlib.h>
#include "base/arena.h"
#include "base/packed.h"
#include "sym/constants.h"

extern const struct packed_data constant_texts;

struct row {
	const char *name;
	s64 value;
};

static VEC(struct row) rows;

static void read_rows(void)
{
	static struct arena all;
	const char *at = rows.n ? "" : unpack(&constant_texts);

	while (*at) {
		const char *value = at + strlen(at) + 1;

		vec_push(&all, &rows,
			 (struct row){ at, streq(value, "INT64_MIN") ? INT64_MIN :
								       strtoll(value, NULL, 10) });
		at = value + strlen(value) + 1;
	}
}

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct row *)row)->name);
}

bool constant_find(const char *name, s64 *value)
{
	const struct row *row;

	read_rows();
	row = bsearch(name, rows.v, rows.n, sizeof rows.v[0], by_name);
	if (row)
		*value = row->value;
	return row != NULL;
}

u32 constants_count(void)
{
	read_rows();
	return (u32)rows.n;
}

const char *constant_name(u32 i)
{
	read_rows();
	return i < rows.n ? rows.v[i].name : NULL;
}
