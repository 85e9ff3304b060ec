/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde lsp: the language server protocol (3.17) over standard input and output.
 *
 *	server.c	messages in and out, which method is answered by what
 *	text.c	documents; offsets in UTF-8 and positions in UTF-16
 *	check.c	a document compiled: diagnostics, the typed tree
 *	complete.c	completion
 *	names.c	the cached names of probes
 *	ask.c	hover, definition, signatures, symbols, formatting
 *	refer.c	references, highlights, rename
 */
#ifndef SONDE_CLI_LSP_LSP_H
#define SONDE_CLI_LSP_LSP_H

#include "base/json_read.h"
#include "cli/cli.h"

struct document {
	char *uri, *path; /* path: of file: addresses, else the address itself */
	char *text;
	size_t len;
	struct document *next;
};

struct lsp {
	struct cli *c;
	struct arena arena;         /* of one message */
	const struct json *message; /* the one that is answered */
	struct buf out;             /* the result of a request, or a notification */
	const char *refusal;        /* why the request has no result; NULL: it has */
	struct document *documents;
	struct probe_names *names; /* cached lists of probes */
	bool is_ready, is_over;    /* initialize, shutdown came */
};

/* ---- text.c */
struct lsp_position {
	u32 line, character; /* from 0; character counts UTF-16 units */
};
struct document *document_find(struct lsp *l, const char *uri);
struct document *document_asked(struct lsp *l); /* that the message is about; NULL: not open */
struct document *document_open(struct lsp *l, const char *uri, const char *text, size_t len);
void document_close(struct lsp *l, const char *uri);
void document_replace(struct document *d, size_t from, size_t to, const char *text, size_t len);
/* Positions after the end of a line or of the text are treated as that end. */
size_t offset_of(const struct document *d, struct lsp_position p);
/* {"start": ..., "end": ...} */
void put_range(struct buf *b, const char *text, size_t len, size_t from, size_t to);
bool lsp_is_word(char c);
/* The word around an offset; a sign before it belongs to it. */
void lsp_word_at(const struct document *d, size_t offset, size_t *from, size_t *to);
/* The document and the offset that a request names; false: there are none. */
bool lsp_position(struct lsp *l, struct document **d, size_t *offset);

/* ---- names.c */
struct probe_names {
	struct arena arena;
	const char *family; /* what all begin with: "kprobe:" */
	VEC(const char *) v;
	struct probe_names *next;
};
/* Probes of a family; missing: parts that are any. They live until the next question. */
const struct probe_names *lsp_names(struct lsp *l, const char *family, u32 missing);
void lsp_forget_names(struct lsp *l);

/* ---- check.c */
/* Compiles a text as "sonde check" does; the caller releases it with lsp_forget(). */
struct compiled *lsp_compile(struct lsp *l, const struct document *d, const char *text, size_t len);
void lsp_forget(struct compiled *c);
/* The position of a span in the script; false: in another file, or none. */
bool lsp_span(struct compiled *c, struct span span, size_t *from, size_t *to);
/* The smallest typed node around an offset of the script, or NULL. */
struct node *lsp_node(struct compiled *c, size_t offset);
/* The first instance of the clause around an offset, or NULL. */
struct instance *lsp_instance(struct compiled *c, size_t offset);
void lsp_diagnostics(struct lsp *l, const struct document *d);

/* ---- results: the value of "result" is appended to l->out; nothing means null */
void lsp_complete(struct lsp *l);
void lsp_hover(struct lsp *l);
void lsp_definition(struct lsp *l);
void lsp_references(struct lsp *l);
void lsp_highlights(struct lsp *l);
void lsp_prepare_rename(struct lsp *l);
void lsp_rename(struct lsp *l);
void lsp_signature(struct lsp *l);
void lsp_symbols(struct lsp *l);
void lsp_format(struct lsp *l);

#endif
