/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a predicate as typed. Out: a clause for each event that has its fields, and a run of them. */
#include <ctype.h>
#include "builtin/builtin.h"
#include "cli/expr_name.h"
#include "cli/predicate.h"
#include "import/import.h"
#include "sym/tracefs.h"
#include "type/event_format.h"

/* ---- names */

static bool is_same(const char *a, const char *s, size_t n)
{
	return !strncmp(a, s, n) && !a[n];
}

/* Functions have parentheses, so a field may have the name of one. */
static bool is_variable(const char *s, size_t n)
{
	for (const struct builtin_theme *const *t = builtin_themes; *t; t++)
		for (u32 i = 0; i < (*t)->n; i++) {
			const struct builtin *row = &(*t)->rows[i];

			if ((row->flags & BI_VARIABLE) && is_same(row->name, s, n))
				return true;
		}
	return is_same("args", s, n);
}

static bool is_field(const struct recorded *r, const char *s, size_t n)
{
	for (u32 i = 0; i < r->tables->formats.n; i++) {
		const struct event_format *f = r->tables->formats.v[i];

		for (u32 k = 0; k < f->n_members; k++)
			if (is_same(f->members[k].name, s, n))
				return true;
	}
	return false;
}

/* The next field that is typed without args., *len bytes long; NULL: no more. before: where the
 * text begins. */
static const char *next_field(const struct recorded *r, const char *before, const char *s,
			      size_t *len)
{
	for (; *s; s += *len) {
		char last = s > before ? s[-1] : ' ';

		*len = expr_name_length(s);
		if (*s == '"')
			*len = expr_quoted_length(s);
		else if (!*len)
			*len = 1;
		else if (last != ':' && !isdigit((u8)*s) && expr_is_alone(before, s, *len) &&
			 !is_variable(s, *len) && is_field(r, s, *len))
			return s;
	}
	return NULL;
}

void predicate_expand(const struct recorded *r, const char *typed, struct buf *to)
{
	const char *from = typed, *field;
	size_t len;

	while ((field = next_field(r, typed, from, &len)) != NULL) {
		buf_add(to, from, (size_t)(field - from));
		buf_puts(to, "args.");
		buf_add(to, field, len);
		from = field + len;
	}
	buf_puts(to, from);
}

u32 predicate_typed_at(const struct recorded *r, const char *typed, u32 at)
{
	u32 prefix = strlen("args."), added = 0;
	const char *from = typed, *field;
	size_t len;

	while ((field = next_field(r, typed, from, &len)) != NULL) {
		u32 place = (u32)(field - typed) + added;

		if (at < place + prefix)
			return MIN(at, place) - added;
		added += prefix;
		from = field + len;
	}
	return at - added;
}

/* ---- the script */

bool predicate_has_fields(struct arena *a, const struct event_format *e, const char *expr)
{
	const struct tp_format *f = tracefs_parse_format(a, e->text, strlen(e->text));

	for (const char *s = expr; f && (s = strstr(s, "args.")) != NULL;) {
		s += strlen("args.");
		if (!tp_format_field(f, arena_strndup(a, s, expr_name_length(s))))
			return false;
	}
	return f;
}

u32 predicate_put_clauses(struct recorded *r, struct buf *to, const char *expr, const char *body)
{
	u32 n = 0;

	for (u32 i = 0; i < r->tables->formats.n; i++) {
		const struct event_format *e = r->tables->formats.v[i];

		if (expr && !predicate_has_fields(&r->arena, e, expr))
			continue;
		buf_printf(to, "tracepoint:%s %s\n", e->name, body);
		n++;
	}
	return n;
}

int predicate_run(struct recorded *r, struct buf *script, const char *where,
		  const struct output *to, void *state)
{
	struct cli *c = r->c;
	struct err err = { 0 };
	int ret;

	c->request.script.name = "--filter";
	c->request.script.text = script->s;
	c->request.script.len = script->len;
	c->request.engine.name = "replay";
	c->request.from.file = r->path;
	import_remember(r->path, r->store, r->damage.s);
	c->request.traced.where = where;
	c->request.from.begin_ns = r->from;
	c->request.from.end_ns = r->to;
	c->host.themes = builtin_themes;
	c->output.quiet = true;
	if (to)
		c->sink.output = to;
	if (sink_open(c))
		return STATUS_WRONG;
	if (to && state)
		c->sink.state = state;
	ret = session_run(&c->request, &c->host, &err);
	if (to && state)
		c->sink.state = NULL;
	say_err(c, &err);
	err_release(&err);
	return sink_close(c) ? STATUS_REFUSED : ret;
}
