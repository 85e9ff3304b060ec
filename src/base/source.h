/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source texts and positions in them. All files of one compilation share one offset space: a span
 * is (offset, length) into it, 8 bytes, and finds its file by binary search. Offset 0 is "nowhere".
 */
#ifndef SONDE_BASE_SOURCE_H
#define SONDE_BASE_SOURCE_H

#include "base/arena.h"

struct span {
	u32 off, len;
};

struct source {
	const char *name; /* as displayed: path, or "stdin" */
	const char *text; /* NUL-terminated */
	u32 len;
	u32 base;          /* span offset of text[0] */
	VEC(u32) lines;    /* offsets (relative to text) of line starts; built on first use */
	bool is_generated; /* by a command from its options: messages have no position in it */
};

struct sources {
	struct arena *arena;
	VEC(struct source *) files;
};

struct position {
	const struct source *file; /* NULL when the span is nowhere */
	u32 line, col;             /* 1-based; col counts bytes */
	u32 end_line, end_col;     /* end_col is exclusive */
};

void sources_init(struct sources *s, struct arena *arena);
/* Copies name and text into the arena. */
struct source *sources_add(struct sources *s, const char *name, const char *text, size_t len);
struct position sources_find(struct sources *s, struct span span);
/* The text of one line (1-based), without its newline; *len receives its length. */
const char *source_line(struct source *f, u32 line, u32 *len);

static inline struct span span_join(struct span a, struct span b)
{
	if (!a.off)
		return b;
	if (!b.off)
		return a;
	u32 lo = MIN(a.off, b.off), hi = MAX(a.off + a.len, b.off + b.len);
	return (struct span){ lo, hi - lo };
}

#endif
