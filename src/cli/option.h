/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options: one row each, in option.c. Parser, --help, manual page, markdown and completions
 * read the rows and nothing else. What a row does with its value is in option_take.h; option_find.c
 * looks rows up.
 */
#ifndef SONDE_CLI_OPTION_H
#define SONDE_CLI_OPTION_H

#include "cli/cli.h"

enum option_group {
	GROUP_WHAT,
	GROUP_OUTPUT,
	GROUP_ASK,
	GROUP_CHECKS,
	GROUP_COMPILER,
	GROUP_COMPAT,
	GROUP_HIDDEN,
	N_GROUPS
};
extern const char *const option_groups[N_GROUPS]; /* titles */
/* Whether built tools have the options of a group. */
static inline bool option_is_for_tools(enum option_group g)
{
	return g == GROUP_WHAT || g == GROUP_OUTPUT || g == GROUP_ASK || g == GROUP_CHECKS;
}

/*
 * An option that several commands take is one row, in a set. Rows with .command in GROUP_HIDDEN are
 * for options of one command; in it they come before a shared one of the same spelling.
 */
struct option_row {
	char key;         /* -e, or 0 */
	u32 key_sets;     /* of its sets, those whose commands have the letter; 0: all */
	const char *name; /* --name; never NULL */
	const char *arg;  /* what its value is called; NULL: it takes none */
	bool optional;    /* it may have none: only --NAME=VALUE has one, -e none */
	/* of an optional one: -eVALUE, and the next word if it begins with a choice */
	bool may_follow;
	const char *choices; /* "text|json", for completion and messages; may be NULL */
	enum option_group group;
	const char *help; /* one line */
	const char *doc;  /* more, for the manual; may be NULL */
	/* value is NULL when arg is. 0, or the exit status after a message. */
	int (*take)(struct cli *c, const struct option_row *row, const char *value);
	u32 sets;        /* enum option_set: a command that takes one of them; 0: every command */
	size_t at;       /* take_flag, take_text: the member of struct cli */
	const char *why; /* take_note: the message */
	/* take_command: the command that it selects. In GROUP_HIDDEN: the only one that takes
	 * it. */
	const struct command *command;
	u32 number;
	bool not_for_tools; /* about scripts or the compiler: stand-alone tools do not take it */
};
extern const struct option_row option_rows[];
extern const u32 n_option_rows;

/*
 * By its letter, or by its name: whole, or an unambiguous beginning. cmd: the command whose option
 * it is, which may have letters of its own: "strace -f" is not "run -f". NULL: not known.
 */
const struct option_row *option_by_key(const struct command *cmd, char key);
const struct option_row *option_by_name(const struct command *cmd, const char *name, size_t len);
bool option_applies(const struct option_row *row, const struct command *cmd);
/* Whether the help of cmd shows it. Options that select a command are in sonde --help only. */
bool option_is_listed(const struct option_row *row, const struct command *cmd);
/* "run, top, build": the commands that take it. */
void option_takers(struct buf *b, const struct option_row *row);
/* Those of them that have its letter, if not all have. */
void option_key_takers(struct buf *b, const struct option_row *row);
/* The folders of an environment variable, as further -I. */
void take_include_path(struct cli *c, const char *variable);
/* The letter that selects it in cmd: 0 if cmd has another option of that letter. cmd may be
 * NULL. */
char option_key(const struct option_row *row, const struct command *cmd);
/* Whether a word begins with one of the choices of the row and a comma, or is one. */
bool option_is_choice(const struct option_row *row, const char *word);
/* "-o, --output=FILE" */
void option_spelling(struct buf *b, const struct option_row *row, const struct command *cmd);

#endif
