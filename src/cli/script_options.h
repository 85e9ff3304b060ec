/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a script: the names in its calls of getopt(). */
#ifndef SONDE_CLI_SCRIPT_OPTIONS_H
#define SONDE_CLI_SCRIPT_OPTIONS_H

#include "base/arena.h"
#include "base/buf.h"

enum script_option_kind { SCRIPT_FLAG, SCRIPT_NUMBER, SCRIPT_TEXT };

struct script_option {
	const char *name;
	enum script_option_kind kind;
	const char *dflt; /* as it would be written; NULL: false, 0, "" */
	const char *doc;  /* may be NULL */
};

struct script_options {
	VEC(struct script_option) rows; /* in order of first mention */
	u32 n_words;                    /* the highest $N */
	bool any_words;                 /* the script reads $# */
};

/*
 * Parses the text; name: of its source. Strings live in a. A script with errors has the options
 * before the first error, which its compilation reports.
 */
void script_options_read(struct script_options *o, struct arena *a, const char *name,
			 const char *text, size_t len);
struct front;
/* Parses the script of f, whose positional parameters need no values; strings live in f's arena. */
void script_options_take(struct script_options *o, struct front *f);
/* NULL: there is none of that name. */
const struct script_option *script_option_find(const struct script_options *o, const char *name,
					       size_t len);
/* "--top=N" */
void script_option_spelling(struct buf *b, const struct script_option *row);
/* Its description, and its default unless that is false, 0 or "". */
void script_option_meaning(struct buf *b, const struct script_option *row);

#endif
