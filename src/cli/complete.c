/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completion scripts for shells, from the rows of options and commands. */
#include "cli/option.h"
#include "cli/topic.h"

/* cmd NULL: no command is named, so it is "run" or one that an option selects. */
static bool is_offered(const struct option_row *row, const struct command *cmd)
{
	if (cmd)
		return option_is_listed(row, cmd) || row->command == &command_usage;
	return row->group != GROUP_HIDDEN && row->group != GROUP_COMPAT &&
	       option_applies(row, &command_run);
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

/* What completes a value that has no fixed choices, by what it is called. */
static const struct {
	const char *arg, *bash, *zsh;
} values[] = {
	{ "FILE", "COMPREPLY=($(compgen -f -- \"$cur\"))", "_files" },
	{ "TOOL", "COMPREPLY=($(compgen -f -- \"$cur\"))", "_files" },
	{ "DIR", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/" },
	{ "DIR[:DIR]", "COMPREPLY=($(compgen -d -- \"$cur\"))", "_files -/" },
	{ "PID[,PID]", "COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\"))",
	  "_pids" },
	{ "COMMAND", "COMPREPLY=($(compgen -c -- \"$cur\"))", "_command_names -e" },
};

static const char *bash_value(const char *arg)
{
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		if (streq(values[i].arg, arg))
			return values[i].bash;
	return ":";
}

static const char *zsh_value(const char *arg)
{
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		if (streq(values[i].arg, arg))
			return values[i].zsh;
	return " ";
}

static void bash_values(struct buf *b)
{
	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->arg || row->optional)
			continue;
		buf_printf(b, "\t\t--%s%s", row->name, row->key ? "|" : "");
		if (row->key)
			buf_printf(b, "-%c", row->key);
		if (row->choices) {
			buf_puts(b, ") COMPREPLY=($(compgen -W '");
			put_choices(b, row->choices);
			buf_puts(b, "' -- \"$cur\")); return;;\n");
		} else {
			buf_printf(b, ") %s; return;;\n", bash_value(row->arg));
		}
	}
}

/* The options of each command: "fmt) options='--check --write ...';;"; without a command, all. */
static void bash_options(struct buf *b)
{
	for (u32 c = 0; commands[c]; c++) {
		buf_printf(b, "\t\t%s) options='", commands[c]->name);
		for (u32 i = 0; i < n_option_rows; i++)
			if (is_offered(&option_rows[i], commands[c]))
				buf_printf(b, "--%s ", option_rows[i].name);
		buf_puts(b, "';;\n");
	}
	buf_puts(b, "\t\t*) options='");
	for (u32 i = 0; i < n_option_rows; i++)
		if (is_offered(&option_rows[i], NULL))
			buf_printf(b, "--%s ", option_rows[i].name);
	buf_puts(b, "';;\n");
}

/*
 * Words with colons are split by readline: the whole word is taken from the line, and the part up
 * to its last colon is cut from the replies.
 */
static const char bash_probes[] =
	"_sonde_probes() {\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} word IFS=$'\\n'\n"
	"\tword=${line##*[[:space:]]} word=${word#[\\'\\\"]}\n"
	"\tCOMPREPLY=($({ sonde list \"$word*\"; [[ $word == *:*:* ]] || sonde list \"$word*:*\"; } 2>/dev/null |\n"
	"\t\thead -n 3000 | sort -u | grep -F -- \"$word\"))\n"
	"\t[[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*:}\"}\"}\")\n"
	"}\n";

/* What the words of a command are. */
static const char bash_words[] =
	"\tcase $command in\n"
	"\t\tlist) _sonde_probes; return;;\n"
	"\t\texplain) COMPREPLY=($(compgen -W \"$(sonde explain --list | awk '{ print $1 }')\" -- \"$cur\")); return;;\n"
	"\t\trun|top|check|fmt|build|audit) COMPREPLY=($(compgen -W \"$(sonde run --list 2>/dev/null |\n"
	"\t\t\tawk '/^    / { print $1 }')\" -- \"$cur\") $(compgen -f -- \"$cur\")); return;;\n"
	"\tesac\n"
	"\t[[ \" ${COMP_WORDS[*]:0:COMP_CWORD} \" == *\" -l \"* || \" ${COMP_WORDS[*]:0:COMP_CWORD} \" == *\" -lv \"* ]] && {\n"
	"\t\t_sonde_probes; return; }\n";

static void put_bash(struct buf *b)
{
	buf_puts(b, bash_probes);
	buf_puts(
		b,
		"_sonde() {\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
		"\tlocal options=\n"
		"\tcase $command in\n");
	bash_options(b);
	buf_puts(b, "\tesac\n\tcase $prev in\n");
	bash_values(b);
	buf_puts(b, "\tesac\n\tcase $cur in\n"
		    "\t\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")); return;;\n"
		    "\tesac\n");
	buf_puts(b, bash_words);
	buf_puts(b, "\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
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
	buf_printf(b, "\t'%s%s[", spelling, row->arg && !row->optional ? joint : "");
	put_zsh_text(b, row->help);
	buf_putc(b, ']');
	if (row->arg && !row->optional) {
		buf_putc(b, ':');
		for (const char *s = row->arg; *s; s++)
			buf_printf(b, "%s%c", *s == ':' ? "\\" : "", *s);
		buf_putc(b, ':');
	}
	if (row->choices) {
		buf_putc(b, '(');
		put_choices(b, row->choices);
		buf_putc(b, ')');
	} else if (row->arg && !row->optional) {
		buf_puts(b, zsh_value(row->arg));
	}
	buf_puts(b, "' \\\n");
}

/* The options of a command, or without one. */
static void zsh_options(struct buf *b, const struct command *cmd)
{
	char spelling[64];

	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (!is_offered(row, cmd))
			continue;
		snprintf(spelling, sizeof spelling, "--%s", row->name);
		zsh_option(b, row, spelling, "=");
		snprintf(spelling, sizeof spelling, "-%c", row->key);
		if (option_key(row, cmd))
			zsh_option(b, row, spelling, "+");
	}
}

static void put_zsh(struct buf *b)
{
	buf_puts(
		b,
		"#compdef sonde\n"
		"_sonde_words() {\n"
		"\tcase $words[2] in\n"
		"\t\tlist) compadd -- ${(f)\"$({ sonde list \"$PREFIX*\"; sonde list \"$PREFIX*:*\" } 2>/dev/null)\"};;\n"
		"\t\trun|top) compadd -- ${(f)\"$(sonde run --list 2>/dev/null | awk '/^    / { print $1 }')\"}; _files;;\n"
		"\t\t*) _files;;\n"
		"\tesac\n"
		"}\n"
		"case $words[2] in\n");
	for (u32 i = 0; commands[i]; i++) {
		buf_printf(b, "%s) _arguments -s \\\n", commands[i]->name);
		zsh_options(b, commands[i]);
		buf_puts(b, "\t'1:command:' '*:word:_sonde_words';;\n");
	}
	buf_puts(b, "*) _arguments -s \\\n");
	zsh_options(b, NULL);
	buf_puts(b, "\t'1:command:{ _values command");
	for (u32 i = 0; commands[i]; i++) {
		buf_printf(b, " \"%s[", commands[i]->name);
		put_zsh_text(b, commands[i]->brief);
		buf_puts(b, "]\"");
	}
	buf_puts(b, "; _files }' \\\n\t'*:word:_sonde_words';;\nesac\n");
}

/* ---- fish */

/* True if the command that is named, or "none", is one of the arguments. */
static void fish_condition(struct buf *b)
{
	buf_puts(b, "function __sonde_is\n"
		    "\tset -l words (commandline -opc)\n"
		    "\tset -l word none\n"
		    "\tset -q words[2]; and contains -- $words[2]");
	for (u32 i = 0; commands[i]; i++)
		buf_printf(b, " %s", commands[i]->name);
	buf_puts(b, "; and set word $words[2]\n"
		    "\tcontains -- $word $argv\n"
		    "end\n");
}

/* The commands that an option is for; false: none. */
static bool fish_takers(struct buf *b, const struct option_row *row)
{
	bool any = is_offered(row, NULL);

	buf_printf(b, "complete -c sonde -n '__sonde_is%s", any ? " none" : "");
	for (u32 i = 0; commands[i]; i++)
		if (is_offered(row, commands[i])) {
			buf_printf(b, " %s", commands[i]->name);
			any = true;
		}
	buf_puts(b, "'");
	return any;
}

static void fish_option(struct buf *b, const struct option_row *row)
{
	size_t start = b->len;

	if (!fish_takers(b, row)) {
		b->len = start;
		return;
	}
	buf_printf(b, " -l %s", row->name);
	if (row->key && !row->key_sets)
		buf_printf(b, " -s %c", row->key);
	if (row->arg && !row->optional)
		buf_puts(b, bash_value(row->arg)[0] == ':' ? " -x" : " -r");
	if (row->choices) {
		buf_puts(b, " -a '");
		put_choices(b, row->choices);
		buf_putc(b, '\'');
	}
	buf_puts(b, " -d ");
	put_quoted(b, row->help);
	buf_putc(b, '\n');
}

static void put_fish(struct buf *b)
{
	fish_condition(b);
	buf_puts(
		b,
		"complete -c sonde -n '__fish_seen_subcommand_from list' -f -a "
		"'(sonde list (commandline -ct)\"*\" 2>/dev/null)'\n"
		"complete -c sonde -n '__fish_seen_subcommand_from run top' -a "
		"'(sonde run --list 2>/dev/null | string match -r \"^    \\\\S+\" | string trim)'\n");
	for (u32 i = 0; commands[i]; i++) {
		buf_printf(b, "complete -c sonde -n __fish_use_subcommand -a %s -d ",
			   commands[i]->name);
		put_quoted(b, commands[i]->brief);
		buf_putc(b, '\n');
	}
	for (u32 i = 0; i < n_option_rows; i++)
		fish_option(b, &option_rows[i]);
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
