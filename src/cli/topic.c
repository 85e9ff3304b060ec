/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows to topics: one function for each kind of row. What a row contains besides its texts
 * (other spellings, required kernel features) becomes facts.
 */
#include <ctype.h>
#include <strings.h>
#include "builtin/builtin.h"
#include "cli/option.h"
#include "cli/tool.h"
#include "cli/topic.h"
#include "output/output.h"
#include "provider/provider.h"

const struct topic_kind_row topic_kinds[N_TOPIC_KINDS] = {
	[TOPIC_COMMAND] = { "commands", "Commands" },
	[TOPIC_TOOL] = { "tools", "Tools" },
	[TOPIC_OPTION] = { "options", "Options" },
	[TOPIC_PROBE] = { "probes", "Probe types" },
	[TOPIC_BUILTIN] = { "builtins", "Functions and variables" },
	[TOPIC_CONFIG] = { "configuration", "Configuration variables" },
	[TOPIC_OUTPUT] = { "outputs", "Output formats" },
	[TOPIC_PASS] = { "passes", "Passes of the compiler" },
	[TOPIC_FEATURE] = { "features", "Kernel features" },
	[TOPIC_DIAG] = { "diagnostics", "Messages of the compiler" },
};

static void add_fact(struct topic *t, const char *fact)
{
	if (t->n_facts < MAX_FACTS)
		t->fact[t->n_facts++] = fact;
}

static void add_feature_fact(struct arena *a, struct topic *t, s16 feature)
{
	const struct feature_row *row = feature ? &feature_rows[feature - 1] : NULL;

	if (row)
		add_fact(t, arena_printf(a, "Needs %s (Linux %s).", row->text, row->since));
}

/* ---- commands */

static void each_command(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; commands[i]; i++) {
		const struct command *cmd = commands[i];
		struct topic t = { .kind = TOPIC_COMMAND,
				   .name = cmd->name,
				   .names = cmd->name,
				   .brief = cmd->brief,
				   .doc = cmd->doc,
				   .example = cmd->example,
				   .example_is_command = true };

		t.head = arena_printf(a, "sonde %s%s%s", cmd->name, *cmd->args ? " " : "",
				      cmd->args);
		f(ctx, &t);
	}
}

/* ---- tools */

struct tool_topics {
	struct arena *a;
	topic_fn f;
	void *ctx;
};

static const char *option_fact(struct arena *a, const struct script_option *o)
{
	struct buf b = { 0 };
	const char *text;

	script_option_spelling(&b, o);
	buf_puts(&b, ": ");
	script_option_meaning(&b, o);
	buf_putc(&b, '.');
	text = arena_strdup(a, b.s);
	buf_release(&b);
	return text;
}

static void tool_topic(void *ctx, const struct tool *tool)
{
	const struct tool_topics *w = ctx;
	struct topic t = { .kind = TOPIC_TOOL,
			   .name = arena_strdup(w->a, tool->name),
			   .brief = arena_strdup(w->a, tool->brief),
			   .example_is_command = true };

	t.names = t.name;
	t.head = arena_printf(w->a, "sonde run %s%s%s%s", tool->name, *tool->words ? " " : "",
			      tool->words, tool->options.rows.n ? " [OPTION]..." : "");
	if (*tool->doc)
		t.doc = arena_strdup(w->a, tool->doc);
	if (*tool->example)
		t.example = arena_strdup(w->a, tool->example);
	for (u32 i = 0; i < tool->options.rows.n; i++)
		add_fact(&t, option_fact(w->a, &tool->options.rows.v[i]));
	w->f(w->ctx, &t);
}

static void each_tool(struct arena *a, topic_fn f, void *ctx)
{
	tools_each(tool_topic, &(struct tool_topics){ a, f, ctx });
}

/* ---- options */

static const char *choices_text(struct arena *a, const char *choices)
{
	struct buf b = { 0 };
	const char *text;

	for (const char *s = choices; *s; s++)
		*s == '|' ? buf_puts(&b, ", ") : buf_putc(&b, *s);
	text = arena_strdup(a, b.s);
	buf_release(&b);
	return text;
}

static void option_topic(struct arena *a, const struct option_row *row, topic_fn f, void *ctx)
{
	struct topic t = { .kind = TOPIC_OPTION,
			   .section = option_groups[row->group],
			   .name = row->name,
			   .brief = row->help,
			   .doc = row->doc };
	struct buf head = { 0 };

	option_spelling(&head, row, NULL);
	t.head = arena_strdup(a, head.s);
	t.names = row->key ? arena_printf(a, "-%c --%s %s", row->key, row->name, row->name) :
			     arena_printf(a, "--%s %s", row->name, row->name);
	if (row->choices)
		add_fact(&t, arena_printf(a, "%s: %s.", row->arg, choices_text(a, row->choices)));
	t.option = row;
	if (row->group == GROUP_HIDDEN && row->command) {
		add_fact(&t, arena_printf(a, "An option of \"sonde %s\".", row->command->name));
	} else if (row->sets && row->group != GROUP_HIDDEN) {
		buf_clear(&head);
		option_takers(&head, row);
		add_fact(&t, arena_printf(a, "Commands: %s.", head.s));
		buf_clear(&head);
		option_key_takers(&head, row);
		if (head.len)
			add_fact(&t, arena_printf(a, "-%c: %s.", row->key, head.s));
	}
	buf_release(&head);
	if (row->why)
		add_fact(&t, arena_printf(a, "Note: %s.", row->why));
	f(ctx, &t);
}

static void each_option(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; i < n_option_rows; i++)
		option_topic(a, &option_rows[i], f, ctx);
}

/* ---- the language */

/* An example with its output. One that needs events is shown as the command that makes them. */
static void add_output(struct arena *a, struct topic *t, const char *options, const char *work)
{
	if (!t->output || !(work || *options))
		return;
	t->example = arena_printf(a, "sonde %s%s%s%s-e '%s'", options, work ? "--follow -c '" : "",
				  work ? work : "", work ? "' " : "", t->example);
	t->example_is_command = true;
}

static const char *mode_option(u32 mode)
{
	return mode == MODE_TEST ? "--test " : mode == MODE_BENCH ? "--bench " : "";
}

static const char *joined(struct arena *a, const char *x, const char *y)
{
	return x && *x ? y && *y ? arena_printf(a, "%s %s", x, y) : x : y ? y : "";
}

static void each_probe(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; providers[i]; i++) {
		const struct provider *p = providers[i];
		const char *others = joined(a, p->aliases, p->old_names);
		struct topic t = { .kind = TOPIC_PROBE,
				   .name = p->name,
				   .head = p->syntax,
				   .brief = p->brief,
				   .doc = p->doc,
				   .example = p->example,
				   .output = p->output,
				   .output_varies = p->varies };

		t.names = joined(a, p->name, others);
		if (*others)
			add_fact(&t, arena_printf(a, "Also written: %s.", others));
		add_output(a, &t, mode_option(p->mode), p->work);
		add_feature_fact(a, &t, p->feature);
		f(ctx, &t);
	}
}

static void builtin_topic(struct arena *a, const struct builtin_theme *theme,
			  const struct builtin *b, topic_fn f, void *ctx)
{
	struct topic t = { .kind = TOPIC_BUILTIN,
			   .section = theme->title,
			   .name = b->name,
			   .names = b->name,
			   .head = b->sig,
			   .brief = b->brief,
			   .doc = b->doc,
			   .example = b->example,
			   .output = b->output,
			   .output_varies = b->varies };

	if (b->alias_of)
		add_fact(&t, arena_printf(a, "An old spelling of %s.", b->alias_of));
	if (b->flags & BI_AGGREGATE)
		add_fact(&t, arena_printf(a, "Only as the value of a map: @x = %s(...).", b->name));
	if (b->flags & BI_UNSAFE)
		add_fact(&t, "Needs --unsafe.");
	add_feature_fact(a, &t, b->feature);
	add_output(a, &t, b->flags & BI_UNSAFE ? "--unsafe " : "", b->work);
	f(ctx, &t);
}

static void each_builtin(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; builtin_themes[i]; i++)
		for (u32 k = 0; k < builtin_themes[i]->n; k++)
			builtin_topic(a, builtin_themes[i], &builtin_themes[i]->rows[k], f, ctx);
}

static void each_config(struct arena *a, topic_fn f, void *ctx)
{
	struct config_topic c;

	for (u32 i = 0; config_topic(a, i, &c); i++) {
		struct topic t = { .kind = TOPIC_CONFIG,
				   .name = c.key,
				   .brief = c.note ? arena_printf(a, "%s (no effect)", c.brief) :
						     c.brief };
		char *upper = arena_strdup(a, c.key);

		for (char *s = upper; *s; s++)
			*s = (char)toupper((u8)*s);
		t.names = arena_printf(a, "%s %s BPFTRACE_%s SONDE_%s", c.key, upper, upper, upper);
		t.head = arena_printf(a, "config = { %s = %s }", c.key, c.dflt);
		add_fact(&t, arena_printf(a, "Values: %s. The default is %s.", c.values, c.dflt));
		if (c.note)
			add_fact(&t, arena_printf(a, "Setting it %s.", c.note));
		add_fact(
			&t,
			arena_printf(
				a,
				"In the environment, which wins over the block: BPFTRACE_%s or SONDE_%s.",
				upper, upper));
		f(ctx, &t);
	}
}

static void each_output(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; outputs[i]; i++) {
		const struct output *o = outputs[i];
		struct topic t = { .kind = TOPIC_OUTPUT,
				   .name = o->name,
				   .names = o->name,
				   .brief = o->brief,
				   .doc = o->doc,
				   .example = o->example,
				   .example_is_command = true };

		t.head = arena_printf(a, "-f %s", o->name);
		f(ctx, &t);
	}
}

/* ---- inside */

static void each_pass(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; i < n_ir_passes; i++) {
		struct topic t = { .kind = TOPIC_PASS,
				   .name = ir_passes[i].name,
				   .names = ir_passes[i].name,
				   .brief = ir_passes[i].brief };

		t.head = arena_printf(a, "--no-pass=%s", ir_passes[i].name);
		f(ctx, &t);
	}
}

static void each_feature(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; i < N_FEATURES; i++) {
		const struct feature_row *row = &feature_rows[i];
		char *name = arena_strdup(a, row->name);
		struct topic t = { .kind = TOPIC_FEATURE,
				   .name = name,
				   .names = name,
				   .head = name,
				   .brief = row->text };

		for (char *s = name; *s; s++)
			*s = (char)tolower((u8)*s);
		add_fact(&t, arena_printf(a, "Since Linux %s.", row->since));
		add_fact(&t, arena_printf(a, "Without it: %s.", row->without));
		f(ctx, &t);
	}
}

/* "expected %s, found %s" -> "expected ..., found ..." */
static const char *without_conversions(struct arena *a, const char *fmt)
{
	struct buf b = { 0 };
	const char *text;

	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			buf_putc(&b, *fmt);
		} else if (fmt[1] == '%') {
			buf_putc(&b, *fmt++);
		} else {
			fmt += 1 + strcspn(fmt + 1, "diouxXcsp");
			if (b.len < 3 || !ends_with(b.s, "..."))
				buf_puts(&b, "...");
		}
	}
	text = arena_strdup(a, b.s ? b.s : "");
	buf_release(&b);
	return text;
}

static void each_diag(struct arena *a, topic_fn f, void *ctx)
{
	for (u32 i = 0; i < N_DIAG; i++) {
		const struct diag_row *row = &diag_rows[i];
		char code[8];
		struct topic t = { .kind = TOPIC_DIAG,
				   .doc = row->doc,
				   .example = *row->example ? row->example : NULL };

		t.name = arena_strdup(a, diag_code((enum diag_id)i, code));
		t.names = arena_printf(a, "%s %s %u %04u", t.name, row->name, row->num, row->num);
		t.brief = without_conversions(a, row->fmt);
		t.head = t.name;
		f(ctx, &t);
	}
}

void topics_each(struct arena *a, enum topic_kind kind, topic_fn f, void *ctx)
{
	static void (*const each[N_TOPIC_KINDS])(struct arena * a, topic_fn f, void *ctx) = {
		[TOPIC_COMMAND] = each_command, [TOPIC_TOOL] = each_tool,
		[TOPIC_OPTION] = each_option,   [TOPIC_PROBE] = each_probe,
		[TOPIC_BUILTIN] = each_builtin, [TOPIC_CONFIG] = each_config,
		[TOPIC_OUTPUT] = each_output,   [TOPIC_PASS] = each_pass,
		[TOPIC_FEATURE] = each_feature, [TOPIC_DIAG] = each_diag,
	};

	each[kind](a, f, ctx);
}

/* ---- finding */

static bool has_name(const char *names, const char *word, size_t len, bool any_case)
{
	for (const char *s = names; *s;) {
		size_t n = strcspn(s, " ");

		if (n == len && !(any_case ? strncasecmp(s, word, n) : strncmp(s, word, n)))
			return true;
		s += n + strspn(s + n, " ");
	}
	return false;
}

/* "arg3" finds the row "argN"; "kprobe:vfs_read" finds kprobe. */
bool topic_answers(const struct topic *t, const char *word)
{
	size_t len = strlen(word), digits = len;
	char numbered[64];

	if (t->kind == TOPIC_PROBE && strchr(word, ':'))
		len = strcspn(word, ":");
	if (has_name(t->names, word, len, t->kind == TOPIC_DIAG || t->kind == TOPIC_FEATURE))
		return true;
	while (digits && isdigit((u8)word[digits - 1]))
		digits--;
	if (t->kind != TOPIC_BUILTIN || digits == len || !digits || digits > sizeof numbered - 2)
		return false;
	memcpy(numbered, word, digits);
	numbered[digits] = 'N';
	return has_name(t->names, numbered, digits + 1, false);
}

/* ---- layout */

void fill_text(struct buf *b, const char *text, u32 indent, u32 width)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " \n");

		if (column && column + 1 + n > width) {
			buf_putc(b, '\n');
			column = 0;
		}
		if (!column)
			buf_pad(b, ' ', column = indent);
		else
			buf_putc(b, ' '), column++;
		buf_add(b, text, n);
		column += n;
		text += n;
		while (*text == ' ' || *text == '\n') {
			if (*text == '\n') {
				buf_putc(b, '\n');
				column = 0;
			}
			text++;
		}
	}
	if (column)
		buf_putc(b, '\n');
}
