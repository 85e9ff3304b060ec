/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles a document as "sonde check" does: without the kernel. */
#include <stdlib.h>
#include "base/json.h"
#include "builtin/builtin.h"
#include "cli/lsp/lsp.h"

/* A compilation and what it borrows. */
struct checked {
	struct compiled compiled; /* first: lsp_forget() has its address */
	struct request request;
};

struct compiled *lsp_compile(struct lsp *l, const struct document *d, const char *text, size_t len)
{
	static const struct session_host host = { .themes = builtin_themes };
	struct checked *c = xcalloc(1, sizeof *c);
	struct err err = { 0 };

	c->request = (struct request){ .script.name = d->path,
				       .script.text = text,
				       .script.len = len,
				       .compile.unsafe = true,
				       .compile.any_kernel = true };
	session_compile(&c->compiled, &c->request, &host, &err);
	err_release(&err);
	return &c->compiled;
}

void lsp_forget(struct compiled *c)
{
	compiled_release(c);
	free(c);
}

bool lsp_span(struct compiled *c, struct span span, size_t *from, size_t *to)
{
	const struct source *script = c->sources.files.n ? c->sources.files.v[0] : NULL;
	struct position at = sources_find(&c->sources, span);

	if (!script || at.file != script)
		return false;
	*from = span.off - script->base;
	*to = MIN(*from + span.len, script->len);
	return true;
}

/* ---- the tree */

struct search {
	struct compiled *c;
	size_t offset;
	struct node *best;
};

static bool on_node(struct node *n, void *ctx)
{
	struct search *s = ctx;
	size_t from, to;

	if (n->type && n->kind <= N_BLOCK_EXPR && lsp_span(s->c, n->span, &from, &to) &&
	    from <= s->offset && s->offset <= to && (!s->best || n->span.len <= s->best->span.len))
		s->best = n;
	return true;
}

struct node *lsp_node(struct compiled *c, size_t offset)
{
	struct search s = { c, offset, NULL };

	for (u32 i = 0; i < c->instances.n && !s.best; i++) {
		ast_walk(c->instances.v[i]->predicate, on_node, &s);
		ast_walk(c->instances.v[i]->body, on_node, &s);
	}
	return s.best;
}

struct instance *lsp_instance(struct compiled *c, size_t offset)
{
	size_t from, to;

	for (u32 i = 0; i < c->instances.n; i++)
		if (lsp_span(c, c->instances.v[i]->clause->span, &from, &to) && from <= offset &&
		    offset <= to)
			return c->instances.v[i];
	return NULL;
}

/* ---- diagnostics */

static void put_message(struct buf *b, const struct diag *d)
{
	struct buf text = { 0 };

	buf_puts(&text, d->text);
	for (u32 i = 0; i < diag_n_helps(d); i++)
		buf_printf(&text, "\nhelp: %s", diag_nth_help(d, i));
	json_str(b, text.s, text.len);
	buf_release(&text);
}

static void put_notes(struct buf *b, struct compiled *c, const struct document *doc,
		      const struct diag *d)
{
	const char *between = ",\"relatedInformation\":[";
	size_t from, to;
	u32 n = 0;

	for (u32 i = 0; i < d->notes.n; i++) {
		if (!lsp_span(c, d->notes.v[i].span, &from, &to))
			continue;
		buf_puts(b, n++ ? "," : between);
		buf_puts(b, "{\"location\":{\"uri\":");
		json_strz(b, doc->uri);
		buf_puts(b, ",\"range\":");
		put_range(b, doc->text, doc->len, from, to);
		buf_puts(b, "},\"message\":");
		json_strz(b, d->notes.v[i].text);
		buf_putc(b, '}');
	}
	if (n)
		buf_putc(b, ']');
}

/* Diagnostics of an imported file are at the beginning of the document. */
static void put_diag(struct buf *b, struct compiled *c, const struct document *doc,
		     const struct diag *d)
{
	static const u32 severity[] = { [SEV_ERROR] = 1, [SEV_WARNING] = 2, [SEV_NOTE] = 3 };
	size_t from = 0, to = 0;
	char code[8];

	if (!lsp_span(c, d->span, &from, &to))
		from = to = 0;
	buf_puts(b, "{\"range\":");
	put_range(b, doc->text, doc->len, from, to);
	buf_printf(b, ",\"severity\":%u,\"code\":\"%s\",\"source\":\"sonde\",\"message\":",
		   severity[d->severity], diag_code(d->id, code));
	put_message(b, d);
	put_notes(b, c, doc, d);
	buf_putc(b, '}');
}

void lsp_diagnostics(struct lsp *l, const struct document *d)
{
	struct compiled *c = lsp_compile(l, d, d->text, d->len);

	buf_puts(&l->out, "{\"uri\":");
	json_strz(&l->out, d->uri);
	buf_puts(&l->out, ",\"diagnostics\":[");
	for (u32 i = 0; i < c->diags.list.n; i++) {
		buf_puts(&l->out, i ? "," : "");
		put_diag(&l->out, c, d, c->diags.list.v[i]);
	}
	buf_puts(&l->out, "]}");
	lsp_forget(c);
}
