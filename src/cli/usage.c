/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The syntax of a command or tool, which follows the message about a wrong command line. */
#include <stdio.h>
#include "cli/cli.h"
#include "cli/tool.h"

void put_command_usage(struct buf *b, const struct cli *c, const struct command *cmd)
{
	buf_printf(b, "    %s %s%s%s%s\n", c->line.program, cmd->name,
		   cmd->own_options ? "" : " [OPTION]...", *cmd->args ? " " : "", cmd->args);
}

void tool_put_usage(const struct cli *c, struct buf *b)
{
	const struct script_options *o = &c->tool->options;

	buf_printf(b, "\nUSAGE:\n    %s", c->line.program);
	if (!c->bundle)
		buf_printf(b, " run %s", c->line.words[0]);
	if (o->rows.n || c->bundle)
		buf_puts(b, " [OPTION]...");
	buf_printf(b, "%s%s", *c->tool->words ? " " : "", c->tool->words);
	for (u32 i = 1; i <= o->n_words && !*c->tool->words; i++)
		buf_printf(b, " [$%u]", i);
	if (o->any_words)
		buf_puts(b, " [WORD]...");
	buf_putc(b, '\n');
}

static int put_usage(const struct cli *c)
{
	struct buf usage = { 0 };

	if (c->bundle || c->tool) {
		tool_put_usage(c, &usage);
		fprintf(stderr, "%s    %s%s%s --help\n", usage.s, c->line.program,
			c->bundle ? "" : " run ", c->bundle ? "" : c->line.words[0]);
		buf_release(&usage);
		return 1;
	}
	if (c->named_command) {
		put_command_usage(&usage, c, c->named_command);
		fprintf(stderr, "\nUSAGE:\n%s    %s %s --help\n", usage.s, c->line.program,
			c->named_command->name);
		buf_release(&usage);
		return 1;
	}
	fprintf(stderr,
		"\nUSAGE:\n"
		"    %s [OPTION]... FILE | TOOL [PARAM]...\n"
		"    %s [OPTION]... -e PROGRAM [PARAM]...\n"
		"    %s --help\n",
		c->line.program, c->line.program, c->line.program);
	return 1;
}

int say_usage(const struct cli *c, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	say(c, "%s", text.s);
	buf_release(&text);
	return put_usage(c);
}

int say_bad_option(const struct cli *c, const char *near, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	buf_printf(&b, "%s: ", c->line.program);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	buf_putc(&b, '\n');
	if (near)
		buf_printf(&b, "  help: did you mean --%s?\n", near);
	say_lines(c, &b);
	return put_usage(c);
}
