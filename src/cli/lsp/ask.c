/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries about a position: what is this, where is it defined, what arguments does it take; and the
 * whole. */
#include <ctype.h>
#include <stdlib.h>
#include "base/json.h"
#include "builtin/builtin.h"
#include "cli/front.h"
#include "cli/lsp/lsp.h"

bool lsp_is_word(char c)
{
	return isalnum((u8)c) || c == '_';
}

void lsp_word_at(const struct document *d, size_t offset, size_t *from, size_t *to)
{
	*from = *to = offset;
	while (*from > 0 && lsp_is_word(d->text[*from - 1]))
		--*from;
	while (*to < d->len && lsp_is_word(d->text[*to]))
		++*to;
	if (*from > 0 && strchr("$@", d->text[*from - 1]))
		--*from;
}

static void open_front(struct front *f, struct cli *c, const struct document *d)
{
	*c = (struct cli){
		.request = { .script.name = d->path, .script.text = d->text, .script.len = d->len },
		.host = { .themes = builtin_themes }
	};
	front_init(f, c);
}

/* ---- hover */

static void put_row(struct buf *b, const struct builtin *row)
{
	buf_printf(b, "```\n%s\n```\n%s\n", row->sig, row->brief);
	if (row->doc && *row->doc)
		buf_printf(b, "\n%s\n", row->doc);
	if (row->flags & BI_UNSAFE)
		buf_puts(b, "\nNeeds `--unsafe`.\n");
	if (row->example)
		buf_printf(b, "\n```\n%s\n```\n", row->example);
}

static void put_typed(struct buf *b, const char *name, size_t len, const struct type *t)
{
	buf_printf(b, "```\n%.*s: ", (int)len, name);
	type_print(b, t);
	buf_puts(b, "\n```\n");
}

static void put_map(struct buf *b, const struct map *m)
{
	buf_printf(b, "```\n%s", m->name);
	if (m->key && m->key->kind != TY_UNKNOWN) {
		buf_putc(b, '[');
		type_print(b, m->key);
		buf_putc(b, ']');
	}
	buf_puts(b, ": ");
	type_print(b, m->value);
	buf_puts(b, "\n```\n");
}

/* A probe: what kind it is, and the arguments of the first that it names. */
static bool put_probe(struct buf *b, struct compiled *c, const struct document *d, size_t offset)
{
	struct instance *in = lsp_instance(c, offset);
	size_t from, to;
	const struct provider *p;
	char name[32];

	for (const struct attach *a = in ? in->clause->attaches : NULL; a; a = a->next) {
		if (!lsp_span(c, a->span, &from, &to) || offset < from || offset > to)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)strcspn(d->text + from, ": {"),
			 d->text + from);
		if (!(p = provider_find(name)))
			return false;
		buf_printf(b, "```\n%s\n```\n%s\n\n%s\n", p->syntax, p->brief, p->doc);
		if (in->profile->args.n)
			buf_puts(b, "\n`args`:\n```\n");
		for (u32 i = 0; i < in->profile->args.n; i++) {
			const struct arg_desc *arg = &in->profile->args.v[i];

			if (arg->text) {
				buf_printf(b, "%s\n", arg->text);
			} else {
				type_print(b, arg->type);
				buf_printf(b, " %s\n", arg->name);
			}
		}
		if (in->profile->args.n)
			buf_puts(b, "```\n");
		return true;
	}
	return false;
}

static void put_about(struct buf *b, struct compiled *c, const struct document *d, size_t offset)
{
	const struct builtin *row;
	struct node *n;
	size_t from, to;
	char name[64];

	if (put_probe(b, c, d, offset))
		return;
	lsp_word_at(d, offset, &from, &to);
	snprintf(name, sizeof name, "%.*s", (int)(to - from), d->text + from);
	n = to > from ? lsp_node(c, to) : NULL;
	if (!*name)
		return;
	if (n && n->kind == N_MAP && n->map) {
		put_map(b, n->map);
		return;
	}
	row = d->text[from] == '$' || (from && d->text[from - 1] == '.') ?
		      NULL :
		      env_builtin(&c->env, name);
	if (row)
		put_row(b, row);
	else if (n && n->type && n->type->kind != TY_ERROR && n->type->kind != TY_UNKNOWN)
		put_typed(b, name, strlen(name), n->type);
}

void lsp_hover(struct lsp *l)
{
	struct buf text = { 0 };
	struct compiled *c;
	struct document *d;
	size_t offset;

	if (!lsp_position(l, &d, &offset))
		return;
	c = lsp_compile(l, d, d->text, d->len);
	put_about(&text, c, d, offset);
	if (text.len) {
		buf_puts(&l->out, "{\"contents\":{\"kind\":\"markdown\",\"value\":");
		json_str(&l->out, text.s, text.len);
		buf_puts(&l->out, "}}");
	}
	buf_release(&text);
	lsp_forget(c);
}

/* ---- definition */

static struct span find_definition(struct compiled *c, const char *name, struct node *n)
{
	const struct map *m;

	if (name[0] == '@' && (m = hash_gets(&c->lang.maps, name)))
		return m->first;
	if (name[0] == '$')
		return n && n->var ? n->var->decl : (struct span){ 0, 0 };
	for (const struct macro *macro = c->lang.script->macros; macro; macro = macro->next)
		if (streq(macro->name, name))
			return macro->span;
	for (const struct function *f = c->lang.script->functions; f; f = f->next)
		if (streq(f->name, name))
			return f->span;
	return (struct span){ 0, 0 };
}

void lsp_definition(struct lsp *l)
{
	struct compiled *c;
	struct document *d;
	size_t offset, from, to;
	struct span at;
	char name[64];

	if (!lsp_position(l, &d, &offset))
		return;
	lsp_word_at(d, offset, &from, &to);
	snprintf(name, sizeof name, "%.*s", (int)(to - from), d->text + from);
	c = lsp_compile(l, d, d->text, d->len);
	at = find_definition(c, name, to > from ? lsp_node(c, to) : NULL);
	if (at.off && lsp_span(c, at, &from, &to)) {
		buf_puts(&l->out, "{\"uri\":");
		json_strz(&l->out, d->uri);
		buf_puts(&l->out, ",\"range\":");
		put_range(&l->out, d->text, d->len, from, to);
		buf_putc(&l->out, '}');
	}
	lsp_forget(c);
}

/* ---- signatures */

/* The call whose parentheses are open at an offset: where its name ends, and how many commas
 * since. */
static bool open_call(const struct document *d, size_t at, size_t *name_end, u32 *commas)
{
	u32 depth = 0;

	*commas = 0;
	while (at > 0 && !strchr(";{}", d->text[at - 1])) {
		char c = d->text[--at];

		if (c == ')' || c == ']')
			depth++;
		else if ((c == '(' || c == '[') && depth)
			depth--;
		else if (c == '(' && at && lsp_is_word(d->text[at - 1])) {
			*name_end = at;
			return true;
		} else if (c == ',' && !depth)
			++*commas;
	}
	return false;
}

static u32 put_parameters(struct buf *b, const char *sig)
{
	const char *s = strchr(sig, '(');
	u32 n = 0;

	while (s && *s && *s != ')') {
		size_t len = strcspn(++s, ",)");

		while (len && *s == ' ')
			s++, len--;
		buf_puts(b, n++ ? ",{\"label\":" : "{\"label\":");
		json_str(b, s, len);
		buf_putc(b, '}');
		s += len;
	}
	return n;
}

void lsp_signature(struct lsp *l)
{
	struct document *d;
	size_t offset, end, from, to;
	const struct builtin *row;
	u32 commas, n;
	struct front f;
	struct cli c;
	char name[64];

	if (!lsp_position(l, &d, &offset) || !open_call(d, offset, &end, &commas))
		return;
	lsp_word_at(d, end, &from, &to);
	snprintf(name, sizeof name, "%.*s", (int)(end - from), d->text + from);
	open_front(&f, &c, d);
	row = env_builtin(&f.env, name);
	if (row) {
		buf_puts(&l->out, "{\"signatures\":[{\"label\":");
		json_strz(&l->out, row->sig);
		buf_puts(&l->out, ",\"documentation\":");
		json_strz(&l->out, row->brief);
		buf_puts(&l->out, ",\"parameters\":[");
		n = put_parameters(&l->out, row->sig);
		buf_printf(&l->out, "]}],\"activeSignature\":0,\"activeParameter\":%u}",
			   n ? MIN(commas, n - 1) : 0);
	}
	front_release(&f);
}

/* ---- symbols */

struct symbols {
	struct lsp *l;
	const struct document *d;
	struct front *f;
	u32 n;
};

static void put_symbol(struct symbols *s, const char *name, u32 kind, struct span span)
{
	struct buf *b = &s->l->out;
	struct position at = sources_find(&s->f->sources, span);
	size_t from;

	if (at.file != s->f->src)
		return;
	from = span.off - s->f->src->base;
	buf_puts(b, s->n++ ? ",{\"name\":" : "{\"name\":");
	json_strz(b, name);
	buf_printf(b, ",\"kind\":%u,\"range\":", kind);
	put_range(b, s->d->text, s->d->len, from, from + span.len);
	buf_puts(b, ",\"selectionRange\":");
	put_range(b, s->d->text, s->d->len, from, from + span.len);
	buf_putc(b, '}');
}

void lsp_symbols(struct lsp *l)
{
	enum { SYMBOL_FUNCTION = 12, SYMBOL_EVENT = 24 };
	struct symbols s = { .l = l };
	struct document *d = document_asked(l);
	struct front f;
	struct cli c;

	if (!d)
		return;
	open_front(&f, &c, d);
	s.d = d;
	s.f = &f;
	parse_script(&f.lang, f.src);
	buf_putc(&l->out, '[');
	for (const struct macro *m = f.lang.script->macros; m; m = m->next)
		put_symbol(&s, m->name, SYMBOL_FUNCTION, m->span);
	for (const struct function *fn = f.lang.script->functions; fn; fn = fn->next)
		put_symbol(&s, fn->name, SYMBOL_FUNCTION, fn->span);
	for (const struct clause *cl = f.lang.script->clauses; cl; cl = cl->next)
		put_symbol(&s, cl->attaches ? cl->attaches->text : "", SYMBOL_EVENT, cl->span);
	buf_putc(&l->out, ']');
	front_release(&f);
}

/* ---- layout */

/* The whole text at once; nothing while it does not parse. */
void lsp_format(struct lsp *l)
{
	struct document *d = document_asked(l);
	struct buf text = { 0 };
	struct front f;
	struct cli c;

	if (!d)
		return;
	open_front(&f, &c, d);
	if (format_script(&f.lang, f.src, &text)) {
		buf_puts(&l->out, "[{\"range\":");
		put_range(&l->out, d->text, d->len, 0, d->len);
		buf_puts(&l->out, ",\"newText\":");
		json_str(&l->out, text.s, text.len);
		buf_puts(&l->out, "}]");
	}
	buf_release(&text);
	front_release(&f);
}
