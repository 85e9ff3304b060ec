/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each table is one text without pointers, which a position-independent program would relocate at
 * each start: of each row the name, what it is by and its text, each ended by NUL; then an empty
 * name.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "sym/callrows.h"

#define NO_PREFIX "-"

#define A(name, prefix, text)
#define K(name, text)
#define M(protocol, head, payload)

static const char structs[] =
#define S(name, size, text) #name "\0" #size "\0" text "\0"
#define N(name, by, text)
#include "sym/callstructs.def"
#include "sym/netlink.def"
	;
#undef S
#undef N

static const char choices[] =
#define S(name, size, text)
#define N(name, by, text) #name "\0" by "\0" text "\0"
#include "sym/callstructs.def"
#include "sym/netlink.def"
	;
#undef N
#undef A
#undef K

static const char attrs[] =
#define N(name, by, text)
#define A(name, prefix, text) #name "\0" prefix "\0" text "\0"
#define K(name, text) #name "\0" NO_PREFIX "\0" text "\0"
#include "sym/netlink.def"
	;

static const char *next(const char **at)
{
	const char *s = *at;

	*at += strlen(s) + 1;
	return s;
}

static void read_rows(struct hash *rows, const char *at)
{
	static struct arena all;

	while (*at) {
		struct call_row *row = arena_new(&all, struct call_row);

		row->name = next(&at);
		row->by = next(&at);
		row->text = next(&at);
		if (streq(row->by, NO_PREFIX))
			row->by = NULL;
		hash_puts(rows, row->name, row);
	}
}

const struct call_row *call_row(enum call_table table, const char *name)
{
	static const char *const texts[] = {
		[CALL_STRUCTS] = structs, [CALL_CHOICES] = choices, [CALL_ATTRS] = attrs
	};
	static struct hash rows[N_CALL_TABLES];

	if (!rows[table].n)
		read_rows(&rows[table], texts[table]);
	return hash_gets(&rows[table], name);
}
