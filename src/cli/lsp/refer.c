/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where else a name is used: references, highlights, rename. Maps are the whole script's, variables
 * their scope's, macros and functions are where they are called. The text is looked through, not
 * the tree, so that a script that does not compile is handled too; the tree distinguishes variables
 * of one name.
 */
#include <ctype.h>
#include <stdlib.h>
#include "base/json.h"
#include "cli/lsp/lsp.h"

enum use_kind { USE_NONE, USE_MAP, USE_VARIABLE, USE_NAME };

struct use {
	size_t from, to;
};

struct uses {
	const struct document *d;
	struct compiled *c;
	struct arena *arena;
	enum use_kind kind;
	struct use word; /* at the requested position */
	struct use item; /* where it is known: a clause, a macro, a function, or all */
	const struct var *var;
	VEC(struct use) v;
};

static bool is_called(const char *s, const char *end)
{
	while (s < end && isblank((u8)*s))
		s++;
	return s < end && *s == '(';
}

static bool is_declared(const char *text, const char *s)
{
	const char *end;

	while (s > text && isblank((u8)s[-1]))
		s--;
	for (end = s; s > text && lsp_is_word(s[-1]);)
		s--;
	return (end - s == 5 && !memcmp(s, "macro", 5)) || (end - s == 2 && !memcmp(s, "fn", 2));
}

/* The text after a comment or a string that begins here, or the position itself. */
static const char *skip_quoted(const char *s, const char *end)
{
	const char *at;

	if (end - s > 1 && s[0] == '/' && s[1] == '/') {
		at = memchr(s, '\n', (size_t)(end - s));
		return at ? at : end;
	}
	if (end - s > 1 && s[0] == '/' && s[1] == '*') {
		at = memmem(s + 2, (size_t)(end - s - 2), "*/", 2);
		return at ? at + 2 : end;
	}
	if (*s != '"')
		return s;
	for (s++; s < end && *s != '"' && *s != '\n'; s++)
		s += *s == '\\' && s + 1 < end;
	return MIN(s + 1, end);
}

/* "@FILE:LINE" and names of functions are parts of a probe. */
static bool is_in_probe(struct compiled *c, size_t at)
{
	size_t from, to;

	for (const struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		for (const struct attach *a = cl->attaches; a; a = a->next)
			if (lsp_span(c, a->span, &from, &to) && from <= at && at < to)
				return true;
	return false;
}

static bool is_same(const struct uses *u, size_t from, size_t to)
{
	const char *text = u->d->text;
	struct node *n;

	if (to - from != u->word.to - u->word.from ||
	    memcmp(text + from, text + u->word.from, to - from) || from < u->item.from ||
	    to > u->item.to || is_in_probe(u->c, from))
		return false;
	if (u->kind == USE_NAME)
		return !(from && text[from - 1] == '.') &&
		       (is_called(text + to, text + u->d->len) || is_declared(text, text + from));
	n = u->kind == USE_VARIABLE && u->var ? lsp_node(u->c, to) : NULL;
	return !n || n->kind != N_VAR || !n->var || n->var->decl.off == u->var->decl.off;
}

static void gather(struct uses *u)
{
	const char *text = u->d->text, *end = text + u->d->len;

	for (const char *s = text; s < end;) {
		const char *from = s, *next = skip_quoted(s, end);

		if (next > s) {
			s = next;
			continue;
		}
		s += strchr("$@", *s) && *s;
		while (s < end && lsp_is_word(*s))
			s++;
		if (s == from)
			s++;
		else if (is_same(u, (size_t)(from - text), (size_t)(s - text)))
			vec_push(u->arena, &u->v,
				 (struct use){ (size_t)(from - text), (size_t)(s - text) });
	}
}

static bool narrow(struct uses *u, struct span head, const struct node *body)
{
	struct span span = { head.off,
			     body ? body->span.off + body->span.len - head.off : head.len };
	struct use at;

	if (!lsp_span(u->c, span, &at.from, &at.to) || u->word.from < at.from || u->word.to > at.to)
		return false;
	u->item = at;
	return true;
}

/* The clause, macro or function that a variable belongs to. */
static void find_item(struct uses *u)
{
	const struct script *s = u->c->lang.script;

	for (const struct clause *cl = s->clauses; cl; cl = cl->next)
		if (narrow(u, cl->span, cl->body))
			return;
	for (const struct macro *m = s->macros; m; m = m->next)
		if (narrow(u, m->span, m->body))
			return;
	for (const struct function *f = s->functions; f; f = f->next)
		if (narrow(u, f->span, f->body))
			return;
}

static bool names(const struct uses *u, const char *name, struct span span)
{
	size_t len = u->word.to - u->word.from, from, to;

	return strlen(name) == len && !memcmp(name, u->d->text + u->word.from, len) &&
	       lsp_span(u->c, span, &from, &to);
}

/* Of this script, not of the library. */
static bool is_declared_name(const struct uses *u)
{
	for (const struct macro *m = u->c->lang.script->macros; m; m = m->next)
		if (names(u, m->name, m->span))
			return true;
	for (const struct function *f = u->c->lang.script->functions; f; f = f->next)
		if (names(u, f->name, f->span))
			return true;
	return false;
}

/* What the request's position names; false: nothing that is declared in the document. */
static bool ask(struct lsp *l, struct uses *u)
{
	struct document *d;
	size_t offset;
	struct node *n;

	*u = (struct uses){ .arena = &l->arena };
	if (!lsp_position(l, &d, &offset))
		return false;
	lsp_word_at(d, offset, &u->word.from, &u->word.to);
	if (u->word.from == u->word.to)
		return false;
	u->d = d;
	u->c = lsp_compile(l, d, d->text, d->len);
	u->item = (struct use){ 0, d->len };
	if (!u->c->lang.script || is_in_probe(u->c, u->word.from))
		return false;
	if (d->text[u->word.from] == '@') {
		u->kind = USE_MAP;
	} else if (d->text[u->word.from] == '$' && u->word.to - u->word.from > 1 &&
		   !isdigit((u8)d->text[u->word.from + 1])) {
		u->kind = USE_VARIABLE;
		n = lsp_node(u->c, u->word.to);
		u->var = n && n->kind == N_VAR ? n->var : NULL;
		find_item(u);
	} else if (is_declared_name(u)) {
		u->kind = USE_NAME;
	}
	if (u->kind)
		gather(u);
	return u->v.n > 0;
}

static void forget(struct uses *u)
{
	if (u->c)
		lsp_forget(u->c);
}

static void put_uses(struct lsp *l, const struct uses *u, const char *before, const char *after)
{
	for (u32 i = 0; i < u->v.n; i++) {
		buf_printf(&l->out, "%s{%s\"range\":", i ? "," : "", before);
		put_range(&l->out, u->d->text, u->d->len, u->v.v[i].from, u->v.v[i].to);
		buf_printf(&l->out, "%s}", after);
	}
}

static void put_list(struct lsp *l, bool with_uri)
{
	struct buf uri = { 0 };
	struct uses u;

	if (ask(l, &u)) {
		if (with_uri) {
			buf_puts(&uri, "\"uri\":");
			json_strz(&uri, u.d->uri);
			buf_putc(&uri, ',');
		}
		buf_putc(&l->out, '[');
		put_uses(l, &u, uri.s ? uri.s : "", "");
		buf_putc(&l->out, ']');
	}
	buf_release(&uri);
	forget(&u);
}

void lsp_references(struct lsp *l)
{
	put_list(l, true);
}

void lsp_highlights(struct lsp *l)
{
	put_list(l, false);
}

/* ---- rename */

void lsp_prepare_rename(struct lsp *l)
{
	struct uses u;

	if (ask(l, &u))
		put_range(&l->out, u.d->text, u.d->len, u.word.from, u.word.to);
	forget(&u);
}

static const char *why_no_name(const char *name, bool may_be_empty)
{
	if (!*name && !may_be_empty)
		return "a name has a letter at least";
	if (isdigit((u8)*name))
		return "a name does not begin with a digit";
	for (const char *s = name; *s; s++)
		if (!lsp_is_word(*s))
			return "a name has letters, digits and underscores";
	return NULL;
}

/* Whether the new name already means something where the old one is known: it is searched for after
 * a copy of the text. */
static bool is_taken(const struct uses *u, const char *name)
{
	struct document copy = *u->d;
	struct uses other = *u;

	if (u->kind == USE_NAME && env_builtin(&u->c->env, name))
		return true;
	copy.text = xasprintf("%s\n%s", u->d->text, name);
	copy.len = strlen(copy.text);
	other.d = &copy;
	other.var = NULL;
	other.v.n = 0;
	other.word = (struct use){ u->d->len + 1, copy.len };
	gather(&other);
	free(copy.text);
	return other.v.n > 0;
}

void lsp_rename(struct lsp *l)
{
	const char *name = json_text(l->message, "params.newName");
	struct buf full = { 0 }, edit = { 0 };
	struct uses u;

	if (!ask(l, &u)) {
		l->refusal =
			"only maps, variables, macros and functions of the script can be renamed";
	} else {
		char sign = u.d->text[u.word.from];

		name = name ? name : "";
		name += *name && strchr("@$", *name) && *name == sign;
		l->refusal = why_no_name(name, sign == '@');
		buf_printf(&full, "%s%s", u.kind == USE_NAME ? "" : sign == '@' ? "@" : "$", name);
		if (!l->refusal && is_taken(&u, full.s))
			l->refusal = "this name has a meaning here already";
	}
	if (!l->refusal) {
		buf_puts(&edit, ",\"newText\":");
		json_strz(&edit, full.s);
		buf_puts(&l->out, "{\"changes\":{");
		json_strz(&l->out, u.d->uri);
		buf_puts(&l->out, ":[");
		put_uses(l, &u, "", edit.s);
		buf_puts(&l->out, "]}}");
	}
	buf_release(&full);
	buf_release(&edit);
	forget(&u);
}
