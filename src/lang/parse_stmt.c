/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements and blocks. A block is parsed once, as N_BLOCK, whether or not it is a value: a last
 * expression without a semicolon is an N_EXPR marked is_trailing, and where a value is needed
 * (macro bodies, `$x = if c { 1 } else { 2 }`) parse_block_value() removes it from the list.
 */
#include "dialect/hints.h"
#include "lang/parse.h"

/* ---- the end of a statement */

static bool begins_statement(enum token_kind kind)
{
	switch (kind) {
	case TOK_IDENT:
	case TOK_VAR:
	case TOK_MAP:
	case TOK_LET:
	case TOK_IF:
	case TOK_FOR:
	case TOK_WHILE:
	case TOK_UNROLL:
	case TOK_RETURN:
	case TOK_BREAK:
	case TOK_CONTINUE:
	case TOK_PLUSPLUS:
	case TOK_MINUSMINUS: return true;
	default: return false;
	}
}

/* Tokens that begin an argument: print "x". */
static bool begins_argument(enum token_kind kind)
{
	return kind == TOK_STR || kind == TOK_INT || kind == TOK_VAR || kind == TOK_MAP;
}

/* After the statement e (may be NULL), at a token that does not continue it. */
static const char *semicolon_help(struct parser *p, const struct node *e)
{
	const char *first = e && (e->kind == N_IDENT || e->kind == N_CALL) ? e->name : NULL;
	const char *at = p->src->text + p->tok.off, *help = foreign_statement(first);

	if (!help && first && e->kind == N_IDENT && parse_is_builtin(p, first) &&
	    begins_argument(p->tok.kind))
		help = arena_printf(p->arena, "arguments are enclosed in parentheses: %s(...)",
				    first);
	if (!help)
		help = foreign_text("';'", at, p->tok.off);
	if (!help && e && e->kind == N_CALL && begins_statement(p->tok.kind))
		help = arena_printf(p->arena, "statements are separated: put \";\" before %s",
				    parse_found(p));
	if (!help && lex_is_word(*at))
		help = arena_printf(p->arena, "is an operator or a comma missing before %s?",
				    parse_found(p));
	return help;
}

static void no_semicolon(struct parser *p, const struct node *e)
{
	struct span end = parse_span(p, p->prev_end - 1, p->prev_end);
	struct diag *d;

	if (p->panic)
		return;
	if (p->tok.after_newline && begins_statement(p->tok.kind)) {
		d = parse_complain(p, end, D_MISSING_SEMICOLON);
		parse_help(p, d, "put \";\" here");
		return;
	}
	if (token_is_assignment(p->tok.kind)) {
		d = parse_error(p, parse_tok_span(p), D_ASSIGN_TARGET);
		parse_help(p, d, "assign to $variables and @maps; to compare, write \"==\"");
		return;
	}

	const char *found = parse_found(p), *help = semicolon_help(p, e);

	d = parse_error(p, parse_tok_span(p), D_EXPECTED, "';'");
	parse_help(p, d, "found %s after the statement", found);
	if (help)
		parse_help(p, d, "%s", help);
}

/* True when the statement ended in a semicolon. */
static bool end_statement_of(struct parser *p, const struct node *e)
{
	if (parse_is(p, TOK_SEMICOLON)) {
		parse_advance(p);
		return true;
	}
	if (!parse_is(p, TOK_RBRACE) && !parse_is(p, TOK_EOF))
		no_semicolon(p, e);
	return false;
}

static bool end_statement(struct parser *p)
{
	return end_statement_of(p, NULL);
}

/* ---- statements */

/* DTrace's self->x and this->x are the most likely targets. */
static const char *help_for_part(const struct node *target)
{
	const struct node *whole = target->a;
	const char *help = whole && whole->kind == N_IDENT ? foreign_word(whole->name) : NULL;

	return help ? help : "assign a new value to the whole variable or map element";
}

static struct node *parse_assign(struct parser *p, struct node *target, u32 start)
{
	static const u8 ops[N_TOKENS] = {
#define T(name, text)
#define A(name, text, op) [TOK_##name] = op,
		LANG_TOKENS(T, A, T)
#undef T
#undef A
	};
	struct node *n = parse_node(p, N_ASSIGN, start);

	n->a = target;
	n->op = ops[p->tok.kind];
	if (target->kind == N_FIELD || target->kind == N_INDEX)
		parse_help(p,
			   parse_complain(p, target->span, D_ASSIGN_PART,
					  target->kind == N_INDEX ?
						  "invalid assignment target" :
						  "Tuples and records are immutable once created. "
						  "Consider creating a new value and assigning it "
						  "instead."),
			   "%s", help_for_part(target));
	else if (target->kind != N_VAR && target->kind != N_MAP)
		parse_help(p, parse_complain(p, target->span, D_ASSIGN_TARGET),
			   "assign to $variables and @maps; to compare, write \"==\"");
	parse_mark(p, p->tok.off, ROLE_BINARY);
	parse_advance(p);
	n->b = parse_expr(p);
	return parse_done(p, n);
}

static struct node *parse_expression_statement(struct parser *p)
{
	u32 start = p->tok.off;
	struct node *e = parse_expr(p), *n;

	if (token_is_assignment(p->tok.kind)) {
		n = parse_assign(p, e, start);
		end_statement(p);
		return n;
	}
	n = parse_node(p, N_EXPR, start);
	n->a = e;
	e->discards_value = true;
	parse_done(p, n);
	n->is_trailing = !end_statement_of(p, e) && !p->panic;
	return n;
}

static struct node *parse_discard(struct parser *p)
{
	struct node *n = parse_node(p, N_DISCARD, p->tok.off);

	parse_advance(p);
	parse_mark(p, p->tok.off, ROLE_BINARY);
	parse_advance(p);
	n->a = parse_expr(p);
	parse_done(p, n);
	end_statement(p);
	return n;
}

/* what: as the message names it. */
static struct node *parse_variable(struct parser *p, const char *what)
{
	struct node *n = parse_node(p, N_VAR, p->tok.off);

	n->name = p->tok.kind == TOK_VAR ? p->tok.name : interns(p->lang->names, "");
	n->span.len = p->tok.len;
	if (!parse_is(p, TOK_VAR)) {
		bool is_map = parse_is(p, TOK_MAP);
		struct diag *d = parse_expected(p, what, NULL);

		if (is_map)
			parse_help(p, d,
				   "maps are declared outside of probes: let @m = hash(100);");
		else if (d->help.n < 2)
			parse_help(p, d, "a variable is written $name");
		return n;
	}
	parse_advance(p);
	return parse_done(p, n);
}

static struct node *parse_let(struct parser *p)
{
	struct node *n = parse_node(p, N_LET, p->tok.off);

	parse_advance(p);
	n->a = parse_variable(p, "variable after 'let'");
	parse_mark(p, p->tok.off, ROLE_TIGHT);
	if (parse_accept(p, TOK_COLON))
		n->tref = parse_type(p);
	parse_mark(p, p->tok.off, ROLE_BINARY);
	if (parse_accept(p, TOK_ASSIGN))
		n->b = parse_expr(p);
	else
		parse_mark(p, p->tok.off, ROLE_NONE);
	parse_done(p, n);
	end_statement(p);
	return n;
}

/* Tokens after a condition without parentheses that show that parentheses were needed. */
static bool goes_on(enum token_kind kind)
{
	return (kind >= TOK_PLUS && kind <= TOK_OROR) || kind == TOK_QUESTION || kind == TOK_ASSIGN;
}

static struct node *parse_condition(struct parser *p, const char *what)
{
	struct node *n = parse_unary(p);

	if (n->kind == N_RECORD) /* if (pid = 1) */
		parse_help(p, parse_complain(p, n->span, D_RECORD_CONDITION),
			   "\"=\" names a member of a record; to compare, write \"==\"");
	if (parse_is(p, TOK_LBRACE) || p->panic)
		return n;

	bool needs_parens = goes_on(p->tok.kind), needs_braces = begins_statement(p->tok.kind);
	struct diag *d = parse_expected(p, "'{'", arena_printf(p->arena, "after the %s", what));

	if (needs_parens)
		parse_help(p, d, "put the whole %s in parentheses", what);
	else if (needs_braces)
		parse_help(p, d, "statements that depend on it are enclosed in braces: { ... }");
	return n;
}

static struct node *parse_else(struct parser *p)
{
	parse_advance(p);
	if (parse_is(p, TOK_IF))
		return parse_if(p);
	if (!parse_is(p, TOK_LBRACE))
		parse_expected(p, "'{' or 'if' after 'else'", NULL);
	return parse_block(p, ROLE_BLOCK_OPEN);
}

struct node *parse_if(struct parser *p)
{
	struct node *n = parse_node(p, N_IF, p->tok.off);

	if (parse_enter(p)) {
		parse_advance(p);
		n->a = parse_condition(p, "condition");
		n->b = parse_block(p, ROLE_BLOCK_OPEN);
		if (parse_is(p, TOK_ELSE))
			n->c = parse_else(p);
	}
	parse_leave(p);
	if (!n->b)
		return parse_poison(p);
	return parse_done(p, n);
}

static void note_while(struct parser *p)
{
	if (!p->noted_while)
		diag_report(p->diags, parse_tok_span(p), D_OLD_WHILE);
	p->noted_while = true;
}

static struct node *parse_loop(struct parser *p, enum node_kind kind)
{
	struct node *n = parse_node(p, kind, p->tok.off);

	if (kind == N_WHILE)
		note_while(p);
	parse_advance(p);
	n->a = parse_condition(p, kind == N_WHILE ? "condition" : "count");
	n->b = parse_block(p, ROLE_BLOCK_OPEN);
	return parse_done(p, n);
}

/* $kv : @map, or $i : 0..10 */
static void parse_for_head(struct parser *p, struct node *n)
{
	n->c = parse_variable(p, "variable in for loop");
	parse_mark(p, p->tok.off, ROLE_BINARY);
	if (parse_is(p, TOK_ASSIGN))
		parse_help(p, parse_expected(p, "':'", "after the loop's variable"),
			   "for ($i : 0..10) counts from 0 to 9");
	parse_expect(p, TOK_COLON, "after the loop's variable");
	n->a = parse_expr(p);
	if (p->panic)
		return;
	if (parse_is(p, TOK_DOTDOT)) {
		parse_mark(p, p->tok.off, ROLE_TIGHT_BOTH);
		parse_advance(p);
		n->d = parse_expr(p);
	} else if (n->a->kind != N_MAP || n->a->a) {
		parse_help(p, parse_complain(p, n->a->span, D_FOR_OVER),
			   "write for ($kv : @map) or for ($i : 0..10)");
	}
}

static struct node *parse_for(struct parser *p)
{
	struct node *n = parse_node(p, N_FOR, p->tok.off);
	struct span open;

	parse_advance(p);
	open = parse_tok_span(p);
	if (parse_accept(p, TOK_LPAREN)) {
		parse_for_head(p, n);
		parse_close(p, TOK_RPAREN, open);
	} else {
		parse_for_head(p, n);
	}
	parse_recover_block(p);
	n->b = parse_block(p, ROLE_BLOCK_OPEN);
	return parse_done(p, n);
}

static struct node *parse_jump(struct parser *p, enum node_kind kind)
{
	struct node *n = parse_node(p, kind, p->tok.off);

	parse_advance(p);
	if (kind == N_RETURN && !parse_is(p, TOK_SEMICOLON) && !parse_is(p, TOK_RBRACE))
		n->a = parse_expr(p);
	parse_done(p, n);
	end_statement(p);
	return n;
}

/* import "path"; inside a block: the script imports it as a whole. */
static struct node *parse_import_statement(struct parser *p)
{
	struct node *n = parse_node(p, N_IMPORT, p->tok.off);

	n->str = "";
	parse_advance(p);
	if (parse_is(p, TOK_STR)) {
		n->str = p->tok.str;
		n->str_len = p->tok.str_len;
	}
	parse_expect_as(p, TOK_STR, "string after 'import'", NULL);
	parse_done(p, n);
	end_statement(p);
	return n;
}

static struct node *parse_inner_block(struct parser *p)
{
	return parse_block(p, ROLE_BLOCK_OPEN);
}

static struct node *parse_lone_else(struct parser *p)
{
	parse_help(p, parse_error(p, parse_tok_span(p), D_LONE_ELSE),
		   "it follows the block of an \"if\" without a semicolon between");
	return parse_poison(p);
}

static struct node *parse_statement(struct parser *p)
{
	switch (p->tok.kind) {
	case TOK_LET: return parse_let(p);
	case TOK_IF: return parse_if(p);
	case TOK_WHILE: return parse_loop(p, N_WHILE);
	case TOK_UNROLL: return parse_loop(p, N_UNROLL);
	case TOK_FOR: return parse_for(p);
	case TOK_BREAK: return parse_jump(p, N_BREAK);
	case TOK_CONTINUE: return parse_jump(p, N_CONTINUE);
	case TOK_RETURN: return parse_jump(p, N_RETURN);
	case TOK_IMPORT: return parse_import_statement(p);
	case TOK_LBRACE: return parse_inner_block(p);
	case TOK_ELSE: return parse_lone_else(p);
	default: break;
	}
	if (parse_is(p, TOK_IDENT) && p->tok.name == p->name_discard &&
	    parse_peek(p).kind == TOK_ASSIGN)
		return parse_discard(p);
	return parse_expression_statement(p);
}

/* ---- blocks */

/* A statement that needs no semicolon may be the value of its block. */
static void mark_trailing(struct parser *p, struct node *n)
{
	if ((n->kind == N_IF || n->kind == N_BLOCK) && parse_is(p, TOK_RBRACE))
		n->is_trailing = true;
}

static bool needs_semicolon(const struct node *n)
{
	switch (n->kind) {
	case N_IF:
	case N_WHILE:
	case N_UNROLL:
	case N_FOR:
	case N_BLOCK: return false;
	default: return true;
	}
}

/* Statements up to "}"; returns the last one, or NULL. */
static struct node *parse_statements(struct parser *p, struct node *block)
{
	struct node **end = &block->a, *last = NULL;

	while (!parse_is(p, TOK_RBRACE) && !parse_is(p, TOK_EOF) && !p->panic &&
	       !parse_at_item(p)) {
		if (parse_accept(p, TOK_SEMICOLON))
			continue;
		*end = last = parse_statement(p);
		end = &last->next;
		mark_trailing(p, last);
		parse_recover(p);
	}
	return last;
}

static void close_block(struct parser *p, struct span open, const struct node *last)
{
	bool bare = last && needs_semicolon(last) && p->prev_end &&
		    p->src->text[p->prev_end - 1] != ';';

	if (p->panic)
		return;
	parse_mark(p, p->tok.off, bare ? ROLE_BLOCK_CLOSE_SEMI : ROLE_BLOCK_CLOSE);
	if (parse_is(p, TOK_RBRACE)) {
		/* raw text may follow: parse_items() restarts there */
		p->lx.quiet = p->n_blocks == 1;
		parse_advance(p);
		p->lx.quiet = false;
		return;
	}

	struct span end = parse_span(p, p->prev_end - 1, p->prev_end);
	bool at_end = parse_is(p, TOK_EOF);

	if (p->lost_text)
		parse_panic(p);
	struct diag *d = parse_error(p, at_end ? end : parse_tok_span(p), D_MISSING_BRACE);

	parse_help(p, d, "found %s", at_end ? "the end of the script" : "the next probe");
	parse_help(p, d, "close the block before it: write \"}\"");
	diag_note(p->diags, d, open, "this block is not closed");
	p->to_top = true;
	p->n_blocks = 0; /* the code after it is at the top level */
}

struct node *parse_block(struct parser *p, enum role open_role)
{
	struct node *n = parse_node(p, N_BLOCK, p->tok.off);
	struct span open = parse_tok_span(p);
	bool in_predicate = p->in_predicate;

	parse_mark(p, p->tok.off, open_role);
	if (!parse_expect(p, TOK_LBRACE, NULL))
		return n;
	p->in_predicate = false;
	p->n_blocks++;
	if (parse_enter(p))
		close_block(p, open, parse_statements(p, n));
	parse_leave(p);
	if (!p->to_top)
		p->n_blocks--;
	p->in_predicate = in_predicate;
	return parse_done(p, n);
}

/* ---- blocks as values */

static bool has_value(const struct node *n);

static const struct node *last_of(const struct node *block)
{
	const struct node *n = block->a;

	while (n && n->next)
		n = n->next;
	return n;
}

static bool block_has_value(const struct node *block)
{
	const struct node *last = last_of(block);

	return last && has_value(last);
}

static bool has_value(const struct node *n)
{
	if (!n->is_trailing && n->kind != N_IF)
		return false;
	if (n->kind == N_EXPR)
		return true;
	if (n->kind == N_BLOCK)
		return block_has_value(n);
	return n->kind == N_IF && n->c && block_has_value(n->b) &&
	       (n->c->kind == N_IF ? has_value(n->c) : block_has_value(n->c));
}

/* A block without statements on one line stays on one line. */
static void mark_inline(struct parser *p, const struct node *block)
{
	u32 start = block->span.off - p->src->base, end = start + block->span.len;
	bool is_short = !block->a && !memchr(p->src->text + start, '\n', end - start) &&
			end - start < 60;

	if (p->panic || end <= start)
		return;
	if (is_short)
		parse_mark(p, start, ROLE_INLINE_OPEN);
	parse_mark(p, end - 1, is_short ? ROLE_INLINE_CLOSE : ROLE_BLOCK_CLOSE);
}

static struct node *value_of(struct parser *p, struct node *last)
{
	if (last->kind == N_BLOCK)
		return parse_block_value(p, last);
	if (last->kind == N_IF)
		return parse_if_value(p, last);
	last->a->discards_value = false;
	return last->a;
}

struct node *parse_block_value(struct parser *p, struct node *block)
{
	struct node **link = &block->a;

	if (block->kind != N_BLOCK)
		return block;
	block->kind = N_BLOCK_EXPR;
	while (*link && (*link)->next)
		link = &(*link)->next;
	if (*link && (*link)->is_trailing && has_value(*link)) {
		block->b = value_of(p, *link);
		*link = NULL;
		mark_inline(p, block);
	}
	return block;
}

static struct node *empty_value(struct parser *p)
{
	struct node *n = parse_node(p, N_BLOCK_EXPR, p->prev_end);

	n->height = 1;
	return n;
}

struct node *parse_if_value(struct parser *p, struct node *n)
{
	if (n->kind != N_IF)
		return n;
	n->kind = N_COND;
	n->b = parse_block_value(p, n->b);
	if (!n->c)
		n->c = empty_value(p);
	else
		n->c = n->c->kind == N_IF ? parse_if_value(p, n->c) : parse_block_value(p, n->c);
	return n;
}
