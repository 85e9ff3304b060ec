/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions as text without spaces: the same for all ways to write one ("a->b" is "a.b", "pid()"
 * is "pid").
 */
#include "lang/noted.h"

struct text {
	struct check *c;
	struct buf b;
	bool is_bound;
};

static void put(struct text *t, const struct node *n);

static void put_list(struct text *t, const struct node *list)
{
	for (const struct node *n = list; n; n = n->next) {
		buf_puts(&t->b, n == list ? "" : ",");
		put(t, n);
	}
}

static void put_string(struct text *t, const struct node *n)
{
	buf_putc(&t->b, '"');
	for (u32 i = 0; i < n->str_len; i++)
		if (n->str[i] < ' ' || n->str[i] == '"' || n->str[i] == '\\')
			buf_printf(&t->b, "\\x%02x", (u8)n->str[i]);
		else
			buf_putc(&t->b, n->str[i]);
	buf_putc(&t->b, '"');
}

static void put_type(struct text *t, const struct type_ref *ref)
{
	if (!ref->name)
		t->is_bound = true;
	if (ref->tag)
		buf_printf(&t->b, "%c ", ref->tag);
	buf_puts(&t->b, ref->name ? ref->name : "typeof");
	for (u32 i = 0; i < ref->suffix.n; i++)
		buf_printf(&t->b, ref->suffix.v[i] == -1 ? "*" : "[%lld]",
			   (long long)ref->suffix.v[i]);
}

/* Of names those of builtins mean the same in all scripts. */
static void put_name(struct text *t, const struct node *n)
{
	t->is_bound |= !env_builtin(t->c->env, n->name);
	buf_puts(&t->b, n->name);
}

static void put_call(struct text *t, const struct node *n)
{
	put_name(t, n);
	if (!n->a)
		return;
	buf_putc(&t->b, '(');
	put_list(t, n->a);
	buf_putc(&t->b, ')');
}

static void put_operator(struct text *t, const struct node *n)
{
	buf_putc(&t->b, '(');
	if (n->kind == N_BINARY)
		put(t, n->a);
	buf_puts(&t->b, op_text(n->op));
	put(t, n->kind == N_BINARY ? n->b : n->a);
	buf_putc(&t->b, ')');
}

static void put_field(struct text *t, const struct node *n)
{
	put(t, n->a);
	if (n->name)
		buf_printf(&t->b, ".%s", n->name);
	else
		buf_printf(&t->b, ".%lld", (long long)n->value);
}

static void put_index(struct text *t, const struct node *n)
{
	put(t, n->a);
	buf_putc(&t->b, '[');
	put(t, n->b);
	buf_putc(&t->b, ']');
}

static void put_bound(struct text *t, const struct node *n)
{
	t->is_bound = true;
	buf_printf(&t->b, "%s%.*s",
		   n->kind == N_VAR ? "$" :
		   n->kind == N_MAP ? "@" :
				      "{",
		   n->name ? (int)strcspn(n->name, "#") : 0, n->name ? n->name : "");
	if (n->kind == N_MAP && n->a) {
		buf_putc(&t->b, '[');
		put_list(t, n->a);
		buf_putc(&t->b, ']');
	}
}

static void put(struct text *t, const struct node *n)
{
	if (n->kind == N_INT || n->kind == N_BOOL) {
		buf_printf(&t->b, "%lld", (long long)n->value);
	} else if (n->kind == N_STR) {
		put_string(t, n);
	} else if (n->kind == N_IDENT) {
		put_name(t, n);
	} else if (n->kind == N_CALL) {
		put_call(t, n);
	} else if (n->kind == N_FIELD) {
		put_field(t, n);
	} else if (n->kind == N_INDEX) {
		put_index(t, n);
	} else if (n->kind == N_UNARY || n->kind == N_BINARY) {
		put_operator(t, n);
	} else if (n->kind == N_CAST) {
		buf_putc(&t->b, '(');
		put_type(t, n->tref);
		buf_putc(&t->b, ')');
		put(t, n->a);
	} else {
		put_bound(t, n);
	}
}

bool noted_is_args(struct check *c, const struct node *n)
{
	const struct builtin *row = n->kind == N_IDENT || (n->kind == N_CALL && !n->a) ?
					    env_builtin(c->env, n->name) :
					    NULL;

	return row && row->flags & (BI_RECORD | BI_VARS);
}

bool noted_is_asked(const struct builtin *row, const struct node *call)
{
	u32 flags = row ? row->flags : 0;

	return (flags & BI_NOTED) || ((flags & BI_NOTED_ARGS) && call->a) ||
	       ((flags & BI_READS_ARGS) && !(flags & (BI_RECORD | BI_STATEMENT)) && !call->a);
}

static u32 place(struct check *c, struct span span)
{
	struct position at = sources_find(c->lang->sources, span);

	return at.file ? span.off - at.file->base : 0;
}

/* Where it is, and the calls of the macros and functions that it is in. */
static const char *bound_key(struct check *c, const struct node *n, const char *key)
{
	key = arena_printf(c->arena, "%s@%u", key, place(c, n->span));
	for (const struct expansion *e = c->s->expansion; e; e = e->up)
		key = arena_printf(c->arena, "%s:%u", key, place(c, e->call));
	return key;
}

struct noted_text noted_text_of(struct check *c, const struct node *n)
{
	struct text t = { .c = c };
	struct noted_text to = { .is_arg = n->kind == N_FIELD && noted_is_args(c, n->a) };

	put(&t, n);
	to.key = arena_strdup(c->arena, t.b.s);
	to.bound = bound_key(c, n, to.key);
	to.is_bound = t.is_bound;
	buf_release(&t.b);
	return to;
}
