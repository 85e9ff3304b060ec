/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde help: rows, shown to people. A word may be an option, a function or variable, a probe type,
 * a command, an output, a message's code, or the name of one of these lists. sonde explain is the
 * same for messages alone.
 */
#include <stdlib.h>
#include <strings.h>
#include "base/diag.h"
#include "cli/cli.h"
#include "cli/peer.h"
#include "cli/topic.h"

enum { WIDTH = 84, BRIEF_COLUMN = 24 };

struct search {
	struct buf out;
	const char *word, *section; /* section: the one listed last */
	bool by_section;
	u32 n_found;
	struct near near;
};

static void put_lines(struct buf *b, const char *title, const char *s)
{
	if (s)
		buf_printf(b, "\n    %s:\n", title);
	for (; s && *s; s += strcspn(s, "\n"), s += *s == '\n')
		buf_printf(b, "%s%.*s\n", *s == '\n' ? "" : "        ", (int)strcspn(s, "\n"), s);
}

static void put_topic(struct buf *b, const struct topic *t)
{
	buf_printf(b, "%s%s\n", b->len ? "\n" : "", t->head);
	fill_text(b, t->brief, 4, WIDTH);
	if (t->doc) {
		buf_putc(b, '\n');
		fill_text(b, t->doc, 4, WIDTH);
	}
	if (t->n_facts)
		buf_putc(b, '\n');
	for (u32 i = 0; i < t->n_facts; i++)
		fill_text(b, t->fact[i], 4, WIDTH);
	put_lines(b, "Example", t->example);
	put_lines(b, "Output", t->output);
}

static void find_topic(void *ctx, const struct topic *t)
{
	struct search *s = ctx;

	near_try(&s->near, t->name);
	if (!topic_answers(t, s->word))
		return;
	s->n_found++;
	put_topic(&s->out, t);
}

static void list_topic(void *ctx, const struct topic *t)
{
	struct search *s = ctx;
	size_t n = strlen(t->name);

	if (s->by_section && (!t->section || strcasecmp(t->section, s->word)))
		return;
	if (t->section && s->section != t->section)
		buf_printf(&s->out, "%s%s:\n", s->out.len ? "\n" : "", t->section);
	s->section = t->section;
	buf_printf(&s->out, "    %s", t->name);
	buf_pad(&s->out, ' ', n + 2 < BRIEF_COLUMN ? BRIEF_COLUMN - n : 2);
	buf_printf(&s->out, "%s\n", t->brief);
	s->n_found++;
}

/* "probes", "builtins" ...; the title of a section of theirs. */
static void list_topics(struct search *s, struct arena *a)
{
	for (enum topic_kind k = 0; k < N_TOPIC_KINDS; k++)
		if (streq(topic_kinds[k].word, s->word))
			topics_each(a, k, list_topic, s);
	s->by_section = true;
	for (enum topic_kind k = 0; k < N_TOPIC_KINDS && !s->n_found; k++)
		topics_each(a, k, list_topic, s);
}

static int help_word(struct cli *c, const char *word, const enum topic_kind *only)
{
	struct search s = { .word = word };
	struct arena a;
	int ret = 1;

	arena_init(&a);
	near_init(&s.near, word);
	for (enum topic_kind k = 0; k < N_TOPIC_KINDS; k++)
		if (!only || k == *only)
			topics_each(&a, k, find_topic, &s);
	if (!only && !s.n_found)
		list_topics(&s, &a);
	if (s.n_found)
		ret = put_out(c, &s.out);
	else if (near_best(&s.near))
		say(c, "nothing is named \"%s\": did you mean %s?", word, near_best(&s.near));
	else
		say(c, "nothing is named \"%s\"; \"%s help\" shows the lists", word,
		    c->line.program);
	buf_release(&s.out);
	arena_release(&a);
	return ret;
}

static void count_topic(void *ctx, const struct topic *t)
{
	++*(u32 *)ctx;
}

static int help_overview(struct cli *c)
{
	struct buf b = { 0 };
	struct arena a;
	int ret;

	arena_init(&a);
	buf_printf(&b,
		   "%s help NAME describes anything in these lists; %s help LIST prints one:\n\n",
		   c->line.program, c->line.program);
	for (enum topic_kind k = 0; k < N_TOPIC_KINDS; k++) {
		u32 n = 0;

		topics_each(&a, k, count_topic, &n);
		buf_printf(&b, "    %-14s %3u  %s\n", topic_kinds[k].word, n, topic_kinds[k].title);
	}
	buf_printf(&b, "\n%s --help is a summary of the command line.\n", c->line.program);
	ret = put_out(c, &b);
	buf_release(&b);
	arena_release(&a);
	return ret;
}

/* ---- whole documents */

static void put_manual(struct buf *b, enum manual what)
{
	static const enum topic_kind builtins[] = { TOPIC_BUILTIN }, probes[] = { TOPIC_PROBE },
				     configuration[] = { TOPIC_CONFIG }, tools[] = { TOPIC_TOOL },
				     options[] = { TOPIC_COMMAND, TOPIC_OPTION, TOPIC_OUTPUT },
				     diagnostics[] = { TOPIC_DIAG };

	switch (what) {
	case MANUAL_NONE: break;
	case MANUAL_MAN: put_man_page(b); break;
	case MANUAL_BUILTINS: put_markdown(b, builtins, 1, "Functions and variables"); break;
	case MANUAL_PROBES: put_markdown(b, probes, 1, "Probe types"); break;
	case MANUAL_CONFIGURATION:
		put_markdown(b, configuration, 1, "Configuration variables");
		break;
	case MANUAL_OPTIONS:
		put_markdown(b, options, 3, "The command line");
		peer_put_table(b);
		break;
	case MANUAL_DIAGNOSTICS: put_markdown(b, diagnostics, 1, "Messages of the compiler"); break;
	case MANUAL_TOOLS: put_markdown(b, tools, 1, "Tools"); break;
	case MANUAL_IR: put_ir_manual(b); break;
	case MANUAL_REQUIREMENTS: put_requirements(b); break;
	}
}

static int help_document(struct cli *c)
{
	struct buf b = { 0 };
	int ret;

	if (c->own.help.completion && !put_completion(&b, c->own.help.completion))
		return say_usage(c, "--completion=%s: must be one of bash|zsh|fish",
				 c->own.help.completion);
	if (c->own.help.manual == MANUAL_MAN && c->line.n_words &&
	    !put_command_page(&b, c->line.words[0]))
		return say_usage(c, "--man %s: there is no such command", c->line.words[0]);
	if (c->own.help.manual != MANUAL_MAN || !c->line.n_words)
		put_manual(&b, c->own.help.manual);
	ret = put_out(c, &b);
	buf_release(&b);
	return ret;
}

static int run(struct cli *c)
{
	int ret = 0;

	if (c->own.help.completion || c->own.help.manual)
		return help_document(c);
	if (!c->line.n_words)
		return help_overview(c);
	for (u32 i = 0; i < c->line.n_words && !ret; i++)
		ret = help_word(c, c->line.words[i], NULL);
	return ret;
}

const struct command command_help = {
	.name = "help",
	.args = "[NAME]...",
	.brief = "describe an option, a function, a probe type, a diagnostic",
	.doc = "Without a name: the lists. --man prints everything as a manual page, "
	       "--builtins-md, --configuration-md, --probes-md, --tools-md, --options-md, --diagnostics-md, --requirements-md and --ir-md parts of it "
	       "as markdown, --completion SHELL a completion script.",
	.example = "sonde help kstack",
	.takes = SET_OUTPUT,
	.run = run,
};

/* ---- explain */

static int explain(struct cli *c)
{
	static const enum topic_kind diagnostics = TOPIC_DIAG;
	int ret = 0;

	if (c->own.listed)
		return help_word(c, topic_kinds[diagnostics].word, NULL);
	if (!c->line.n_words)
		return say_usage(
			c,
			"which diagnostic? Its code is in brackets at the end, like E0203; --list shows all");
	for (u32 i = 0; i < c->line.n_words && !ret; i++)
		ret = help_word(c, c->line.words[i], &diagnostics);
	return ret;
}

const struct command command_explain = {
	.name = "explain",
	.args = "CODE...",
	.brief = "explain a diagnostic of the compiler",
	.doc = "CODE is in brackets at the end of a diagnostic, such as E0203; --list shows all of them.",
	.example = "sonde explain E0203",
	.takes = SET_OUTPUT,
	.run = explain,
};
