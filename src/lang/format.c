/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde fmt: the same tokens and comments in canonical layout. The text is parsed first, which
 * detects errors and stores a role at each token whose layout or spacing depends on the grammar (a
 * "-" with one or two operands, a brace of a block or of a short value). Then tokens are written in
 * order; the kinds and roles of two tokens determine the space between them.
 *
 * Statements get a line each and a semicolon. Line breaks inside a statement are preserved, as are
 * single blank lines. Only white space and optional semicolons are added or removed, so the tree is
 * the same afterwards.
 */
#include "base/buf.h"
#include "lang/parse.h"

enum gap { GAP_NONE, GAP_SPACE, GAP_LINE, GAP_BLANK };

struct piece { /* a token, or raw text */
	enum token_kind kind;
	enum role role;
	u32 off, len;
};

struct format {
	struct buf *out;
	struct source *src;
	const u8 *roles;
	struct lexer lx;
	u32 indent;
	struct piece prev, cur;
	bool any; /* output is not empty */
};

/* ---- reading */

static bool is_raw(const struct piece *p)
{
	return p->role == ROLE_RAW || p->role == ROLE_C_TEXT;
}

static void next_piece(struct format *f)
{
	struct token tok;
	u32 at;

	lex_layout(&f->lx);
	at = f->lx.pos;
	f->cur = (struct piece){ .off = at, .role = f->roles[at], .kind = TOK_IDENT };
	if (is_raw(&f->cur)) {
		do
			f->lx.pos++;
		while (f->roles[f->lx.pos] == ROLE_MORE);
	} else {
		lex_next(&f->lx, &tok);
		f->cur.kind = tok.kind;
	}
	f->cur.len = f->lx.pos - at;
}

/* ---- deciding */

static bool is_close(const struct piece *p)
{
	return p->role == ROLE_BLOCK_CLOSE || p->role == ROLE_BLOCK_CLOSE_SEMI;
}

static bool is_open(const struct piece *p)
{
	return p->role == ROLE_BLOCK_OPEN || p->role == ROLE_PROBE_OPEN;
}

static bool begins_item(const struct piece *p)
{
	return is_raw(p) || p->kind == TOK_MACRO || p->kind == TOK_FN;
}

static enum gap gap_after_close(const struct format *f)
{
	const struct piece *cur = &f->cur;

	switch (cur->kind) {
	case TOK_SEMICOLON:
	case TOK_COMMA:
	case TOK_RPAREN:
	case TOK_RBRACKET:
	case TOK_DOT: return GAP_NONE;
	case TOK_ELSE: return GAP_SPACE;
	default: break;
	}
	if (cur->role == ROLE_BINARY || cur->role == ROLE_INLINE_CLOSE)
		return GAP_SPACE;
	return f->indent ? GAP_LINE : GAP_BLANK;
}

/* The 0 of $pair.0 */
static bool is_index(const struct format *f, const struct piece *p)
{
	return p->kind == TOK_INT && p->off && f->src->text[p->off - 1] == '.';
}

/* "- -x", "& &x", "(char *)= x" would become other tokens, "/ *x" a comment, "5 .0" a fraction. */
static bool would_merge(const struct format *f)
{
	char a = f->src->text[f->prev.off + f->prev.len - 1], b = f->src->text[f->cur.off];

	if (f->prev.kind == TOK_INT)
		return f->cur.kind == TOK_DOT && !is_index(f, &f->prev);
	if (a == '/')
		return b == '*' || b == '/';
	return b == '=' ? f->cur.role != ROLE_TIGHT_BOTH :
			  a == b && (a == '-' || a == '+' || a == '&' || a == '*');
}

static bool hugs_next(const struct piece *prev)
{
	switch (prev->role) {
	case ROLE_PREFIX:
	case ROLE_TIGHT_BOTH:
	case ROLE_CAST_CLOSE:
	case ROLE_PREDICATE_OPEN: return true;
	default: break;
	}
	switch (prev->kind) {
	case TOK_LPAREN:
	case TOK_LBRACKET:
	case TOK_DOT:
	case TOK_ARROW: return true;
	default: return false;
	}
}

static bool hugs_prev(const struct piece *cur)
{
	switch (cur->role) {
	case ROLE_TIGHT:
	case ROLE_TIGHT_BOTH:
	case ROLE_CALL_OPEN:
	case ROLE_PREDICATE_CLOSE: return true;
	default: break;
	}
	switch (cur->kind) {
	case TOK_COMMA:
	case TOK_SEMICOLON:
	case TOK_RPAREN:
	case TOK_RBRACKET:
	case TOK_LBRACKET:
	case TOK_DOT:
	case TOK_ARROW: return true;
	default: return false;
	}
}

static enum gap gap_in_line(const struct format *f)
{
	if (would_merge(f))
		return GAP_SPACE;
	return hugs_next(&f->prev) || hugs_prev(&f->cur) ? GAP_NONE : GAP_SPACE;
}

static bool begins_declaration(const struct piece *p)
{
	return begins_item(p) || p->kind == TOK_LET || p->kind == TOK_IMPORT;
}

static enum gap gap_at_top(const struct format *f)
{
	if (f->prev.role == ROLE_INLINE_CLOSE && begins_declaration(&f->cur))
		return GAP_BLANK;
	if (f->prev.kind == TOK_SEMICOLON && begins_item(&f->cur))
		return GAP_BLANK;
	if (f->prev.kind == TOK_COMMA && f->cur.role == ROLE_RAW)
		return GAP_LINE;
	return gap_in_line(f);
}

static enum gap choose_gap(const struct format *f)
{
	const struct piece *prev = &f->prev, *cur = &f->cur;

	if (prev->role == ROLE_C_TEXT || cur->role == ROLE_C_TEXT)
		return is_close(prev) ? GAP_BLANK : GAP_LINE;
	if (is_open(prev) && is_close(cur))
		return GAP_NONE;
	if (is_open(prev) || is_close(cur))
		return GAP_LINE;
	if (is_close(prev))
		return gap_after_close(f);
	if (cur->role == ROLE_PROBE_OPEN || cur->role == ROLE_PREDICATE_OPEN)
		return GAP_LINE;
	if (prev->kind == TOK_SEMICOLON && (f->indent || !begins_item(cur)))
		return GAP_LINE;
	return f->indent ? gap_in_line(f) : gap_at_top(f);
}

/* Where a line break of the text is preserved although none is needed. */
static bool may_break(const struct format *f)
{
	const struct piece *cur = &f->cur;

	switch (cur->kind) {
	case TOK_SEMICOLON:
	case TOK_COMMA:
	case TOK_ELSE: return false;
	default: break;
	}
	return !is_open(cur) && cur->role != ROLE_INLINE_OPEN && cur->role != ROLE_INLINE_CLOSE &&
	       cur->role != ROLE_TIGHT && cur->role != ROLE_CALL_OPEN &&
	       f->prev.role != ROLE_INLINE_OPEN && f->indent;
}

/* ---- writing */

static void start_line(struct format *f, bool blank, u32 indent)
{
	if (f->any) {
		buf_putc(f->out, '\n');
		if (blank)
			buf_putc(f->out, '\n');
	}
	buf_pad(f->out, '\t', indent);
}

static u32 comment_length(const struct format *f, u32 at, u32 to)
{
	const char *s = f->src->text;
	u32 n = at;

	if (s[at + 1] == '/') {
		while (n < to && s[n] != '\n')
			n++;
		return n - at;
	}
	for (n += 2; n + 1 < to && !(s[n] == '*' && s[n + 1] == '/'); n++)
		;
	return MIN(n + 2, to) - at;
}

static void put_comment(struct format *f, u32 at, u32 len)
{
	const char *s = f->src->text + at;

	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
		len--;
	buf_add(f->out, s, len);
	f->any = true;
}

struct between { /* the text between two pieces */
	u32 at, to;
	u32 newlines;   /* since the last comment */
	bool comments;  /* any */
	bool ends_line; /* the last one extends to the end of its line */
};

/* Skips white space and superfluous semicolons; true if a comment follows. */
static bool find_comment(const struct format *f, struct between *b)
{
	for (; b->at < b->to; b->at++) {
		char c = f->src->text[b->at];

		if (c == '/')
			return true;
		b->newlines += c == '\n';
	}
	return false;
}

static void put_comments(struct format *f, struct between *b, enum gap *gap, u32 indent)
{
	while (find_comment(f, b)) {
		u32 len = comment_length(f, b->at, b->to);

		if (b->newlines || !f->any) {
			bool blank = b->newlines > 1 && !(is_open(&f->prev) && !b->comments);

			start_line(f, (blank || *gap == GAP_BLANK) && f->any, indent);
			if (*gap == GAP_BLANK)
				*gap = GAP_LINE;
		} else if (b->comments ||
			   (f->prev.kind != TOK_LPAREN && f->prev.kind != TOK_LBRACKET)) {
			buf_putc(f->out, ' ');
		}
		b->ends_line = f->src->text[b->at + 1] == '/';
		put_comment(f, b->at, len);
		b->comments = true;
		b->newlines = 0;
		b->at += len;
	}
}

static bool closes_pair(const struct piece *p)
{
	return p->kind == TOK_RPAREN || p->kind == TOK_RBRACKET;
}

/* Comments, line breaks and spaces before the current piece. */
static void put_gap(struct format *f, u32 from)
{
	struct between b = { .at = from, .to = f->cur.off };
	enum gap gap = f->any ? choose_gap(f) : GAP_LINE;
	bool in_line = gap < GAP_LINE;
	u32 inner = f->indent + (in_line && f->indent && !closes_pair(&f->cur));
	u32 indent = f->indent - (is_close(&f->cur) && f->indent);

	put_comments(f, &b, &gap, in_line ? f->indent + 1 : f->indent);
	if (gap == GAP_NONE && is_close(&f->cur) && b.comments)
		gap = GAP_LINE;
	if (gap >= GAP_LINE) {
		bool blank = b.newlines > 1 && !is_open(&f->prev) && !is_close(&f->cur);

		start_line(f, gap == GAP_BLANK || blank, indent);
	} else if (b.ends_line || (b.newlines && may_break(f))) {
		start_line(f, false,
			   is_open(&f->cur) || f->cur.kind == TOK_ELSE ? f->indent : inner);
	} else if (gap == GAP_SPACE || b.comments) {
		buf_putc(f->out, ' ');
	}
}

static void put_piece(struct format *f)
{
	buf_add(f->out, f->src->text + f->cur.off, f->cur.len);
	f->any = true;
	f->indent += is_open(&f->cur);
	f->prev = f->cur;
}

/*
 * Empty statements are removed, except after a brace, where they prevent an if from being a value.
 */
static bool is_superfluous(const struct format *f)
{
	return f->cur.kind == TOK_SEMICOLON && f->any &&
	       (f->prev.kind == TOK_SEMICOLON || is_open(&f->prev));
}

static void put_all(struct format *f)
{
	u32 from = 0;

	for (next_piece(f); f->cur.kind != TOK_EOF; next_piece(f)) {
		if (is_superfluous(f)) /* part of the gap, with its comments */
			continue;
		if (f->cur.role == ROLE_BLOCK_CLOSE_SEMI && f->prev.kind != TOK_SEMICOLON &&
		    !is_open(&f->prev))
			buf_putc(f->out, ';');
		put_gap(f, from);
		f->indent -= is_close(&f->cur) && f->indent;
		put_piece(f);
		from = f->lx.pos;
	}

	struct between b = { .at = from, .to = f->src->len };
	enum gap gap = is_close(&f->prev) ? GAP_BLANK : GAP_LINE;

	put_comments(f, &b, &gap, f->indent);
	if (f->any)
		buf_putc(f->out, '\n');
}

bool format_script(struct lang *l, struct source *src, struct buf *out)
{
	struct script script = { 0 };
	u8 *roles = arena_alloc(l->arena, (size_t)src->len + 2);
	struct format f = { .out = out, .src = src, .roles = roles };

	if (!parse_source(l, src, &script, roles))
		return false;
	lex_init(&f.lx, src, l->arena, l->names, l->diags);
	f.lx.quiet = true;
	put_all(&f);
	return true;
}
