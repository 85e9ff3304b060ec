/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script as a list of declarations. The first word determines the kind; what is not macro, fn,
 * let, import, config or C text is a probe.
 */
#include "dialect/ftrace.h"
#include "lang/parse.h"

/* ---- macros */

static void parse_macro_param(struct parser *p, struct macro *m)
{
	struct macro_param param = { .name = p->tok.name };

	switch (p->tok.kind) {
	case TOK_VAR: param.kind = N_VAR; break;
	case TOK_MAP: param.kind = N_MAP; break;
	default: param.kind = N_IDENT; break;
	}
	if (param.kind == N_IDENT && !parse_is(p, TOK_IDENT)) {
		const char *found = parse_found(p);
		struct diag *d = parse_error(p, parse_tok_span(p), D_MACRO_PARAM);

		parse_help(p, d, "found %s; a plain name stands for any expression", found);
		return;
	}
	for (u32 i = 0; i < m->params.n; i++)
		if (m->params.v[i].name == param.name && m->params.v[i].kind == param.kind)
			parse_complain(p, parse_tok_span(p), D_DUPLICATE_PARAM, "macro",
				       param.name);
	vec_push(p->arena, &m->params, param);
	parse_advance(p);
}

static void parse_macro_params(struct parser *p, struct macro *m)
{
	struct span open = parse_tok_span(p);

	parse_mark(p, p->tok.off, ROLE_CALL_OPEN);
	parse_expect(p, TOK_LPAREN, "after the macro's name");
	while (!parse_is(p, TOK_RPAREN) && !p->panic) {
		parse_macro_param(p, m);
		if (!parse_accept(p, TOK_COMMA))
			break;
	}
	parse_close(p, TOK_RPAREN, open);
}

static void parse_macro(struct parser *p)
{
	struct macro *m = arena_new(p->arena, struct macro), **link = &p->script->macros;
	u32 start = p->tok.off;

	parse_advance(p);
	m->name = p->tok.name;
	parse_expect_as(p, TOK_IDENT, "macro name", "after \"macro\"");
	parse_macro_params(p, m);
	parse_recover_block(p);
	m->body = parse_block_value(p, parse_block(p, ROLE_BLOCK_OPEN));
	m->span = parse_span(p, start, MAX(p->prev_end, start));
	p->seen_probe = true;
	if (!m->name) /* an error: every listed one has a name */
		return;
	while (*link)
		link = &(*link)->next;
	*link = m;
}

/* ---- functions */

static void parse_fn_param(struct parser *p, struct function *f)
{
	struct node *n = parse_node(p, N_LET, p->tok.off), *var;

	var = parse_node(p, N_VAR, p->tok.off);
	var->name = p->tok.name;
	if (!parse_accept(p, TOK_VAR))
		parse_help(p, parse_expected(p, "variable in function argument", "as a parameter"),
			   "a parameter is written $name: TYPE, such as $x: int64");
	n->a = parse_done(p, var);
	parse_mark(p, p->tok.off, ROLE_TIGHT);
	parse_expect(p, TOK_COLON, "after the parameter; its type is needed");
	n->tref = parse_type(p);
	for (u32 i = 0; i < f->params.n; i++)
		if (f->params.v[i]->a->name == var->name)
			parse_complain(p, var->span, D_DUPLICATE_PARAM, "function", var->name);
	vec_push(p->arena, &f->params, parse_done(p, n));
}

static void parse_fn(struct parser *p)
{
	struct function *f = arena_new(p->arena, struct function), **link = &p->script->functions;
	u32 start = p->tok.off;
	struct span open;

	parse_advance(p);
	f->name = p->tok.name;
	parse_expect_as(p, TOK_IDENT, "function name", "after \"fn\"");
	open = parse_tok_span(p);
	parse_mark(p, p->tok.off, ROLE_CALL_OPEN);
	parse_expect(p, TOK_LPAREN, "after the function's name");
	while (!parse_is(p, TOK_RPAREN) && !p->panic) {
		parse_fn_param(p, f);
		if (!parse_accept(p, TOK_COMMA))
			break;
	}
	parse_close(p, TOK_RPAREN, open);
	parse_mark(p, p->tok.off, ROLE_TIGHT);
	parse_expect(p, TOK_COLON, "after the parameters; the type of the result is needed");
	f->result = parse_type(p);
	parse_recover_block(p);
	f->body = parse_block(p, ROLE_BLOCK_OPEN);
	f->span = parse_span(p, start, MAX(p->prev_end, start));
	p->seen_probe = true;
	if (!f->name) /* likewise */
		return;
	while (*link)
		link = &(*link)->next;
	*link = f;
}

/* ---- the list */

static void parse_stray_brace(struct parser *p)
{
	parse_help(p, parse_error(p, parse_tok_span(p), D_STRAY_BRACE),
		   "all blocks before it are closed already");
	p->resume = p->tok.off + p->tok.len;
}

/* config = {...}, but not a probe with the name "config". */
static bool at_config(const struct parser *p)
{
	enum token_kind next = parse_peek(p).kind;

	return parse_is(p, TOK_CONFIG) && (next == TOK_ASSIGN || next == TOK_LBRACE);
}

static bool followed_by(const struct parser *p, enum token_kind kind)
{
	return parse_peek(p).kind == kind;
}

static void parse_item(struct parser *p)
{
	if (parse_at_c_text(p))
		parse_c_text(p);
	else if (at_config(p))
		parse_config(p);
	else if (parse_is(p, TOK_IMPORT))
		parse_import(p);
	else if (parse_is(p, TOK_MACRO) && !followed_by(p, TOK_COLON))
		parse_macro(p);
	else if (parse_is(p, TOK_FN) && !followed_by(p, TOK_COLON))
		parse_fn(p);
	else if (parse_is(p, TOK_LET))
		parse_map_decl(p);
	else if (parse_is(p, TOK_RBRACE))
		parse_stray_brace(p);
	else if (!parse_accept(p, TOK_SEMICOLON))
		parse_probe(p);
}

/*
 * The first token of each declaration is read with a quiet lexer, since a probe is raw text: `"a
 * b":c` and `*ware:*` are no tokens.
 */
static void restart(struct parser *p, u32 off)
{
	struct lexer *lx = &p->lx;

	lx->pos = off;
	lx->quiet = false;
	lex_layout(lx);
	while (lx->pos < lx->end && (u8)lex_at(lx, 0) >= 0x80) { /* no probe begins so */
		lex_stray(lx);
		lex_layout(lx);
	}
	off = lx->pos;
	lx->quiet = true;
	lex_next(lx, &p->tok);
	lx->quiet = false;
	if (off < lx->end && p->tok.off != off) { /* stray characters are raw text too */
		p->tok.kind = TOK_BAD;
		p->tok.off = off;
	}
}

static void parse_items(struct parser *p)
{
	parse_shebang(p);
	restart(p, p->lx.pos);
	while (!parse_is(p, TOK_EOF)) {
		u32 start = p->tok.off;

		parse_item(p);

		u32 end = p->prev_end;

		if (p->panic) {
			parse_recover_top(p);
			end = p->tok.off;
		}
		restart(p, MAX(end, start + 1));
	}
	p->n_errors += p->lx.n_errors;
}

bool parse_source(struct lang *l, struct source *src, struct script *into, u8 *roles)
{
	struct parser p;

	parse_init(&p, l, src);
	p.script = into;
	p.roles = roles;
	parse_items(&p);
	return p.n_errors == 0;
}

/* Lines in ftrace's syntax are parsed as the equivalent script. */
static struct source *from_ftrace(struct lang *l, struct source *src)
{
	const char *error = NULL, *text;
	u32 at = 0;

	text = ftrace_script(l->arena, src->text, src->len, &error, &at);
	if (text)
		return sources_add(l->sources, arena_printf(l->arena, "%s, as a script", src->name),
				   text, strlen(text));
	diag_help(l->diags,
		  diag_report(l->diags, (struct span){ src->base + at, 1 }, D_FTRACE_SPELLING,
			      error),
		  "for example p:myopen do_sys_open filename=+0(%%si):string");
	return NULL;
}

bool parse_script(struct lang *l, struct source *src)
{
	if (ftrace_spelled(src->text, src->len)) {
		src = from_ftrace(l, src);
		if (!src)
			return false;
	}
	return parse_source(l, src, l->script, NULL);
}

static struct node *parse_to_end(struct parser *p)
{
	struct node *n;

	parse_advance(p);
	n = parse_expr(p);
	if (!p->panic && !parse_is(p, TOK_EOF))
		parse_expected(p, "the end", NULL);
	return p->n_errors ? NULL : n;
}

struct node *parse_expression_range(struct lang *l, struct source *src, u32 from, u32 to)
{
	struct parser p;

	parse_init(&p, l, src);
	p.lx.pos = from;
	p.lx.end = to;
	p.lx.c_mode = p.c_mode = true;
	return parse_to_end(&p);
}

struct node *parse_expression(struct lang *l, struct source *src)
{
	struct parser p;

	parse_init(&p, l, src);
	return parse_to_end(&p);
}
