/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde run --list, and sonde run NAME --help. */
#include "cli/cli.h"
#include "cli/tool.h"
#include "cli/topic.h"

enum { WIDTH = 84, NAME_COLUMN = 20, OPTION_COLUMN = 24 };

static void put_row(struct buf *b, const char *left, u32 column, const char *right)
{
	size_t n = strlen(left);

	buf_printf(b, "    %s", left);
	buf_pad(b, ' ', n + 6 < column ? column - 4 - n : 2);
	buf_printf(b, "%s\n", right);
}

static void list_tool(void *ctx, const struct tool *t)
{
	put_row(ctx, t->name, NAME_COLUMN, t->brief);
}

int tools_list(struct cli *c)
{
	struct buf b = { 0 };
	int ret;

	tools_each(list_tool, &b);
	buf_printf(&b, "\n\"%s run NAME --help\" describes one.\n", c->line.program);
	ret = put_out(c, &b);
	buf_release(&b);
	return ret;
}

static void put_options(struct buf *b, const struct script_options *o)
{
	for (u32 i = 0; i < o->rows.n; i++) {
		struct buf left = { 0 }, right = { 0 };

		script_option_spelling(&left, &o->rows.v[i]);
		script_option_meaning(&right, &o->rows.v[i]);
		put_row(b, left.s, OPTION_COLUMN, right.s);
		buf_release(&left);
		buf_release(&right);
	}
}

static int tool_help(struct cli *c)
{
	const struct tool *t = c->tool;
	struct buf b = { 0 };
	int ret;

	buf_printf(&b, "%s%s%s\n", t->name, *t->brief ? ": " : "", t->brief);
	tool_put_usage(c, &b);
	if (*t->doc) {
		buf_putc(&b, '\n');
		fill_text(&b, t->doc, 0, WIDTH);
	}
	if (t->options.rows.n) {
		buf_puts(&b, "\nOptions:\n");
		put_options(&b, &t->options);
	}
	if (c->bundle) {
		put_running_options(&b);
	} else if (t->options.rows.n) {
		buf_printf(&b,
			   "\nThe options of \"%s run\" can be given too: -p, -c, --follow, "
			   "-f json, -o ...\n",
			   c->line.program);
	}
	if (*t->example)
		buf_puts(&b, "\nExample:\n");
	for (const char *s = t->example; *s; s += strcspn(s, "\n"), s += *s == '\n')
		buf_printf(&b, "    %.*s\n", (int)strcspn(s, "\n"), s);
	if (c->bundle)
		buf_puts(&b, "\nBuilt with sonde " SONDE_VERSION ".\n");
	ret = put_out(c, &b);
	buf_release(&b);
	return ret;
}

const struct command command_tool_help = {
	.name = "-h",
	.brief = "what a tool does",
	.run = tool_help,
};
