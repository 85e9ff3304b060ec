/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions from the outside in: ternary, binary by precedence climbing, prefix operators,
 * postfix chains. Their operands are in parse_primary.c.
 */
#include "lang/parse.h"

/* Binding strength of binary operators, weakest 1; 0: not one. All associate to the left. */
static const struct binary {
	u8 strength;
	u8 op;
} binaries[N_TOKENS] = {
	[TOK_OROR] = { 1, OP_LOR },  [TOK_ANDAND] = { 2, OP_LAND }, [TOK_PIPE] = { 3, OP_OR },
	[TOK_CARET] = { 4, OP_XOR }, [TOK_AMP] = { 5, OP_AND },     [TOK_EQ] = { 6, OP_EQ },
	[TOK_NE] = { 6, OP_NE },     [TOK_LT] = { 7, OP_LT },       [TOK_GT] = { 7, OP_GT },
	[TOK_LE] = { 7, OP_LE },     [TOK_GE] = { 7, OP_GE },       [TOK_SHL] = { 8, OP_SHL },
	[TOK_SHR] = { 8, OP_SHR },   [TOK_PLUS] = { 9, OP_ADD },    [TOK_MINUS] = { 9, OP_SUB },
	[TOK_STAR] = { 10, OP_MUL }, [TOK_SLASH] = { 10, OP_DIV },  [TOK_PERCENT] = { 10, OP_MOD },
};

/* At "/": in a predicate, one before "{" is its end. */
static bool closes_predicate(const struct parser *p)
{
	struct lexer ahead = p->lx;

	if (!p->in_predicate || !parse_is(p, TOK_SLASH))
		return false;
	ahead.quiet = true;
	lex_layout(&ahead);
	return lex_at(&ahead, 0) == '{';
}

static struct node *parse_binary(struct parser *p, u32 weakest)
{
	u32 start = p->tok.off;
	struct node *left = parse_unary(p);

	for (;;) {
		const struct binary *row = &binaries[p->tok.kind];

		if (row->strength < weakest || closes_predicate(p))
			return left;
		parse_mark(p, p->tok.off, ROLE_BINARY);
		parse_advance(p);

		struct node *n = parse_node(p, N_BINARY, start);

		n->op = row->op;
		n->a = left;
		n->b = parse_binary(p, row->strength + 1u);
		left = parse_done(p, n);
	}
}

/* After the condition, at "?". */
static struct node *parse_choice(struct parser *p, struct node *cond, u32 start)
{
	struct node *n = parse_node(p, N_COND, start);

	parse_mark(p, p->tok.off, ROLE_BINARY);
	parse_advance(p);
	n->a = cond;
	n->is_elvis = parse_is(p, TOK_COLON);
	if (!n->is_elvis)
		n->b = parse_expr(p);
	parse_mark(p, p->tok.off, n->is_elvis ? ROLE_TIGHT : ROLE_BINARY);
	if (!parse_accept(p, TOK_COLON))
		parse_help(p, parse_expected(p, "':'", "between the two values of \"?\""),
			   "both values are needed: CONDITION ? A : B");
	n->c = parse_expr(p);
	return parse_done(p, n);
}

struct node *parse_expr(struct parser *p)
{
	u32 start = p->tok.off;
	struct node *n = NULL;

	if (parse_enter(p)) {
		n = parse_binary(p, 1);
		if (parse_is(p, TOK_QUESTION))
			n = parse_choice(p, n, start);
	}
	parse_leave(p);
	return n ? n : parse_poison(p);
}

/* ---- prefix operators */

static const u8 prefixes[N_TOKENS] = {
	[TOK_MINUS] = OP_NEG,      [TOK_NOT] = OP_LNOT, [TOK_TILDE] = OP_NOT,
	[TOK_STAR] = OP_DEREF,     [TOK_AMP] = OP_ADDR, [TOK_PLUSPLUS] = OP_INC,
	[TOK_MINUSMINUS] = OP_DEC,
};

static bool is_lvalue(const struct node *n)
{
	return n->kind == N_VAR || n->kind == N_MAP;
}

/* &$p.x: the checker determines whether that is reached through a pointer. */
static bool is_part(const struct node *n)
{
	return n->kind == N_FIELD || n->kind == N_INDEX ||
	       (n->kind == N_UNARY && n->op == OP_DEREF);
}

/* ++, --, & need an lvalue. */
static void check_lvalue(struct parser *p, const struct node *n, enum op op)
{
	if (is_lvalue(n))
		return;

	struct diag *d = parse_complain(p, n->span, op == OP_ADDR ? D_ADDRESS_OF : D_NEEDS_LVALUE);

	parse_help(p, d, "keep the value in a variable ($x) or a map (@x) first");
}

static struct node *parse_prefix(struct parser *p)
{
	struct node *n = parse_node(p, N_UNARY, p->tok.off);

	n->op = prefixes[p->tok.kind];
	parse_mark(p, p->tok.off, ROLE_PREFIX);
	parse_advance(p);
	n->a = parse_unary(p);
	if (n->op == OP_INC || n->op == OP_DEC) {
		n->kind = N_INCDEC;
		n->is_prefix = true;
	}
	if (n->kind == N_INCDEC || (n->op == OP_ADDR && !is_part(n->a)))
		check_lvalue(p, n->a, n->op);
	return parse_done(p, n);
}

/* ---- postfix */

static void note_arrow(struct parser *p, const struct node *left, u32 off)
{
	if (left->kind != N_IDENT || left->name != p->name_args || p->noted_arrow)
		return;
	p->noted_arrow = true;
	diag_report(p->diags, parse_span(p, left->span.off - p->src->base, off + 2), D_OLD_ARROW);
}

static void parse_tuple_index(struct parser *p, struct node *n)
{
	n->value = (s64)p->tok.value;
	for (u32 i = 0; i < p->tok.len; i++) {
		if (lex_is_digit(p->src->text[p->tok.off + i]))
			continue;
		parse_complain(p, parse_tok_span(p), D_INDEX_DIGITS);
		break;
	}
	parse_advance(p);
}

static struct node *parse_field(struct parser *p, struct node *left, u32 start)
{
	struct node *n = parse_node(p, N_FIELD, start);
	u32 dot = p->tok.off;

	n->op = parse_is(p, TOK_ARROW) ? OP_DEREF : OP_NONE;
	if (n->op)
		note_arrow(p, left, dot);
	parse_advance(p);
	n->a = left;
	if (token_is_name(&p->tok)) {
		n->name = p->tok.name;
		parse_advance(p);
	} else if (parse_is(p, TOK_INT) && !n->op) {
		parse_tuple_index(p, n);
	} else {
		n->name = interns(p->lang->names, "");
		parse_expected(p, n->op ? "field name after '->'" : "field name after '.'", NULL);
	}
	return parse_done(p, n);
}

static struct node *parse_index(struct parser *p, struct node *left, u32 start)
{
	struct span open = parse_tok_span(p);
	struct node *n = parse_node(p, N_INDEX, start);

	parse_advance(p);
	n->a = left;
	n->b = parse_expr(p);
	parse_close(p, TOK_RBRACKET, open);
	return parse_done(p, n);
}

static struct node *parse_step(struct parser *p, struct node *left, u32 start)
{
	struct node *n;

	check_lvalue(p, left, OP_INC);
	parse_mark(p, p->tok.off, ROLE_TIGHT);
	n = parse_node(p, N_INCDEC, start);
	n->op = prefixes[p->tok.kind];
	parse_advance(p);
	n->a = left;
	return parse_done(p, n);
}

static struct node *parse_postfix(struct parser *p)
{
	u32 start = p->tok.off;
	struct node *n = parse_primary(p);

	for (;;) {
		if (parse_is(p, TOK_DOT) || parse_is(p, TOK_ARROW))
			n = parse_field(p, n, start);
		else if (parse_is(p, TOK_LBRACKET))
			n = parse_index(p, n, start);
		else if ((parse_is(p, TOK_PLUSPLUS) || parse_is(p, TOK_MINUSMINUS)) &&
			 !p->tok.after_newline)
			n = parse_step(p, n, start);
		else
			return n;
	}
}

struct node *parse_unary(struct parser *p)
{
	struct node *n = NULL;

	if (!prefixes[p->tok.kind])
		return parse_postfix(p);
	if (parse_enter(p))
		n = parse_prefix(p);
	parse_leave(p);
	return n ? n : parse_poison(p);
}

/*
 * Expressions separated by commas, maybe none, maybe with a trailing comma; does not consume the
 * closer.
 */
struct node *parse_list(struct parser *p, enum token_kind close)
{
	struct node *list = NULL, **end = &list;

	while (!parse_is(p, close) && !p->panic) {
		*end = parse_expr(p);
		end = &(*end)->next;
		if (!parse_accept(p, TOK_COMMA))
			break;
	}
	return list;
}
