/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser's base: moves over tokens, diagnostics, and recovery after an error.
 *
 * Recovery stops at one of three positions: the end of a statement, the block after a bad head, and
 * the next declaration. It skips tokens with a quiet lexer and always moves forward, except that it
 * stops before a "}" that ends the current block.
 */
#include "dialect/hints.h"
#include "lang/parse.h"

void parse_init(struct parser *p, struct lang *l, struct source *src)
{
	*p = (struct parser){
		.lang = l,
		.arena = l->arena,
		.diags = l->diags,
		.src = src,
		.script = l->script,
		.name_args = interns(l->names, "args"),
		.name_discard = interns(l->names, "_"),
	};
	lex_init(&p->lx, src, l->arena, l->names, l->diags);
}

void parse_advance(struct parser *p)
{
	if (p->panic)
		return;
	p->prev_end = p->tok.off + p->tok.len;
	lex_next(&p->lx, &p->tok);
	p->n_errors += p->lx.n_errors;
	p->lx.n_errors = 0;
}

struct token parse_peek(const struct parser *p)
{
	struct lexer ahead = p->lx;
	struct token tok;

	ahead.quiet = true;
	lex_next(&ahead, &tok);
	return tok;
}

bool parse_accept(struct parser *p, enum token_kind kind)
{
	if (p->tok.kind != kind)
		return false;
	parse_advance(p);
	return true;
}

/* ---- reporting */

void parse_panic(struct parser *p)
{
	if (p->panic)
		return;
	p->panic = true;
	p->resume = p->tok.off;
	p->tok.kind = TOK_BAD;
	p->tok.name = interns(p->lang->names, "");
	if (p->n_errors >= DIAG_MAX_ERRORS) {
		p->resume = p->src->len;
		p->to_top = true;
	}
}

/* A discarded diagnostic, for callers that add help to it. */
static struct diag *unseen(struct parser *p, enum diag_id id)
{
	struct diag *d = arena_new(p->arena, struct diag);

	d->id = id;
	return d;
}

static struct diag *report(struct parser *p, struct span span, enum diag_id id, va_list ap)
{
	if (p->panic)
		return unseen(p, id);
	p->n_errors++;
	return diag_vreport(p->diags, span, id, ap);
}

struct diag *parse_error(struct parser *p, struct span span, enum diag_id id, ...)
{
	va_list ap;

	va_start(ap, id);
	struct diag *d = report(p, span, id, ap);

	va_end(ap);
	parse_panic(p);
	return d;
}

struct diag *parse_complain(struct parser *p, struct span span, enum diag_id id, ...)
{
	va_list ap;

	va_start(ap, id);
	struct diag *d = report(p, span, id, ap);

	va_end(ap);
	return d;
}

void parse_help(struct parser *p, struct diag *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(p->arena, &d->help, arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
}

static const char *found(struct parser *p, const struct token *tok)
{
	const char *text = p->src->text + tok->off;

	if (tok->kind == TOK_EOF || tok->kind == TOK_BAD)
		return token_text(tok->kind);
	if (tok->kind == TOK_STR || tok->len > 40)
		return tok->kind == TOK_STR ? "a string" : "a long word";
	return arena_printf(p->arena, "\"%.*s\"", (int)tok->len, text);
}

const char *parse_found(struct parser *p)
{
	return found(p, &p->tok);
}

void parse_help_habit(struct parser *p, struct diag *d, const char *expected)
{
	const char *help = foreign_text(expected, p->src->text + p->tok.off, p->tok.off);

	if (help)
		parse_help(p, d, "%s", help);
}

struct diag *parse_expected(struct parser *p, const char *what, const char *where)
{
	const char *found = parse_found(p);
	struct diag *d = parse_error(p, parse_tok_span(p), D_EXPECTED, what);

	parse_help(p, d, "found %s%s%s", found, where ? " " : "", where ? where : "");
	parse_help_habit(p, d, what);
	return d;
}

static const char *quoted(struct parser *p, enum token_kind kind)
{
	if (kind < TOK_LPAREN)
		return token_text(kind);
	return arena_printf(p->arena, "'%s'", token_text(kind));
}

static struct diag *not_expected(struct parser *p, enum token_kind kind, const char *where)
{
	bool is_assignment = p->tok.kind == TOK_ASSIGN;
	struct diag *d = parse_expected(p, quoted(p, kind), where);

	if (is_assignment)
		parse_help(p, d, "\"=\" assigns; to compare, write \"==\"");
	return d;
}

bool parse_expect(struct parser *p, enum token_kind kind, const char *where)
{
	if (parse_accept(p, kind))
		return true;
	not_expected(p, kind, where);
	return false;
}

bool parse_expect_as(struct parser *p, enum token_kind kind, const char *what, const char *where)
{
	if (parse_accept(p, kind))
		return true;
	parse_expected(p, what, where);
	return false;
}

bool parse_close(struct parser *p, enum token_kind kind, struct span open)
{
	if (parse_accept(p, kind))
		return true;

	struct diag *d = not_expected(p, kind, NULL);

	if (open.off)
		diag_note(p->diags, d, open, "opened here");
	return false;
}

bool parse_enter(struct parser *p)
{
	if (++p->depth <= PARSE_MAX_NESTING)
		return true;
	if (p->panic)
		return false;

	struct diag *d = parse_error(p, parse_tok_span(p), D_TOO_DEEP, PARSE_MAX_NESTING);

	parse_help(p, d, "keep parts of it in variables, or use a macro");
	p->to_top = true;
	return false;
}

void parse_leave(struct parser *p)
{
	p->depth--;
}

/* ---- recovery */

static bool begins_item(const struct parser *p, const struct token *tok, const struct lexer *after)
{
	const char *text = p->src->text;
	struct lexer ahead = *after;
	struct token next;

	if (tok->off && text[tok->off - 1] != '\n')
		return false;
	if (tok->kind == TOK_MACRO || tok->kind == TOK_FN)
		return true;
	if (tok->kind != TOK_IDENT)
		return false;
	ahead.quiet = true;
	lex_next(&ahead, &next);
	if (next.kind == TOK_COLON) /* kprobe:f, but not the second half of c ? a : b */
		return next.off == tok->off + tok->len && lex_at(&ahead, 0) > ' ';
	return next.kind == TOK_LBRACE;
}

bool parse_at_item(const struct parser *p)
{
	return begins_item(p, &p->tok, &p->lx);
}

static void skip_from(struct parser *p, u32 off)
{
	p->lx.pos = off;
	p->lx.quiet = true;
	lex_next(&p->lx, &p->tok);
}

static void skip_token(struct parser *p)
{
	p->prev_end = p->tok.off + p->tok.len;
	lex_next(&p->lx, &p->tok);
}

static void end_skip(struct parser *p)
{
	p->lx.quiet = false;
	p->panic = false;
}

void parse_recover(struct parser *p)
{
	u32 depth = 0;

	if (!p->panic || p->to_top)
		return;
	skip_from(p, p->resume);
	while (p->tok.kind != TOK_EOF && !parse_at_item(p)) {
		if (p->tok.kind == TOK_RBRACE && !depth)
			break;
		bool ends = p->tok.kind == TOK_SEMICOLON && !depth;

		depth += p->tok.kind == TOK_LBRACE;
		if (p->tok.kind == TOK_RBRACE)
			ends = !--depth;
		skip_token(p);
		if (ends && p->tok.kind != TOK_SEMICOLON && p->tok.kind != TOK_ELSE)
			break;
	}
	end_skip(p);
}

void parse_recover_block(struct parser *p)
{
	if (!p->panic || p->to_top)
		return;
	skip_from(p, p->resume);
	while (p->tok.kind != TOK_EOF && p->tok.kind != TOK_LBRACE && !parse_at_item(p))
		skip_token(p);
	end_skip(p);
}

/* n_blocks blocks were open at the error. */
void parse_recover_top(struct parser *p)
{
	u32 depth = p->n_blocks;

	p->n_blocks = 0;
	p->to_top = false;
	skip_from(p, p->resume);
	while (p->tok.kind != TOK_EOF && !parse_at_item(p)) {
		bool ends = false;

		depth += p->tok.kind == TOK_LBRACE;
		if (p->tok.kind == TOK_RBRACE && depth)
			ends = !--depth;
		skip_token(p);
		if (ends)
			break;
	}
	end_skip(p);
}

/* ---- nodes */

struct node *parse_node(struct parser *p, enum node_kind kind, u32 start)
{
	u32 end = MAX(p->prev_end, start);

	return node_new(p->arena, kind, parse_span(p, start, end));
}

static u32 tallest(const struct node *list)
{
	u32 h = 0;

	for (; list; list = list->next)
		h = MAX(h, list->height);
	return h;
}

struct node *parse_done(struct parser *p, struct node *n)
{
	u32 h = MAX(MAX(tallest(n->a), tallest(n->b)), MAX(tallest(n->c), tallest(n->d)));
	u32 start = n->span.off - p->src->base;

	n->span.len = MAX(p->prev_end, start) - start;
	if (n->tref && n->tref->of)
		h = MAX(h, n->tref->of->height);
	n->height = (u16)(h + 1);
	if (h < PARSE_MAX_HEIGHT || p->panic)
		return h < PARSE_MAX_HEIGHT ? n : parse_poison(p);

	struct diag *d = parse_error(p, parse_tok_span(p), D_TOO_LONG, PARSE_MAX_HEIGHT);

	parse_help(p, d, "keep parts of it in variables");
	return parse_poison(p);
}

struct node *parse_poison(struct parser *p)
{
	struct node *n = node_new(p->arena, N_INT, parse_span(p, p->prev_end, p->prev_end));

	n->str = "0";
	n->str_len = 1;
	return n;
}
