/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache of source places: what it finds again, and that it is emptied before it grows without
 * end. */
#include "sym/places.h"
#include "tap.h"

static const char *show(void *ctx, const char *name)
{
	return name;
}

int main(void)
{
	enum { MANY = 3000000, MOST = 1500000 };
	struct places *p = places_new();
	u32 n = 0;

	ok(!places_find(p, 1, 42), "nothing yet");
	ok(!places_add(p, 1, 42, NULL, show, NULL)->n, "no debug information: an empty list");
	ok(places_find(p, 1, 42), "which is kept");
	ok(!places_find(p, 2, 42) && !places_find(p, 1, 43), "for that address of that file");
	for (u64 pc = 0; pc < MANY; pc++)
		places_add(p, 7, pc, NULL, show, NULL);
	ok(!places_find(p, 1, 42), "the oldest are forgotten");
	ok(places_find(p, 7, MANY - 1), "the newest is not");
	for (u64 pc = 0; pc < MANY; pc++)
		n += places_find(p, 7, pc) != NULL;
	ok(n && n < MOST, "%u are kept", n);
	places_free(p);
	return done();
}
