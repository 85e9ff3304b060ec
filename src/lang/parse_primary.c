/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Primary expressions: literals, names and calls, variables, maps, sizeof and the like, and all
 * that begins with a parenthesis:
 *
 *	()  (e,)  (e, e)	tuple		(a=1, b=2)	record
 *	(type) e		cast		(e)		grouping
 *
 * A name in parentheses is ambiguous: "(name) x" is a cast if x can only begin an operand. Before -
 * * & ( + the name decides: a builtin or a constant is a group, what looks like a type or is one is
 * a cast.
 */
#include "lang/parse.h"

static struct node *leaf(struct parser *p, enum node_kind kind)
{
	struct node *n = parse_node(p, kind, p->tok.off);

	n->name = p->tok.name;
	n->value = (s64)p->tok.value;
	n->height = 1;
	n->span.len = p->tok.len;
	parse_advance(p);
	return n;
}

/* ---- literals */

/* At an integer: the length of a fraction that follows without space, or 0. */
static u32 fraction_length(const struct parser *p)
{
	u32 n = 1;

	if (lex_at(&p->lx, 0) != '.' || !lex_is_digit(lex_at(&p->lx, 1)))
		return 0;
	while (lex_is_digit(lex_at(&p->lx, n)))
		n++;
	return n;
}

static struct node *parse_fraction(struct parser *p, u32 more)
{
	u32 start = p->tok.off;
	struct node *n = parse_node(p, N_STR, start);

	p->lx.pos += more;
	p->tok.len += more;
	n->str = intern(p->lang->names, p->src->text + start, p->tok.len);
	n->str_len = p->tok.len;
	parse_mark_raw(p, start, start + n->str_len, ROLE_RAW);
	if (!p->in_keyword)
		parse_help(p, parse_complain(p, parse_tok_span(p), D_FLOAT_LITERAL),
			   "multiply first: 15 * $x / 10 is 1.5 times $x");
	parse_advance(p);
	return parse_done(p, n);
}

static struct node *parse_int(struct parser *p)
{
	u32 more = fraction_length(p);

	if (more)
		return parse_fraction(p, more);

	const char *text = p->src->text + p->tok.off;
	u32 len = p->tok.len;
	struct node *n = leaf(p, N_INT);

	n->str = intern(p->lang->names, text, len);
	n->str_len = len;
	return n;
}

static struct node *parse_string(struct parser *p)
{
	const char *str = p->tok.str;
	u32 len = p->tok.str_len;
	bool broken = p->tok.broken;
	struct node *n = leaf(p, N_STR);

	n->str = str;
	n->str_len = len;
	if (broken) {
		p->lost_text = true;
		parse_panic(p);
	}
	return n;
}

static struct node *parse_bool(struct parser *p)
{
	bool value = parse_is(p, TOK_TRUE);
	struct node *n = leaf(p, N_BOOL);

	n->value = value;
	n->name = NULL;
	return n;
}

/* ---- calls and maps */

/* name = value inside parentheses: a record's member or a keyword argument. */
static struct node *parse_named(struct parser *p)
{
	struct node *n = parse_node(p, N_NAMED, p->tok.off);

	n->name = p->tok.name;
	parse_advance(p);
	parse_mark(p, p->tok.off, ROLE_TIGHT_BOTH);
	parse_advance(p);
	n->a = parse_expr(p);
	return parse_done(p, n);
}

static bool at_named(const struct parser *p)
{
	return token_is_name(&p->tok) && parse_peek(p).kind == TOK_ASSIGN;
}

static struct node *parse_argument(struct parser *p)
{
	bool has_suffix, has_star;
	struct token after;
	struct node *n;

	if (at_named(p)) {
		p->in_keyword++;
		n = parse_named(p);
		p->in_keyword--;
		return n;
	}
	if (!parse_is(p, TOK_IDENT) || !parse_type_then_paren(p, &has_suffix, &has_star, &after) ||
	    !has_star)
		return parse_expr(p);
	n = parse_node(p, N_TYPE, p->tok.off); /* f(int *) */
	n->tref = parse_type(p);
	return parse_done(p, n);
}

/* At "(": the arguments and the ")". */
static struct node *parse_arguments(struct parser *p)
{
	struct node *list = NULL, **end = &list;
	struct span open = parse_tok_span(p);

	parse_mark(p, p->tok.off, ROLE_CALL_OPEN);
	parse_advance(p);
	while (!parse_is(p, TOK_RPAREN) && !p->panic) {
		*end = parse_argument(p);
		end = &(*end)->next;
		if (!parse_accept(p, TOK_COMMA))
			break;
	}
	if (parse_accept(p, TOK_RPAREN) || p->panic)
		return list;

	bool is_assignment = parse_is(p, TOK_ASSIGN);
	struct diag *d = parse_expected(p, "')'", "after the argument");

	if (is_assignment)
		parse_help(p, d, "\"=\" assigns; to compare, write \"==\"");
	diag_note(p->diags, d, open, "the arguments begin here");
	return list;
}

static struct node *parse_name(struct parser *p)
{
	struct node *n = leaf(p, N_IDENT);

	if (p->c_mode && parse_is(p, TOK_IDENT) && streq(n->name, "defined")) {
		n->kind = N_CALL; /* defined X, without parentheses */
		n->a = leaf(p, N_IDENT);
		return parse_done(p, n);
	}
	if (!parse_is(p, TOK_LPAREN))
		return n;
	n->kind = N_CALL;
	n->a = parse_arguments(p);
	return parse_done(p, n);
}

static struct node *parse_map(struct parser *p)
{
	struct node *n = leaf(p, N_MAP);
	struct span open = parse_tok_span(p);

	if (!parse_is(p, TOK_LBRACKET))
		return n;
	parse_advance(p);
	n->a = parse_list(p, TOK_RBRACKET);
	if (!n->a && parse_is(p, TOK_RBRACKET))
		parse_help(p, parse_error(p, parse_tok_span(p), D_EMPTY_KEY),
			   "a key is missing; a map without a key is written @%s", n->name);
	parse_close(p, TOK_RBRACKET, open);
	return parse_done(p, n);
}

/* ---- sizeof, offsetof, field_exists, typeinfo, typeof */

/*
 * sizeof pid is of a value; sizeof x[4] and sizeof(x *) are of a type, sizeof((x)[1]) of a value.
 * A name alone is a type if one of that name exists; else it is an N_IDENT, since it may be a
 * macro's parameter: the checker tries a type of that name last.
 */
static bool type_follows(struct parser *p)
{
	bool has_suffix, has_star;
	struct token after;

	if (parse_at_type_word(p))
		return true;
	if (!parse_is(p, TOK_IDENT) || parse_is_builtin(p, p->tok.name))
		return false;
	if (!parse_type_then_paren(p, &has_suffix, &has_star, &after))
		return false;
	return has_suffix || parse_is_type_name(p, p->tok.name);
}

static void parse_type_or_value(struct parser *p, struct node *n)
{
	if (type_follows(p))
		n->tref = parse_type(p);
	else
		n->a = parse_expr(p);
}

/* a.b.c as a chain of N_FIELD over N_IDENT. */
static struct node *parse_path(struct parser *p)
{
	u32 start = p->tok.off;
	struct node *n;

	if (!token_is_name(&p->tok)) {
		parse_expected(p, "field name", "as second argument");
		return parse_poison(p);
	}
	n = leaf(p, N_IDENT);
	while (parse_is(p, TOK_DOT)) {
		struct node *field = parse_node(p, N_FIELD, start);

		parse_advance(p);
		if (!token_is_name(&p->tok)) {
			parse_expected(p, "field name after '.'", NULL);
			return n;
		}
		field->a = n;
		field->name = p->tok.name;
		parse_advance(p);
		n = parse_done(p, field);
	}
	return n;
}

static struct node *parse_meta(struct parser *p, enum node_kind kind)
{
	struct node *n = parse_node(p, kind, p->tok.off);
	struct span open;

	parse_advance(p);
	open = parse_tok_span(p);
	parse_mark(p, p->tok.off, ROLE_CALL_OPEN);
	if (parse_expect(p, TOK_LPAREN, NULL)) {
		parse_type_or_value(p, n);
		if (node_has_path(n) && parse_expect(p, TOK_COMMA, "after the type"))
			n->b = parse_path(p);
		parse_close(p, TOK_RPAREN, open);
	}
	return parse_done(p, n);
}

static struct node *parse_type_value(struct parser *p)
{
	struct node *n = parse_node(p, N_TYPE, p->tok.off);

	n->tref = parse_type(p);
	return parse_done(p, n);
}

static struct node *parse_comptime(struct parser *p)
{
	struct node *n = parse_node(p, N_COMPTIME, p->tok.off);

	parse_advance(p);
	n->a = parse_enter(p) ? parse_unary(p) : parse_poison(p);
	parse_leave(p);
	return parse_done(p, n);
}

/* ---- parentheses */

/* Tokens that begin an operand and cannot continue an expression. */
static bool begins_operand(enum token_kind kind)
{
	switch (kind) {
	case TOK_IDENT:
	case TOK_VAR:
	case TOK_MAP:
	case TOK_PARAM:
	case TOK_INT:
	case TOK_STR:
	case TOK_LPAREN:
	case TOK_NOT:
	case TOK_TILDE:
	case TOK_TRUE:
	case TOK_FALSE:
	case TOK_SIZEOF:
	case TOK_OFFSETOF:
	case TOK_COMPTIME:
	case TOK_CONFIG: return true;
	default: return false;
	}
}

/* Tokens that can do either. */
static bool may_begin_operand(enum token_kind kind)
{
	return kind == TOK_MINUS || kind == TOK_STAR || kind == TOK_AMP;
}

/* After "(": whether this is a cast. */
static bool at_cast(struct parser *p)
{
	bool has_suffix, has_star;
	struct token after;

	if (!parse_is(p, TOK_IDENT) && !parse_at_type_word(p))
		return false;
	if (!parse_type_then_paren(p, &has_suffix, &has_star, &after))
		return false;
	if (parse_at_type_word(p))
		return parse_is(p, TOK_TYPEOF) ?
			       begins_operand(after.kind) || may_begin_operand(after.kind) :
			       true;
	if (has_star)
		return true;
	if (parse_is_builtin(p, p->tok.name))
		return false;
	if (begins_operand(after.kind))
		return true;
	return may_begin_operand(after.kind) && parse_is_type_name(p, p->tok.name);
}

static struct node *parse_cast(struct parser *p, u32 start, struct span open)
{
	struct node *n = parse_node(p, N_CAST, start);

	n->tref = parse_type(p);
	parse_mark(p, p->tok.off, ROLE_CAST_CLOSE);
	parse_close(p, TOK_RPAREN, open);
	n->a = parse_enter(p) ? parse_unary(p) : parse_poison(p);
	parse_leave(p);
	return parse_done(p, n);
}

static struct node *parse_record(struct parser *p, u32 start, struct span open)
{
	struct node *n = parse_node(p, N_RECORD, start), **end = &n->a;

	while (at_named(p)) {
		*end = parse_named(p);
		end = &(*end)->next;
		if (!parse_accept(p, TOK_COMMA))
			break;
	}
	if (!parse_is(p, TOK_RPAREN) && !p->panic)
		parse_help(p, parse_expected(p, "identifier", "in a record"),
			   "every member of a record has a name: (a=1, b=2)");
	parse_close(p, TOK_RPAREN, open);
	return parse_done(p, n);
}

/* "if ($x = 1)": continues as if it were a comparison. */
static struct node *parse_meant_equal(struct parser *p, struct node *left, u32 start)
{
	struct diag *d = parse_complain(p, parse_tok_span(p), D_EXPECTED, "')'");
	struct node *n = parse_node(p, N_BINARY, start);

	parse_help(p, d, "\"=\" assigns; to compare, write \"==\"");
	parse_advance(p);
	n->op = OP_EQ;
	n->a = left;
	n->b = parse_expr(p);
	return parse_done(p, n);
}

/* After "(": zero, two or more elements, or one and a comma, are a tuple. */
static struct node *parse_group(struct parser *p, u32 start, struct span open)
{
	struct node *first = NULL, *n;

	if (!parse_is(p, TOK_RPAREN))
		first = parse_expr(p);
	if (first && parse_is(p, TOK_ASSIGN))
		first = parse_meant_equal(p, first, start);
	if (first && !parse_is(p, TOK_COMMA)) {
		parse_close(p, TOK_RPAREN, open);
		return first;
	}
	n = parse_node(p, N_TUPLE, start);
	n->a = first;
	if (first && parse_accept(p, TOK_COMMA))
		first->next = parse_list(p, TOK_RPAREN);
	parse_close(p, TOK_RPAREN, open);
	return parse_done(p, n);
}

static struct node *parse_paren(struct parser *p)
{
	u32 start = p->tok.off;
	struct span open = parse_tok_span(p);

	parse_advance(p);
	if (at_named(p))
		return parse_record(p, start, open);
	if (at_cast(p))
		return parse_cast(p, start, open);
	return parse_group(p, start, open);
}

/* ---- */

static const char *operand_help(const struct parser *p)
{
	switch (p->tok.kind) {
	case TOK_RBRACE: return "is the statement before it complete?";
	case TOK_PLUS: return "there is no prefix \"+\": leave it out";
	case TOK_ELSE: return "\"else\" follows the block of an \"if\"";
	case TOK_COLON: return "a probe begins outside of all blocks: is a \"}\" missing?";
	case TOK_LT:
		return "values are added to an aggregation by @name = sum(N), hist(N), count()";
	case TOK_LET: return "variables are declared in a statement of their own";
	default: return NULL;
	}
}

static struct node *no_operand(struct parser *p)
{
	const char *help = operand_help(p), *found = parse_found(p);
	struct diag *d = parse_error(p, parse_tok_span(p), D_EXPECTED_EXPR);

	parse_help(p, d, "found %s", found);
	if (help)
		parse_help(p, d, "%s", help);
	else
		parse_help_habit(p, d, "expression");
	if (d->help.n == 1)
		parse_help(p, d, "a value is missing before it");
	return parse_poison(p);
}

struct node *parse_primary(struct parser *p)
{
	switch (p->tok.kind) {
	case TOK_INT: return parse_int(p);
	case TOK_STR: return parse_string(p);
	case TOK_TRUE:
	case TOK_FALSE: return parse_bool(p);
	case TOK_VAR: return leaf(p, N_VAR);
	case TOK_PARAM: return leaf(p, N_PARAM);
	case TOK_MAP: return parse_map(p);
	case TOK_IDENT:
	case TOK_CONFIG: return parse_name(p);
	case TOK_LPAREN: return parse_paren(p);
	case TOK_SIZEOF: return parse_meta(p, N_SIZEOF);
	case TOK_OFFSETOF: return parse_meta(p, N_OFFSETOF);
	case TOK_FIELD_EXISTS: return parse_meta(p, N_FIELD_EXISTS);
	case TOK_TYPEINFO: return parse_meta(p, N_TYPEINFO);
	case TOK_COMPTIME: return parse_comptime(p);
	case TOK_IF: return parse_if_value(p, parse_if(p));
	case TOK_LBRACE: return parse_block_value(p, parse_block(p, ROLE_BLOCK_OPEN));
	case TOK_STRUCT:
	case TOK_UNION:
	case TOK_ENUM:
	case TOK_TYPEOF: return parse_type_value(p);
	default: return no_operand(p);
	}
}
