/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types as written: struct/union/enum NAME, a name, the words of C's integers, typeof(...), then
 * any number of * and [N]. The checker resolves names; the parser needs only their shape, and
 * whether an ambiguous name looks like a type.
 */
#include "lang/parse.h"

bool parse_at_type_word(const struct parser *p)
{
	switch (p->tok.kind) {
	case TOK_STRUCT:
	case TOK_UNION:
	case TOK_ENUM:
	case TOK_TYPEOF: return true;
	default: return false;
	}
}

static u8 tag_of(enum token_kind kind)
{
	switch (kind) {
	case TOK_STRUCT: return 's';
	case TOK_UNION: return 'u';
	case TOK_ENUM: return 'e';
	default: return 0;
	}
}

/* ---- names */

static const char *const own_types[] = {
	"bool",   "int8",   "int16",  "int32",  "int64",    "uint8",   "uint16",    "uint32",
	"uint64", "string", "buffer", "inet",   "void",     "float",   "double",    "int",
	"char",   "short",  "long",   "signed", "unsigned", "u8",      "u16",       "u32",
	"u64",    "s8",     "s16",    "s32",    "s64",      "macaddr", "timestamp",
};

static bool is_listed(const char *name)
{
	return is_one_of(own_types, ARRAY_SIZE(own_types), name);
}

bool parse_is_type_name(struct parser *p, const char *name)
{
	const struct world *w = &p->lang->env->world;

	if (is_listed(name) || ends_with(name, "_t") || starts_with(name, "__u") ||
	    starts_with(name, "__s"))
		return true;
	if (hash_gets(&p->lang->types, name))
		return true;
	for (u32 i = 0; i < p->typedefs.n; i++)
		if (p->typedefs.v[i] == name)
			return true;
	return w->type && w->type(w->ctx, 0, name);
}

bool parse_is_builtin(const struct parser *p, const char *name)
{
	return hash_gets(&p->lang->env->builtins, name) != NULL;
}

/* ---- C's integers in several words */

struct words {
	u32 n_long, n_short, n_char, n_int, n_unsigned, n_signed;
};

static u32 *word_counter(struct words *w, const struct token *tok)
{
	const struct {
		const char *text;
		u32 *n;
	} rows[] = {
		{ "long", &w->n_long }, { "short", &w->n_short },       { "char", &w->n_char },
		{ "int", &w->n_int },   { "unsigned", &w->n_unsigned }, { "signed", &w->n_signed },
	};

	for (u32 i = 0; tok->kind == TOK_IDENT && i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].text, tok->name))
			return rows[i].n;
	return NULL;
}

static const char *words_name(const struct words *w)
{
	if (w->n_char)
		return w->n_unsigned ? "uint8" : "int8";
	if (w->n_short)
		return w->n_unsigned ? "uint16" : "int16";
	if (w->n_long)
		return w->n_unsigned ? "uint64" : "int64";
	return w->n_unsigned ? "uint32" : "int32";
}

/* Skips "unsigned long int"; NULL if the token is no such word. */
static const char *parse_words(struct lexer *lx, struct token *tok, u32 *end)
{
	struct words w = { 0 };
	u32 *n = word_counter(&w, tok), count = 0;

	for (; n; n = word_counter(&w, tok), count++) {
		++*n;
		*end = tok->off + tok->len;
		lex_next(lx, tok);
	}
	return count ? words_name(&w) : NULL;
}

/* ---- suffixes */

static void parse_array_suffix(struct parser *p, struct type_ref *t)
{
	struct span open = parse_tok_span(p);
	s64 n = -2;

	parse_advance(p);
	if (parse_is(p, TOK_INT)) {
		n = (s64)p->tok.value;
		if (n < 0 || n > INT32_MAX)
			parse_complain(p, parse_tok_span(p), D_ARRAY_SIZE), n = 1;
		parse_advance(p);
	} else if (parse_is(p, TOK_PARAM) || parse_is(p, TOK_IDENT)) {
		parse_help(p, parse_expected(p, "number", "as the size of an array"),
			   "sizes in types are written out");
	}
	parse_close(p, TOK_RBRACKET, open);
	vec_push(p->arena, &t->suffix, n);
}

static void parse_suffixes(struct parser *p, struct type_ref *t)
{
	while (!p->panic) {
		if (parse_is(p, TOK_STAR)) {
			parse_mark(p, p->tok.off, t->suffix.n ? ROLE_TIGHT_BOTH : ROLE_PREFIX);
			parse_advance(p);
			vec_push(p->arena, &t->suffix, -1);
		} else if (parse_is(p, TOK_LBRACKET)) {
			parse_array_suffix(p, t);
		} else if (parse_is(p, TOK_MUL_ASSIGN)) { /* let $x: struct foo *= 0 */
			p->prev_end = ++p->tok.off;
			p->tok.len = 1;
			p->tok.kind = TOK_ASSIGN;
			vec_push(p->arena, &t->suffix, -1);
		} else {
			return;
		}
		if (t->suffix.n > 32)
			parse_error(p, parse_tok_span(p), D_TOO_DEEP, 32);
	}
}

/* Types whose [N] is a capacity and not an array of N. */
static bool has_capacity(const char *name)
{
	return streq(name, "string") || streq(name, "buffer") || streq(name, "inet");
}

static void parse_typeof(struct parser *p, struct type_ref *t)
{
	struct span open;
	bool has_suffix, has_star;
	struct token after;

	parse_advance(p);
	open = parse_tok_span(p);
	parse_mark(p, p->tok.off, ROLE_CALL_OPEN);
	if (!parse_expect(p, TOK_LPAREN, "after \"typeof\""))
		return;
	if (!parse_enter(p)) {
		parse_leave(p);
		return;
	}
	if (parse_at_type_word(p) || (parse_is(p, TOK_IDENT) && !parse_is_builtin(p, p->tok.name) &&
				      parse_type_then_paren(p, &has_suffix, &has_star, &after) &&
				      (has_star || parse_is_type_name(p, p->tok.name))))
		t->of_type = parse_type(p);
	else
		t->of = parse_expr(p);
	parse_close(p, TOK_RPAREN, open);
	parse_leave(p);
}

static void parse_type_name(struct parser *p, struct type_ref *t)
{
	const char *words;

	t->tag = tag_of(p->tok.kind);
	if (t->tag)
		parse_advance(p);
	if (!parse_is(p, TOK_IDENT) && !(t->tag && token_is_name(&p->tok))) {
		parse_expected(p, "type name", NULL);
		t->name = interns(p->lang->names, "int64");
		return;
	}
	t->name = p->tok.name;
	if (!t->tag && (words = parse_words(&p->lx, &p->tok, &p->prev_end)))
		t->name = interns(p->lang->names, words);
	else
		parse_advance(p);
}

struct type_ref *parse_type(struct parser *p)
{
	struct type_ref *t = arena_new(p->arena, struct type_ref);
	u32 start = p->tok.off;

	if (parse_is(p, TOK_TYPEOF))
		parse_typeof(p, t);
	else
		parse_type_name(p, t);
	parse_suffixes(p, t);
	t->is_string_n = t->name && !t->tag && t->suffix.n && t->suffix.v[0] >= 0 &&
			 has_capacity(t->name);
	t->span = parse_span(p, start, MAX(p->prev_end, start));
	return t;
}

/* ---- bounded look-ahead */

enum { MAX_AHEAD = 300 };

/* Skips typeof(...) with any content. */
static bool skip_parens(struct lexer *lx, struct token *tok)
{
	u32 depth = 0;

	for (u32 n = 0; n < MAX_AHEAD; n++) {
		depth += tok->kind == TOK_LPAREN;
		depth -= tok->kind == TOK_RPAREN;
		if (tok->kind == TOK_EOF || tok->kind == TOK_SEMICOLON)
			return false;
		lex_next(lx, tok);
		if (!depth)
			return true;
	}
	return false;
}

static bool skip_type_head(struct lexer *lx, struct token *tok)
{
	u32 end;

	if (tok->kind == TOK_TYPEOF) {
		lex_next(lx, tok);
		return tok->kind == TOK_LPAREN && skip_parens(lx, tok);
	}
	if (tag_of(tok->kind))
		lex_next(lx, tok);
	if (!token_is_name(tok))
		return false;
	if (!parse_words(lx, tok, &end))
		lex_next(lx, tok);
	return true;
}

static bool skip_array(struct lexer *lx, struct token *tok)
{
	lex_next(lx, tok);
	if (tok->kind == TOK_INT)
		lex_next(lx, tok);
	if (tok->kind != TOK_RBRACKET)
		return false;
	lex_next(lx, tok);
	return true;
}

bool parse_type_then_paren(struct parser *p, bool *has_suffix, bool *has_star, struct token *after)
{
	struct lexer lx = p->lx;
	struct token tok = p->tok;

	lx.quiet = true;
	*has_suffix = *has_star = false;
	if (!skip_type_head(&lx, &tok))
		return false;
	for (u32 n = 0; tok.kind == TOK_STAR || tok.kind == TOK_LBRACKET; n++) {
		bool star = tok.kind == TOK_STAR;

		if (n > MAX_AHEAD)
			return false;
		if (star)
			lex_next(&lx, &tok);
		else if (!skip_array(&lx, &tok))
			return false;
		*has_suffix = true;
		*has_star |= star;
	}
	if (tok.kind != TOK_RPAREN && tok.kind != TOK_COMMA)
		return false;
	if (tok.kind == TOK_RPAREN)
		lex_next(&lx, after);
	else
		*after = tok;
	return true;
}
