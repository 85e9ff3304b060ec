/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion scripts for shells, from the rows of options and commands. */
#include "cli/option.h"
#include "cli/topic.h"

static bool is_shown(const struct option_row *row)
{
	return row->group != GROUP_HIDDEN && row->group != GROUP_COMPAT;
}

/* "text|json" -> "text json" */
static void put_choices(struct buf *b, const char *choices)
{
	for (; choices && *choices; choices++)
		buf_putc(b, *choices == '|' ? ' ' : *choices);
}

/* In single quotes. */
static void put_quoted(struct buf *b, const char *s)
{
	buf_putc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_puts(b, "'\\'");
		buf_putc(b, *s);
	}
	buf_putc(b, '\'');
}

/* ---- bash */

static void bash_values(struct buf *b)
{
	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->arg)
			continue;
		buf_printf(b, "\t\t--%s%s", row->name, row->key ? "|" : "");
		if (row->key)
			buf_printf(b, "-%c", row->key);
		if (row->choices) {
			buf_puts(b, ") COMPREPLY=($(compgen -W '");
			put_choices(b, row->choices);
			buf_puts(b, "' -- \"$cur\")); return;;\n");
		} else {
			buf_printf(b, ") %s; return;;\n",
				   streq(row->arg, "FILE") ? "COMPREPLY=($(compgen -f -- \"$cur\"))"
							   : ":");
		}
	}
}

static void put_bash(struct buf *b)
{
	buf_puts(b, "_sonde() {\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		    "\tcase $prev in\n");
	bash_values(b);
	buf_puts(b, "\tesac\n\tcase $cur in\n\t\t-*) COMPREPLY=($(compgen -W '");
	for (u32 i = 0; i < n_option_rows; i++)
		if (is_shown(&option_rows[i]))
			buf_printf(b, "--%s ", option_rows[i].name);
	buf_puts(b, "' -- \"$cur\")); return;;\n\tesac\n\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
		    "\t((COMP_CWORD == 1)) && COMPREPLY+=($(compgen -W '");
	for (u32 i = 0; commands[i]; i++)
		buf_printf(b, "%s ", commands[i]->name);
	buf_puts(b, "' -- \"$cur\"))\n}\ncomplete -o filenames -F _sonde sonde\n");
}

/* ---- zsh */

/* Inside brackets and colons of a specification of _arguments. */
static void put_zsh_text(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr("[]:\\", *s))
			buf_putc(b, '\\');
		if (*s == '\'')
			buf_puts(b, "'\\'");
		buf_putc(b, *s);
	}
}

static void zsh_option(struct buf *b, const struct option_row *row, const char *spelling,
		       const char *joint)
{
	buf_printf(b, "\t'%s%s[", spelling, row->arg ? joint : "");
	put_zsh_text(b, row->help);
	buf_putc(b, ']');
	if (row->arg)
		buf_printf(b, ":%s:", row->arg);
	if (row->choices) {
		buf_putc(b, '(');
		put_choices(b, row->choices);
		buf_putc(b, ')');
	} else if (row->arg && streq(row->arg, "FILE")) {
		buf_puts(b, "_files");
	}
	buf_puts(b, "' \\\n");
}

static void put_zsh(struct buf *b)
{
	char spelling[64];

	buf_puts(b, "#compdef sonde\n_arguments -s \\\n");
	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!is_shown(row))
			continue;
		snprintf(spelling, sizeof spelling, "--%s", row->name);
		zsh_option(b, row, spelling, "=");
		snprintf(spelling, sizeof spelling, "-%c", row->key);
		if (row->key)
			zsh_option(b, row, spelling, "+");
	}
	buf_puts(b, "\t'1:command:{ _values command");
	for (u32 i = 0; commands[i]; i++) {
		buf_printf(b, " \"%s[", commands[i]->name);
		put_zsh_text(b, commands[i]->brief);
		buf_puts(b, "]\"");
	}
	buf_puts(b, "; _files }' \\\n\t'*:file:_files'\n");
}

/* ---- fish */

static void put_fish(struct buf *b)
{
	for (u32 i = 0; commands[i]; i++) {
		buf_printf(b, "complete -c sonde -n __fish_use_subcommand -a %s -d ",
			   commands[i]->name);
		put_quoted(b, commands[i]->brief);
		buf_putc(b, '\n');
	}
	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!is_shown(row))
			continue;
		buf_printf(b, "complete -c sonde -l %s", row->name);
		if (row->key)
			buf_printf(b, " -s %c", row->key);
		if (row->arg)
			buf_puts(b, streq(row->arg, "FILE") ? " -r" : " -x");
		if (row->choices) {
			buf_puts(b, " -a '");
			put_choices(b, row->choices);
			buf_putc(b, '\'');
		}
		buf_puts(b, " -d ");
		put_quoted(b, row->help);
		buf_putc(b, '\n');
	}
}

bool put_completion(struct buf *b, const char *shell)
{
	static const struct {
		const char *name;
		void (*put)(struct buf *b);
	} shells[] = {
		{ "bash", put_bash },
		{ "zsh", put_zsh },
		{ "fish", put_fish },
	};

	for (u32 i = 0; i < ARRAY_SIZE(shells); i++)
		if (streq(shells[i].name, shell)) {
			shells[i].put(b);
			return true;
		}
	return false;
}
