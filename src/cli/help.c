/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde --help, sonde COMMAND --help. */
#include <stdio.h>
#include "cli/option.h"
#include "cli/topic.h"

/* ---- --help */

enum { HELP_COLUMN = 32 };

static const struct {
	const char *command, *meaning;
} examples[] = {
	{ "-e 'tracepoint:syscalls:sys_enter_openat "
	  "{ printf(\"%s %s\\n\", comm, str(args.filename)); }'",
	  "opened files, with the name of the process" },
	{ "-e 'kprobe:vfs_read { @[comm] = count(); }' -c 'sleep 1'",
	  "reads per program during one second" },
	{ "-l 'tracepoint:sched:*'", "tracepoints of the scheduler; -lv shows their arguments" },
};

/* One line of a help text: syntax and meaning. */
static void put_help_row(struct buf *b, const char *left, const char *right)
{
	u32 n = (u32)strlen(left);

	buf_printf(b, "    %s", left);
	if (n + 4 < HELP_COLUMN - 1)
		buf_pad(b, ' ', HELP_COLUMN - 4 - n);
	else
		buf_puts(b, "  ");
	buf_printf(b, "%s\n", right);
}

static void put_option(struct buf *b, const struct option_row *row, const struct command *cmd)
{
	struct buf left = { 0 };

	if (!option_key(row, cmd))
		buf_puts(&left, "    ");
	option_spelling(&left, row, cmd);
	put_help_row(b, left.s, row->help);
	buf_release(&left);
}

/* Options of sets that "run" does not take are in the help of the commands that take them. */
static void put_group(struct buf *b, enum option_group group, bool of_tool)
{
	buf_printf(b, "\n%s:\n", option_groups[group]);
	for (u32 i = 0; i < n_option_rows; i++)
		if (option_rows[i].group == group &&
		    option_applies(&option_rows[i], &command_run) &&
		    !(of_tool && option_rows[i].not_for_tools))
			put_option(b, &option_rows[i], &command_run);
}

void put_running_options(struct buf *b)
{
	for (enum option_group g = 0; g < GROUP_COMPAT; g++)
		if (option_is_for_tools(g))
			put_group(b, g, true);
}

/* The options that are only accepted: their names, folded into lines. */
static void put_accepted(struct buf *b)
{
	size_t line = 0;

	buf_printf(b, "\n%s:", option_groups[GROUP_COMPAT]);
	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->group != GROUP_COMPAT)
			continue;
		if (!line || line + strlen(row->name) + 3 > 96) {
			buf_puts(b, "\n   ");
			line = 3;
		}
		buf_puts(b, " --");
		buf_puts(b, row->name);
		line += strlen(row->name) + 3;
	}
	buf_putc(b, '\n');
}

static void put_commands(struct buf *b)
{
	struct buf left = { 0 };

	buf_puts(b, "\nCommands:\n");
	for (u32 i = 0; commands[i]; i++) {
		buf_clear(&left);
		buf_printf(&left, "%s %s", commands[i]->name, commands[i]->args);
		put_help_row(b, left.s, commands[i]->brief);
	}
	buf_release(&left);
}

void print_help(const struct cli *c, FILE *to)
{
	const char *me = c->line.program;
	struct buf b = { 0 };

	buf_printf(&b, "%s: trace the Linux kernel and programs with bpftrace scripts\n", me);
	buf_puts(&b, "\nUSAGE:\n");
	buf_printf(&b,
		   "    %s [OPTION]... FILE | TOOL [PARAM]...   run a script (-: standard input)\n",
		   me);
	buf_printf(&b, "    %s [OPTION]... -e PROGRAM [PARAM]...    run PROGRAM\n", me);
	if (!c->line.drop_in)
		buf_printf(&b, "    %s COMMAND [OPTION]... [WORD]...\n", me);
	for (enum option_group g = 0; g < GROUP_COMPAT; g++)
		put_group(&b, g, false);
	put_accepted(&b);
	if (!c->line.drop_in)
		put_commands(&b);
	buf_puts(&b, "\nExamples:\n");
	for (u32 i = 0; i < ARRAY_SIZE(examples); i++)
		buf_printf(&b, "    %s %s\n        %s\n", me, examples[i].command,
			   examples[i].meaning);
	if (!c->line.drop_in)
		buf_printf(&b,
			   "\n\"%s help NAME\" describes an option, a function, a variable, "
			   "a probe type or a diagnostic.\n",
			   me);
	fputs(b.s, to);
	buf_release(&b);
}

/* ---- COMMAND --help */

static void put_command_group(struct buf *b, const struct command *cmd, enum option_group g,
			      const char *title)
{
	u32 n = 0;

	for (u32 i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->group != g || !option_is_listed(row, cmd))
			continue;
		if (!n++)
			buf_printf(b, "\n%s:\n", title);
		put_option(b, row, cmd);
	}
}

/* Its own options, then those that it shares, in their groups. */
static void put_command_options(struct buf *b, const struct command *cmd)
{
	put_command_group(b, cmd, GROUP_HIDDEN, "Options");
	for (enum option_group g = 0; g < GROUP_COMPAT; g++)
		put_command_group(b, cmd, g, option_groups[g]);
}

/* Several are the quickest introduction: they come before the text. */
static void put_examples(struct buf *b, const struct command *cmd)
{
	bool several = strchr(cmd->example, '\n');

	buf_printf(b, "\n%s:\n", several ? "Examples" : "Example");
	for (const char *s = cmd->example; *s;) {
		size_t n = strcspn(s, "\n");

		buf_printf(b, "    %.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void put_command_help(struct buf *b, const struct cli *c, const struct command *cmd)
{
	enum { WIDTH = 84 };

	buf_printf(b, "%s %s: %s\n\nUSAGE:\n", c->line.program, cmd->name, cmd->brief);
	put_command_usage(b, c, cmd);
	if (strchr(cmd->example, '\n'))
		put_examples(b, cmd);
	buf_putc(b, '\n');
	fill_text(b, cmd->doc, 0, WIDTH);
	if (!cmd->own_options)
		put_command_options(b, cmd);
	if (!strchr(cmd->example, '\n'))
		put_examples(b, cmd);
}

static int usage(struct cli *c)
{
	struct buf b = { 0 };

	if (!c->named_command) {
		print_help(c, stdout);
		return 0;
	}
	put_command_help(&b, c, c->named_command);
	fputs(b.s, stdout);
	buf_release(&b);
	return 0;
}

const struct command command_usage = { .name = "-h",
				       .brief = "a summary of the options",
				       .run = usage };
