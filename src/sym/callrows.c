/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables are one packed text (sym/packed.def), read when the first row is looked up. */
#include "base/arena.h"
#include "base/hash.h"
#include "base/packed.h"
#include "sym/callrows.h"

#define NO_PREFIX "-"

extern const struct packed_data call_texts;

static const char *next(const char **at)
{
	const char *s = *at;

	*at += strlen(s) + 1;
	return s;
}

/* The rows up to an empty name, which it passes. */
static const char *read_rows(struct arena *a, struct hash *rows, const char *at)
{
	while (*at) {
		struct call_row *row = arena_new(a, struct call_row);

		row->name = next(&at);
		row->by = next(&at);
		row->text = next(&at);
		if (streq(row->by, NO_PREFIX))
			row->by = NULL;
		if (hash_gets(rows, row->name))
			BUG("two rows are %s", row->name);
		hash_puts(rows, row->name, row);
	}
	return at + 1;
}

const struct call_row *call_row(enum call_table table, const char *name)
{
	static struct hash rows[N_CALL_TABLES];
	static struct arena all;

	if (!rows[0].n) {
		const char *at = unpack(&call_texts);

		for (u32 i = 0; i < N_CALL_TABLES; i++)
			at = read_rows(&all, &rows[i], at);
	}
	return hash_gets(&rows[table], name);
}
