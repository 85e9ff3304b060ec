/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Positions in source texts. The files of a compilation follow one another in one offset space
 * that starts at 1, each followed by one offset for its end, so that "unexpected end of file" has
 * a position in the right file:
 *
 *	0 nowhere | 1 a.bt ... end | b.bt ... end |
 *
 * The line table of a file is built on first use, that is, for a message.
 */
#include "base/source.h"

void sources_init(struct sources *s, struct arena *arena)
{
	*s = (struct sources){ .arena = arena };
}

struct source *sources_add(struct sources *s, const char *name, const char *text, size_t len)
{
	u32 base = 1;

	if (s->files.n) {
		const struct source *last = *vec_last(&s->files);

		base = last->base + last->len + 1;
	}
	if (len >= UINT32_MAX - base)
		oom();

	struct source *f = arena_new(s->arena, struct source);

	f->name = arena_strdup(s->arena, name);
	f->text = arena_strndup(s->arena, text, len);
	f->len = (u32)len;
	f->base = base;
	vec_push(s->arena, &s->files, f);
	return f;
}

static struct source *find_file(const struct sources *s, u32 off)
{
	u32 lo = 0, hi = s->files.n; /* the file is in [lo, hi) */

	if (!off || !hi)
		return NULL;
	while (hi - lo > 1) {
		u32 mid = lo + (hi - lo) / 2;

		if (s->files.v[mid]->base <= off)
			lo = mid;
		else
			hi = mid;
	}

	struct source *f = s->files.v[lo];

	return off - f->base <= f->len ? f : NULL;
}

static void build_lines(struct arena *a, struct source *f)
{
	vec_push(a, &f->lines, 0);
	for (u32 i = 0; i < f->len; i++)
		if (f->text[i] == '\n')
			vec_push(a, &f->lines, i + 1);
}

/* Index of the line that holds the byte at off. */
static u32 find_line(const struct source *f, u32 off)
{
	u32 lo = 0, hi = f->lines.n;

	while (hi - lo > 1) {
		u32 mid = lo + (hi - lo) / 2;

		if (f->lines.v[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* A span ends on the line of its last byte, even if that is a newline. */
struct position sources_find(struct sources *s, struct span span)
{
	struct source *f = find_file(s, span.off);

	if (!f)
		return (struct position){ 0 };
	if (!f->lines.n)
		build_lines(s->arena, f);

	u32 off = span.off - f->base;
	u32 len = MIN(span.len, f->len - off);
	u32 last = len ? off + len - 1 : off;
	u32 line = find_line(f, off), end_line = find_line(f, last);

	return (struct position){
		.file = f,
		.line = line + 1,
		.col = off - f->lines.v[line] + 1,
		.end_line = end_line + 1,
		.end_col = off + len - f->lines.v[end_line] + 1,
	};
}

static u32 line_start(const struct source *f, u32 line)
{
	u32 at = 0;

	if (f->lines.n)
		return line <= f->lines.n ? f->lines.v[line - 1] : f->len;
	while (--line && at < f->len) {
		const char *nl = memchr(f->text + at, '\n', f->len - at);

		at = nl ? (u32)(nl - f->text) + 1 : f->len;
	}
	return at;
}

const char *source_line(struct source *f, u32 line, u32 *len)
{
	u32 start = line_start(f, line);
	const char *s = f->text + start;
	const char *nl = memchr(s, '\n', f->len - start);
	u32 n = nl ? (u32)(nl - s) : f->len - start;

	if (n && s[n - 1] == '\r')
		n--;
	*len = n;
	return s;
}
