/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text reads:NAME of a recording (doc/recording.md): lines of words between tabs.
 *
 *	probe	uprobe:/usr/bin/bash:readline
 *	clause	0
 *	script	5bd2b2ff
 *	read	str_retval	string[1024]	str(retval)
 */
#include <stdlib.h>
#include "base/hash.h"
#include "engine/replay/internal.h"

/* Takes the word before the next tab or the end of the line. */
static char *take(char **s)
{
	char *word = *s;
	size_t n = strcspn(word, "\t");

	*s = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

static void add_line(struct arena *a, struct noted_reads *r, struct noted_read *v, char *line)
{
	const char *what = take(&line);

	if (streq(what, "probe"))
		r->probe = take(&line);
	else if (streq(what, "func"))
		r->func = take(&line);
	else if (streq(what, "args") && ends_with(line, " "))
		r->args = line;
	else if (streq(what, "clause"))
		r->clause = (u32)strtoul(line, NULL, 10);
	else if (streq(what, "script"))
		r->script = (u32)strtoul(line, NULL, 16);
	if (!streq(what, "read"))
		return;
	v[r->n].field = take(&line);
	v[r->n].type = take(&line);
	v[r->n++].key = line;
}

static u32 count_lines(const char *s)
{
	u32 n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

const struct noted_reads *noted_parse(struct arena *a, struct store *s, const char *format,
				      struct hash *known)
{
	const struct store_text *text = store_find_text(s, arena_printf(a, "reads:%s", format));
	struct noted_reads *r;
	struct noted_read *v;
	const char *rows;
	char *line;

	if (!text)
		return NULL;
	line = arena_strndup(a, text->bytes, text->len);
	rows = strstr(line, "\nclause\t");
	rows = rows ? arena_strdup(a, rows) : "";
	r = arena_new(a, struct noted_reads);
	v = arena_array(a, struct noted_read, count_lines(line) + 1);
	while (*line) {
		char *end = line + strcspn(line, "\n"), *next = end + (*end != '\0');

		*end = '\0';
		add_line(a, r, v, line);
		line = next;
	}
	r->v = hash_gets(known, rows);
	if (!r->v) {
		hash_puts(known, rows, v);
		r->v = v;
	}
	return r->probe ? r : NULL;
}
