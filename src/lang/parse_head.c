/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What precedes the probes: the shebang line, C text (kept verbatim for lang/cdecl), the config
 * block, imports; and `let @m = hash(n);`, which may be anywhere outside of probes. A declaration
 * out of order is reported and parsed anyway.
 */
#include "lang/parse.h"

void parse_shebang(struct parser *p)
{
	struct lexer *lx = &p->lx;

	lex_layout(lx);
	if (lex_at(lx, 0) != '#' || lex_at(lx, 1) != '!')
		return;

	u32 start = lx->pos;

	while (lx->pos < lx->end && lex_at(lx, 0) != '\n')
		lx->pos++;
	parse_mark_raw(p, start, lx->pos, ROLE_C_TEXT);
}

/* ---- C text */

static bool word_at(const struct parser *p, u32 off, const char *word)
{
	u32 len = (u32)strlen(word);

	return p->lx.end - off >= len && memcmp(p->src->text + off, word, len) == 0 &&
	       !lex_is_word(p->src->text[off + len]);
}

bool parse_at_c_text(const struct parser *p)
{
	u32 off = p->tok.off;

	return p->src->text[off] == '#' || word_at(p, off, "struct") || word_at(p, off, "union") ||
	       word_at(p, off, "enum") || word_at(p, off, "typedef");
}

/* Skips to the end of the line, over lines that end in a backslash. */
static void skip_directive(struct lexer *lx)
{
	for (; lx->pos < lx->end; lx->pos++) {
		if (lex_at(lx, 0) != '\n')
			continue;
		if (lx->src->text[lx->pos - 1] != '\\' || lx->pos + 1 >= lx->end)
			return;
	}
}

static void skip_c_string(struct lexer *lx)
{
	char quote = lex_at(lx, 0);

	for (lx->pos++; lx->pos < lx->end && lex_at(lx, 0) != quote && lex_at(lx, 0) != '\n';
	     lx->pos++)
		lx->pos += lex_at(lx, 0) == '\\' && lx->pos + 1 < lx->end;
	if (lx->pos < lx->end)
		lx->pos++;
}

/* Skips a token of C, or a pair of brackets; returns its first byte, '\0' at the end. */
static char skip_c_token(struct lexer *lx)
{
	char c;

	lex_layout(lx);
	c = lex_at(lx, 0);
	if (lx->pos >= lx->end)
		return '\0';
	if (c == '"' || c == '\'')
		skip_c_string(lx);
	else
		lx->pos++;
	return c ? c : ' ';
}

/* Skips balanced brackets, at the opening one; false if the text ends first. */
static bool skip_balanced(struct lexer *lx)
{
	u32 depth = 0;

	do {
		char c = skip_c_token(lx);

		if (!c)
			return false;
		depth += c == '{' || c == '(' || c == '[';
		depth -= (c == '}' || c == ')' || c == ']');
	} while (depth);
	return true;
}

/* Any __attribute__((...)) and a semicolon after a definition's brace. */
static void skip_c_tail(struct parser *p)
{
	struct lexer *lx = &p->lx, after;

	for (;;) {
		after = *lx;
		lex_layout(&after);
		if (!word_at(p, after.pos, "__attribute__"))
			break;
		after.pos += 13;
		lex_layout(&after);
		if (lex_at(&after, 0) != '(' || !skip_balanced(&after))
			break;
		*lx = after;
	}
	if (lex_at(&after, 0) == ';')
		lx->pos = after.pos + 1;
}

/* A definition ends at its brace, everything else at a semicolon. */
static bool skip_definition(struct parser *p)
{
	bool is_typedef = word_at(p, p->lx.pos, "typedef");
	struct lexer *lx = &p->lx;

	for (;;) {
		lex_layout(lx);
		switch (lex_at(lx, 0)) {
		case '{':
		case '(':
		case '[': {
			bool brace = lex_at(lx, 0) == '{';

			if (!skip_balanced(lx))
				return false;
			if (brace && !is_typedef)
				return skip_c_tail(p), true;
			break;
		}
		case ';': lx->pos++; return true;
		case '}':
		case ')':
		case ']': return false;
		default:
			if (!skip_c_token(lx))
				return false;
		}
	}
}

static void keep_c_text(struct parser *p, u32 start, u32 end)
{
	struct c_text *c = arena_new(p->arena, struct c_text), **link = &p->script->c_texts;

	c->span = parse_span(p, start, end);
	c->text = arena_strndup(p->arena, p->src->text + start, end - start);
	while (*link)
		link = &(*link)->next;
	*link = c;
	parse_mark_raw(p, start, end, ROLE_C_TEXT);
}

static bool ends_declarator(enum token_kind kind)
{
	return kind == TOK_COMMA || kind == TOK_SEMICOLON || kind == TOK_LBRACKET ||
	       kind == TOK_RPAREN;
}

/* Records the names that "typedef struct { ... } a, *b; " defines. */
static void keep_typedef_names(struct parser *p, u32 start, u32 end)
{
	struct lexer lx = p->lx;
	struct token tok, last = { 0 };
	u32 depth = 0;

	lx.pos = start;
	lx.end = end;
	lx.quiet = lx.c_mode = true;
	for (lex_next(&lx, &tok); tok.kind != TOK_EOF; lex_next(&lx, &tok)) {
		depth += tok.kind == TOK_LBRACE;
		depth -= tok.kind == TOK_RBRACE;
		if (!depth && last.kind == TOK_IDENT && ends_declarator(tok.kind))
			vec_push(p->arena, &p->typedefs, last.name);
		last = tok;
	}
}

void parse_c_text(struct parser *p)
{
	u32 start = p->tok.off;
	bool complete = true;

	p->lx.pos = start;
	if (lex_at(&p->lx, 0) == '#')
		skip_directive(&p->lx);
	else
		complete = skip_definition(p);
	if (p->seen_probe)
		parse_help(p, parse_complain(p, parse_tok_span(p), D_C_ORDER),
			   "move them to the head of the script%s",
			   p->src->text[start] == '#' ? "; comments begin with \"//\"" : "");
	if (!complete) {
		p->tok.off = p->lx.pos;
		p->tok.len = p->lx.pos < p->lx.end;
		p->prev_end = p->lx.pos;
		parse_help(p, parse_error(p, parse_span(p, start, start + 1), D_C_UNFINISHED),
			   "a definition ends in \"};\"");
		p->resume = p->lx.pos;
		return;
	}
	keep_c_text(p, start, p->lx.pos);
	if (word_at(p, start, "typedef"))
		keep_typedef_names(p, start, p->lx.pos);
	p->prev_end = p->lx.pos;
	p->tok = (struct token){ .kind = TOK_BAD, .off = p->lx.pos };
}

/* ---- config = { key = value; ... } */

static const char *config_value(struct parser *p)
{
	const struct token *t = &p->tok;
	bool negative = parse_accept(p, TOK_MINUS);

	switch (t->kind) {
	case TOK_STR: return t->str;
	case TOK_INT:
		return arena_printf(p->arena, "%s%llu", negative ? "-" : "",
				    (unsigned long long)t->value);
	default: break;
	}
	if (token_is_name(t))
		return t->name;
	parse_expected(p, "string, int, boolean, or ident", "in the config block");
	return "";
}

static void parse_config_item(struct parser *p)
{
	struct config_item *item = arena_new(p->arena, struct config_item);
	struct config_item **link = &p->script->config;
	u32 start = p->tok.off;

	item->key = p->tok.name;
	if (!token_is_name(&p->tok))
		parse_expected(p, "config key", "in the config block");
	parse_advance(p);
	parse_mark(p, p->tok.off, ROLE_BINARY);
	parse_expect(p, TOK_ASSIGN, "after the key");
	item->value = config_value(p);
	parse_advance(p);
	item->span = parse_span(p, start, MAX(p->prev_end, start));
	if (!p->panic && !parse_is(p, TOK_RBRACE) && !parse_is(p, TOK_SEMICOLON))
		parse_complain(p, parse_span(p, p->prev_end - 1, p->prev_end), D_MISSING_SEMICOLON);
	if (p->panic)
		return;
	while (*link)
		link = &(*link)->next;
	*link = item;
}

static void check_config_place(struct parser *p)
{
	if (p->seen_config)
		parse_help(p, parse_complain(p, parse_tok_span(p), D_CONFIG_TWICE),
			   "put all keys into one block");
	else if (p->seen_probe)
		parse_help(p, parse_complain(p, parse_tok_span(p), D_CONFIG_ORDER),
			   "move it to the head of the script");
	p->seen_config = true;
}

void parse_config(struct parser *p)
{
	struct span open;
	bool bare = false;

	check_config_place(p);
	parse_advance(p);
	parse_mark(p, p->tok.off, ROLE_BINARY);
	parse_expect(p, TOK_ASSIGN, "after \"config\"");
	open = parse_tok_span(p);
	parse_mark(p, p->tok.off, ROLE_BLOCK_OPEN);
	if (!parse_expect(p, TOK_LBRACE, "after \"config =\""))
		return;
	p->n_blocks++;
	while (!parse_is(p, TOK_RBRACE) && !parse_is(p, TOK_EOF) && !parse_at_item(p)) {
		if (parse_accept(p, TOK_SEMICOLON))
			continue;
		parse_config_item(p);
		if (p->to_top)
			return;
		parse_recover(p);
		bare = !parse_is(p, TOK_SEMICOLON);
	}
	p->n_blocks--;
	parse_mark(p, p->tok.off, bare ? ROLE_BLOCK_CLOSE_SEMI : ROLE_BLOCK_CLOSE);
	parse_close(p, TOK_RBRACE, open);
	parse_accept(p, TOK_SEMICOLON);
}

/* ---- imports and map declarations */

void parse_import(struct parser *p)
{
	struct import *im = arena_new(p->arena, struct import), **link = &p->script->imports;
	u32 start = p->tok.off;

	if (p->seen_probe)
		parse_help(p, parse_complain(p, parse_tok_span(p), D_IMPORT_ORDER),
			   "move it to the head of the script");
	parse_advance(p);
	im->path = p->tok.str ? p->tok.str : "";
	if (!parse_expect_as(p, TOK_STR, "string after 'import'", NULL))
		return;
	im->span = parse_span(p, start, p->prev_end);
	if (!parse_accept(p, TOK_SEMICOLON))
		parse_help(p,
			   parse_complain(p, parse_span(p, p->prev_end - 1, p->prev_end),
					  D_EXPECTED, "';' after import"),
			   "put \";\" here");
	while (*link)
		link = &(*link)->next;
	*link = im;
}

static void not_a_map_decl(struct parser *p)
{
	const char *found = parse_found(p);
	struct diag *d = parse_error(p, parse_tok_span(p), D_ROOT_LET);

	parse_help(p, d, "found %s; variables are declared inside of probes", found);
}

/* let @m = lruhash(1000); */
void parse_map_decl(struct parser *p)
{
	struct map_decl *m = arena_new(p->arena, struct map_decl), **link = &p->script->map_decls;
	u32 start = p->tok.off;
	struct span open;

	parse_advance(p);
	if (!parse_is(p, TOK_MAP))
		return not_a_map_decl(p);
	m->map = p->tok.name;
	parse_advance(p);
	parse_mark(p, p->tok.off, ROLE_BINARY);
	parse_expect(p, TOK_ASSIGN, "after the map's name");
	m->kind = p->tok.name;
	parse_expect_as(p, TOK_IDENT, "map type name", "after \"=\"");
	open = parse_tok_span(p);
	parse_mark(p, p->tok.off, ROLE_CALL_OPEN);
	parse_expect(p, TOK_LPAREN, "after the kind of map");
	m->max_entries = parse_expr(p);
	parse_close(p, TOK_RPAREN, open);
	if (p->panic)
		return;
	parse_accept(p, TOK_SEMICOLON);
	m->span = parse_span(p, start, p->prev_end);
	while (*link)
		link = &(*link)->next;
	*link = m;
}
