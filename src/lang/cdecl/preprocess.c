/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preprocessor for C text, before the parser of declarations. In: the head of a script, piece
 * by piece, or a whole header. Out: lang->types ("struct foo", "foo" for typedefs) and
 * lang->constants (enumerators, and object-like macros as parsed expressions).
 *
 * BPFTRACE_HAVE_BTF is always defined, by which published scripts skip most of this.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "lang/cdecl/cdecl.h"
#include "lang/parse.h"

static char is_defined, is_undefined;

/* ---- state */

static void define(struct cdecl *c, const char *name)
{
	hash_puts(&c->defined, interns(c->lang->names, name), &is_defined);
}

static void define_number(struct cdecl *c, const char *name, s64 value)
{
	struct node *n = node_new(c->arena, N_INT, (struct span){ 0 });

	n->value = value;
	define(c, name);
	hash_puts(&c->lang->constants, interns(c->lang->names, name), n);
}

static void define_version(struct cdecl *c)
{
	unsigned int major, minor, patch = 0;
	struct utsname u;

	if (uname(&u) == 0 && sscanf(u.release, "%u.%u.%u", &major, &minor, &patch) >= 2)
		define_number(c, "LINUX_VERSION_CODE",
			      (major << 16) + (minor << 8) + MIN(patch, 255u));
}

void cdecl_init(struct cdecl *c, struct lang *l)
{
	*c = (struct cdecl){ .lang = l, .arena = l->arena };
	define(c, "BPFTRACE_HAVE_BTF");
	define(c, "__has_include");
	define_version(c);
}

void cdecl_release(struct cdecl *c)
{
	hash_release(&c->defined);
	hash_release(&c->included);
}

bool cdecl_is_defined(const struct cdecl *c, const char *name)
{
	return hash_gets(&c->defined, name) == &is_defined;
}

static bool is_active(const struct cdecl *c)
{
	return !c->conds.n || (vec_last(&c->conds)->active && vec_last(&c->conds)->outer);
}

bool cdecl_end(struct cdecl *c)
{
	for (u32 i = 0; i < c->conds.n; i++) {
		diag_report(c->lang->diags, c->conds.v[i].span, D_C_DIRECTIVE,
			    "#if without #endif");
		c->failed = true;
	}
	c->conds.n = 0;
	return !c->failed;
}

static void complain(struct cdecl *c, struct span span, const char *text)
{
	if (c->foreign)
		return;
	diag_report(c->lang->diags, span, D_C_DIRECTIVE, text);
	c->failed = true;
}

/* ---- conditionals */

static void begin_cond(struct cdecl *c, struct span span, bool value)
{
	struct c_cond cond = {
		.span = span,
		.outer = is_active(c),
		.taken = value,
		.active = value,
	};

	vec_push(c->arena, &c->conds, cond);
}

/* The value of the rest of the line; evaluated only where it matters. */
static bool condition(struct cdecl *c, u32 from, u32 to)
{
	s64 value = 0;

	return ceval_range(c, from, to, true, &value) && value;
}

static void next_branch(struct cdecl *c, struct span span, bool is_else, u32 from, u32 to)
{
	struct c_cond *cond;

	if (!c->conds.n)
		return complain(c, span, is_else ? "#else without #if" : "#elif without #if");
	cond = vec_last(&c->conds);
	if (cond->seen_else)
		return complain(c, span, "#else was the last branch");
	cond->seen_else = is_else;
	cond->active = false;
	if (cond->taken || !cond->outer)
		return;
	cond->active = is_else || condition(c, from, to);
	cond->taken = cond->active;
}

static void end_cond(struct cdecl *c, struct span span)
{
	if (c->conds.n)
		c->conds.n--;
	else
		complain(c, span, "#endif without #if");
}

/* ---- #define */

static bool is_blank(struct cdecl *c, u32 from, u32 to)
{
	struct lexer lx = c->lx;

	lx.pos = from;
	lx.end = to;
	lex_layout(&lx);
	return lx.pos >= to;
}

/* Not an error here: the macro may never be used. */
static void keep_misfit(struct cdecl *c, const struct token *name, u32 from, u32 to)
{
	struct node *n =
		node_new(c->arena, N_MISFIT, (struct span){ c->src->base + name->off, name->len });

	n->value = from < to && c->src->text[from] == '(';
	n->str = is_blank(c, from, to) ? "" :
					 arena_strndup(c->arena, c->src->text + from, to - from);
	hash_puts(&c->lang->constants, name->name, n);
}

/* Stores the body as an expression. */
static void keep_body(struct cdecl *c, const struct token *name, u32 from, u32 to)
{
	struct diags *diags = c->lang->diags;
	bool muted = diags->muted;

	diags->muted = true;
	struct node *n = parse_expression_range(c->lang, c->src, from, to);

	diags->muted = muted;
	if (!n)
		keep_misfit(c, name, from, to);
	else if (n->kind != N_IDENT || n->name != name->name)
		hash_puts(&c->lang->constants, name->name, n);
}

static void do_define(struct cdecl *c, const struct token *name, u32 from, u32 to)
{
	struct span span = { c->src->base + name->off, name->len };

	if (!token_is_name(name))
		return complain(c, span, "#define needs a name");
	define(c, name->name);
	if ((from < to && c->src->text[from] == '(') || is_blank(c, from, to))
		keep_misfit(c, name, from, to);
	else
		keep_body(c, name, from, to);
}

/* ---- directives */

enum directive {
	DIR_NONE,
	DIR_DEFINE,
	DIR_UNDEF,
	DIR_INCLUDE,
	DIR_IF,
	DIR_IFDEF,
	DIR_IFNDEF,
	DIR_ELIF,
	DIR_ELSE,
	DIR_ENDIF,
	DIR_ERROR,
	DIR_PRAGMA,
	DIR_IGNORED
};

static enum directive directive_named(const char *name)
{
	static const struct {
		const char *name;
		enum directive what;
	} rows[] = {
		{ "define", DIR_DEFINE }, { "undef", DIR_UNDEF },     { "include", DIR_INCLUDE },
		{ "if", DIR_IF },         { "ifdef", DIR_IFDEF },     { "ifndef", DIR_IFNDEF },
		{ "elif", DIR_ELIF },     { "else", DIR_ELSE },       { "endif", DIR_ENDIF },
		{ "error", DIR_ERROR },   { "warning", DIR_IGNORED }, { "pragma", DIR_PRAGMA },
		{ "line", DIR_IGNORED },  { "ident", DIR_IGNORED },
	};

	for (u32 i = 0; name && i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].name, name))
			return rows[i].what;
	return DIR_NONE;
}

static void do_error(struct cdecl *c, struct span span, u32 from, u32 to)
{
	if (c->foreign)
		return;
	diag_report(c->lang->diags, span, D_C_USER_ERROR,
		    arena_strndup(c->arena, c->src->text + from, to - from));
	c->failed = true;
}

static void unknown_directive(struct cdecl *c, struct span span)
{
	if (c->foreign)
		return;
	diag_help(c->lang->diags,
		  diag_report(c->lang->diags, span, D_C_DIRECTIVE, "unknown directive"),
		  "comments begin with \"//\"");
	c->failed = true;
}

/* Affects conditions only: probes come after all C text and see its final state. */
static void do_undef(struct cdecl *c, const struct token *name)
{
	if (name->name)
		hash_puts(&c->defined, name->name, &is_undefined);
}

/*
 * #pragma pack(N), pack(), pack(push), pack(push, N), pack(pop), as in GCC; no other pragma affects
 * layout.
 */
static void do_pragma(struct cdecl *c, struct lexer lx, const struct token *name)
{
	struct token t;

	if (!name->name || !streq(name->name, "pack") || (lex_next(&lx, &t), t.kind != TOK_LPAREN))
		return;
	lex_next(&lx, &t);
	if (t.name && streq(t.name, "push")) {
		vec_push(c->arena, &c->packs, c->pack);
		lex_next(&lx, &t);
		if (t.kind == TOK_COMMA)
			lex_next(&lx, &t);
	} else if (t.name && streq(t.name, "pop")) {
		c->pack = c->packs.n ? c->packs.v[--c->packs.n] : 0;
	} else if (t.kind == TOK_RPAREN) {
		c->pack = 0;
	}
	if (t.kind == TOK_INT)
		c->pack = t.value <= 16 && (t.value & (t.value - 1)) == 0 ? (u32)t.value : 0;
}

/* Directives that have an effect only in active text. */
static void do_active(struct cdecl *c, enum directive what, const struct token *arg,
		      struct span span, u32 from, u32 to)
{
	switch (what) {
	case DIR_DEFINE: do_define(c, arg, arg->off + arg->len, to); break;
	case DIR_UNDEF: do_undef(c, arg); break;
	case DIR_INCLUDE: cdecl_include(c, arg, span, to); break;
	case DIR_ERROR: do_error(c, span, from, to); break;
	case DIR_NONE: unknown_directive(c, span); break;
	case DIR_IF:
	case DIR_IFDEF:
	case DIR_IFNDEF:
	case DIR_ELIF:
	case DIR_ELSE:
	case DIR_ENDIF:
	case DIR_PRAGMA:
	case DIR_IGNORED: break;
	}
}

static void do_directive(struct cdecl *c, u32 start, u32 to)
{
	struct lexer lx = c->lx;
	struct token word, arg;

	lx.pos = start + 1;
	lx.end = to;
	lx.quiet = true;
	lex_next(&lx, &word);
	if (word.kind == TOK_EOF)
		return;

	u32 from = lx.pos;
	struct span span = { c->src->base + start, from - start };
	bool active = is_active(c);
	enum directive what = directive_named(word.name);

	lex_next(&lx, &arg);
	switch (what) {
	case DIR_IF: begin_cond(c, span, active && condition(c, from, to)); break;
	case DIR_IFDEF: begin_cond(c, span, arg.name && cdecl_is_defined(c, arg.name)); break;
	case DIR_IFNDEF: begin_cond(c, span, !arg.name || !cdecl_is_defined(c, arg.name)); break;
	case DIR_ELIF: next_branch(c, span, false, from, to); break;
	case DIR_ELSE: next_branch(c, span, true, from, to); break;
	case DIR_ENDIF: end_cond(c, span); break;
	case DIR_PRAGMA:
		if (active)
			do_pragma(c, lx, &arg);
		break;
	case DIR_DEFINE:
	case DIR_UNDEF:
	case DIR_INCLUDE:
	case DIR_ERROR:
	case DIR_IGNORED:
	case DIR_NONE:
		if (active)
			do_active(c, what, &arg, span, from, to);
		break;
	}
}

/* ---- the text */

static u32 line_end(const struct source *src, u32 at, u32 to)
{
	for (; at < to; at++)
		if (src->text[at] == '\n' && src->text[at - 1] != '\\' &&
		    !(src->text[at - 1] == '\r' && at > 1 && src->text[at - 2] == '\\'))
			break;
	return at;
}

/* Skips to the next line that begins with '#'. */
static void skip_inactive(struct cdecl *c)
{
	while (c->lx.pos < c->lx.end && lex_at(&c->lx, 0) != '#') {
		c->lx.pos = line_end(c->src, c->lx.pos + 1, c->lx.end);
		lex_layout(&c->lx);
	}
}

/* Handles directives at the lexer's position, and skips the text that they disable. */
void cdecl_directives(struct cdecl *c)
{
	lex_layout(&c->lx);
	while (c->lx.pos < c->lx.end && lex_at(&c->lx, 0) == '#') {
		u32 start = c->lx.pos, end = line_end(c->src, start + 1, c->lx.end);

		do_directive(c, start, end);
		c->lx.pos = end;
		lex_layout(&c->lx);
		if (!is_active(c))
			skip_inactive(c);
	}
}

void cdecl_read(struct cdecl *c, struct source *src, u32 from, u32 to)
{
	c->src = src;
	lex_init(&c->lx, src, c->arena, c->lang->names, c->lang->diags);
	c->lx.pos = from;
	c->lx.end = to;
	c->lx.c_mode = true;
	c->lx.quiet = c->foreign;
	for (;;) {
		cdecl_directives(c);
		if (!is_active(c))
			skip_inactive(c);
		if (c->lx.pos >= to)
			break;
		if (lex_at(&c->lx, 0) != '#')
			cdecl_declaration(c);
	}
	c->failed |= c->lx.n_errors != 0;
}
