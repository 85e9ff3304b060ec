/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the text of a script. Out: a row for each name in a call of getopt(). A row gets its
 * description from the first call of the name that has one.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include "builtin/builtin.h"
#include "cli/front.h"
#include "cli/script_options.h"

struct gather {
	struct script_options *o;
	struct arena *a;
	const struct env *env;
	struct sources *sources;
};

static const char *default_text(struct arena *a, const struct node *n)
{
	if (n->kind == N_STR)
		return n->str_len ? arena_strndup(a, n->str, n->str_len) : NULL;
	if (n->kind == N_BOOL)
		return n->value ? "true" : NULL;
	if (n->kind == N_UNARY && n->op == OP_NEG && n->a->kind == N_INT)
		return arena_printf(a, "-%" PRId64, n->a->value);
	return n->kind == N_INT && n->value ? arena_printf(a, "%" PRId64, n->value) : NULL;
}

static enum script_option_kind kind_of(const struct node *dflt)
{
	if (!dflt || dflt->kind == N_BOOL)
		return SCRIPT_FLAG;
	return dflt->kind == N_STR ? SCRIPT_TEXT : SCRIPT_NUMBER;
}

static struct script_option *row_of(struct gather *g, const struct node *name)
{
	for (u32 i = 0; i < g->o->rows.n; i++)
		if (streq(g->o->rows.v[i].name, name->str))
			return &g->o->rows.v[i];
	vec_push(g->a, &g->o->rows, (struct script_option){ 0 });
	return vec_last(&g->o->rows);
}

static void take_word(struct gather *g, u32 number)
{
	g->o->any_words |= !number;
	g->o->n_words = MAX(g->o->n_words, number);
}

/* $N in an attach point was replaced when it was parsed: the text of the script still has it. */
static void take_attach(struct gather *g, const struct attach *at)
{
	struct position p = sources_find(g->sources, at->span);
	const char *s = p.file ? p.file->text + (at->span.off - p.file->base) : "";

	for (u32 i = 0; p.file && i + 1 < at->span.len; i++)
		if (s[i] == '$' && isdigit((u8)s[i + 1]))
			take_word(g, (u32)strtoul(s + i + 1, NULL, 10));
}

static bool take_call(struct node *n, void *ctx)
{
	struct gather *g = ctx;
	const struct builtin *b = n->kind == N_CALL ? env_builtin(g->env, n->name) : NULL;
	const struct node *name = n->a, *dflt, *doc;
	struct script_option *row;

	if (n->kind == N_PARAM)
		take_word(g, (u32)n->value);
	if (!b || !(b->flags & BI_OPTION) || !name || name->kind != N_STR)
		return true;
	dflt = name->next;
	doc = dflt ? dflt->next : NULL;
	row = row_of(g, name);
	if (!row->name) {
		row->name = arena_strndup(g->a, name->str, name->str_len);
		row->kind = kind_of(dflt);
		row->dflt = dflt ? default_text(g->a, dflt) : NULL;
	}
	if (doc && doc->kind == N_STR && !row->doc)
		row->doc = arena_strndup(g->a, doc->str, doc->str_len);
	return true;
}

static void walk_script(struct gather *g, const struct script *s)
{
	for (const struct macro *m = s->macros; m; m = m->next)
		ast_walk(m->body, take_call, g);
	for (const struct function *f = s->functions; f; f = f->next)
		ast_walk(f->body, take_call, g);
	for (const struct clause *c = s->clauses; c; c = c->next) {
		for (const struct attach *at = c->attaches; at; at = at->next)
			take_attach(g, at);
		ast_walk(c->predicate, take_call, g);
		ast_walk(c->body, take_call, g);
	}
}

void script_options_take(struct script_options *o, struct front *f)
{
	static const char *const stand_in[] = { "1", "1", "1", "1", "1", "1", "1", "1", "1" };
	const struct request *before = f->env.request;
	struct gather g = { .o = o, .a = &f->arena, .env = &f->env, .sources = &f->sources };
	struct request request = *before;

	/* attach points must have their parameters */
	request.script.params = stand_in;
	request.script.n_params = ARRAY_SIZE(stand_in);
	f->env.request = &request;
	parse_script(&f->lang, f->src);
	walk_script(&g, f->lang.script);
	f->env.request = before;
}

static void keep(struct script_options *o, struct arena *a, const struct script_options *from)
{
	*o = (struct script_options){ .n_words = from->n_words, .any_words = from->any_words };
	for (u32 i = 0; i < from->rows.n; i++) {
		struct script_option row = from->rows.v[i];

		row.name = arena_strdup(a, row.name);
		row.dflt = row.dflt ? arena_strdup(a, row.dflt) : NULL;
		row.doc = row.doc ? arena_strdup(a, row.doc) : NULL;
		vec_push(a, &o->rows, row);
	}
}

void script_options_read(struct script_options *o, struct arena *a, const char *name,
			 const char *text, size_t len)
{
	struct cli c = { .request = { .script.name = name, .script.text = text, .script.len = len },
			 .host = { .themes = builtin_themes } };
	struct script_options found = { 0 };
	struct front f;

	front_init(&f, &c);
	script_options_take(&found, &f);
	keep(o, a, &found);
	front_release(&f);
}

const struct script_option *script_option_find(const struct script_options *o, const char *name,
					       size_t len)
{
	for (u32 i = 0; i < o->rows.n; i++)
		if (strlen(o->rows.v[i].name) == len && !memcmp(o->rows.v[i].name, name, len))
			return &o->rows.v[i];
	return NULL;
}

void script_option_spelling(struct buf *b, const struct script_option *row)
{
	static const char *const values[] = {
		[SCRIPT_FLAG] = "", [SCRIPT_NUMBER] = "=N", [SCRIPT_TEXT] = "=TEXT"
	};

	buf_printf(b, "--%s%s", row->name, values[row->kind]);
}

void script_option_meaning(struct buf *b, const struct script_option *row)
{
	buf_puts(b, row->doc ? row->doc : "");
	if (row->dflt)
		buf_printf(b, "%s(%s)", row->doc ? " " : "", row->dflt);
}
