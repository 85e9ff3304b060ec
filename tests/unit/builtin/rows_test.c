/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every row of the vocabulary is whole: texts, a signature that parses, one way to become code. */
#include "builtin/builtin.h"
#include "lang/sig.h"
#include "tests/unit/tap.h"

static bool becomes_code(const struct builtin *b)
{
	return b->lower || b->lower_update || b->check;
}

static void test_texts(const struct builtin *b)
{
	bool refused = !b->lower && !b->lower_update && !(b->flags & BI_CONST);

	ok(b->brief && *b->brief && !strchr(b->brief, '\n'), "%s: a brief text of one line",
	   b->name);
	ok(b->doc && *b->doc, "%s: documentation", b->name);
	ok(b->example && (*b->example || refused), "%s: an example", b->name);
	ok(b->engines && !(b->engines & ~(u32)ON_ALL), "%s: engines", b->name);
	ok(becomes_code(b), "%s: a way to become code", b->name);
	ok(!(b->flags & BI_AGGREGATE) == !b->lower_update,
	   "%s: aggregations and only they update maps", b->name);
	ok(!b->action || b->lower, "%s: an action has something to act on", b->name);
}

static void test_sig(struct arena *a, const struct builtin *b)
{
	const char *error = NULL;
	struct sig sig;
	bool good = sig_parse(a, b->sig, &sig, &error);

	ok(good, "%s: \"%s\" parses%s%s", b->name, b->sig, good ? "" : ": ", good ? "" : error);
	ok(starts_with(b->sig, b->name), "%s: the signature begins with the name", b->name);
	if (good && (b->flags & BI_VARIABLE))
		ok(!sig.n_required, "%s: a variable needs no arguments", b->name);
	if (good && (b->flags & BI_STATEMENT))
		ok(!*sig.result, "%s: a statement has no result", b->name);
}

static const struct builtin *find(const char *name, u32 *n)
{
	const struct builtin *found = NULL;

	*n = 0;
	for (u32 t = 0; builtin_themes[t]; t++)
		for (u32 i = 0; i < builtin_themes[t]->n; i++)
			if (streq(builtin_themes[t]->rows[i].name, name)) {
				found = &builtin_themes[t]->rows[i];
				++*n;
			}
	return found;
}

static void test_name(const struct builtin *b)
{
	const struct builtin *now;
	u32 n;

	find(b->name, &n);
	is_int(n, 1, "%s: one row", b->name);
	if (!b->alias_of)
		return;
	now = find(b->alias_of, &n);
	ok(now && !now->alias_of, "%s: an old spelling of %s", b->name, b->alias_of);
}

int main(void)
{
	struct arena a;
	u32 n = 0;

	arena_init(&a);
	for (u32 t = 0; builtin_themes[t]; t++) {
		ok(builtin_themes[t]->title && builtin_themes[t]->n,
		   "theme %u has a title and rows", t);
		for (u32 i = 0; i < builtin_themes[t]->n; i++, n++) {
			const struct builtin *b = &builtin_themes[t]->rows[i];

			test_texts(b);
			test_sig(&a, b);
			test_name(b);
		}
	}
	ok(n > 100, "%u rows", n);
	arena_release(&a);
	return done();
}
