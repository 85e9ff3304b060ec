/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans to places and back to lines. */
#include "base/source.h"
#include "tap.h"

static struct arena arena;
static struct sources sources;

static void is_place(u32 off, u32 len, const char *want)
{
	struct position p = sources_find(&sources, (struct span){ off, len });
	const char *got = "nowhere";

	if (p.file)
		got = arena_printf(&arena, "%s:%u:%u-%u:%u", p.file->name, p.line, p.col,
				   p.end_line, p.end_col);
	is_str(got, want, "span %u+%u", off, len);
}

static void is_line(struct source *f, u32 line, const char *want)
{
	u32 len;
	const char *s = source_line(f, line, &len);

	is_str(arena_strndup(&arena, s, len), want, "%s line %u", f->name, line);
}

int main(void)
{
	arena_init(&arena);
	sources_init(&sources, &arena);
	is_place(1, 1, "nowhere");

	struct source *a = sources_add(&sources, "a", "one\ntwo\n\nfour", 13);
	struct source *b = sources_add(&sources, "b", "", 0);
	struct source *c = sources_add(&sources, "c", "x\r\ny\n", 5);

	is_int(a->base, 1, "the first file begins at 1");
	is_int(b->base, 15, "each file has a place for its end");
	is_int(c->base, 16, "even an empty one");

	is_line(a, 2, "two"); /* before the line table is built */
	is_line(a, 9, "");

	is_place(0, 5, "nowhere");
	is_place(1, 3, "a:1:1-1:4");
	is_place(1, 4, "a:1:1-1:5");
	is_place(1, 5, "a:1:1-2:2");
	is_place(4, 1, "a:1:4-1:5");
	is_place(5, 0, "a:2:1-2:1");
	is_place(9, 1, "a:3:1-3:2");
	is_place(10, 4, "a:4:1-4:5");
	is_place(14, 0, "a:4:5-4:5");
	is_place(14, 9, "a:4:5-4:5");
	is_place(15, 0, "b:1:1-1:1");
	is_place(16, 1, "c:1:1-1:2");
	is_place(21, 0, "c:3:1-3:1");
	is_place(22, 0, "nowhere");

	is_line(a, 1, "one");
	is_line(a, 3, "");
	is_line(a, 4, "four");
	is_line(a, 5, "");
	is_line(b, 1, "");
	is_line(c, 1, "x");
	is_line(c, 2, "y");
	is_line(c, 3, "");

	struct span j = span_join((struct span){ 9, 2 }, (struct span){ 3, 4 });

	ok(j.off == 3 && j.len == 8, "joined spans cover both");
	j = span_join((struct span){ 0 }, (struct span){ 3, 4 });
	ok(j.off == 3 && j.len == 4, "nowhere adds nothing");
	arena_release(&arena);
	return done();
}
