/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that has a row, in one shape: help, the manual page, markdown and completions go over
 * topics and know nothing about the kinds of rows.
 */
#ifndef SONDE_CLI_TOPIC_H
#define SONDE_CLI_TOPIC_H

#include "base/arena.h"
#include "base/buf.h"

enum topic_kind {
	TOPIC_COMMAND,
	TOPIC_TOOL,
	TOPIC_OPTION,
	TOPIC_PROBE,
	TOPIC_BUILTIN,
	TOPIC_CONFIG,
	TOPIC_OUTPUT,
	TOPIC_PASS,
	TOPIC_FEATURE,
	TOPIC_DIAG,
	N_TOPIC_KINDS
};

struct option_row;

enum { MAX_FACTS = 12 };

struct topic {
	enum topic_kind kind;
	const char *section;               /* option group, theme; NULL: the kind has no sections */
	const char *name;                  /* in lists */
	const char *names;                 /* all names that find it, space separated */
	const char *head;                  /* signature, syntax, spelling, message */
	const char *brief, *doc, *example; /* doc and example may be NULL */
	const struct option_row *option;   /* of an option; else NULL */
	bool example_is_command;           /* else it is a script */
	const char *output;                /* what the example prints, or NULL */
	bool output_varies;                /* in its numbers */
	const char *fact[MAX_FACTS];       /* "Also written: k" */
	u32 n_facts;
};

extern const struct topic_kind_row {
	const char *word, *title; /* "probes", "Probe types" */
} topic_kinds[N_TOPIC_KINDS];

typedef void (*topic_fn)(void *ctx, const struct topic *t);
/* Texts are rows' own or live in a. */
void topics_each(struct arena *a, enum topic_kind kind, topic_fn f, void *ctx);
bool topic_answers(const struct topic *t, const char *word);

/* Paragraphs filled to a width, each line after `indent` spaces. */
void fill_text(struct buf *b, const char *text, u32 indent, u32 width);

/* ---- manual.c */
void put_man_page(struct buf *b);
/* Of one command, section 1; false: there is none of that name. */
bool put_command_page(struct buf *b, const char *name);
void put_markdown(struct buf *b, const enum topic_kind *kinds, u32 n, const char *title);
/* The operations of the IR, from ir/op.def; for developers of the compiler. */
void put_ir_manual(struct buf *b);
/* ---- requirements.c: situations and kernel features */
void put_requirements(struct buf *b);
/* ---- complete.c: false: no such shell */
bool put_completion(struct buf *b, const char *shell);

#endif
