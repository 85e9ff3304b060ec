/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lexer: bytes in, tokens out. An error inside a token is reported here and repaired: the token
 * gets a value of its kind, so that the parser continues as if it were correct. number.c has
 * numbers; words and strings are here.
 *
 * The end of the text is lx->end, not a NUL byte: scripts may contain any byte.
 */
#include <stdio.h>

#include "lang/lexer.h"
#include "lang/number.h"

void lex_init(struct lexer *lx, struct source *src, struct arena *arena, struct intern *names,
	      struct diags *diags)
{
	*lx = (struct lexer){
		.src = src,
		.arena = arena,
		.names = names,
		.diags = diags,
		.end = src->len,
	};
	/* the byte order mark of UTF-8 */
	if (src->len >= 3 && !memcmp(src->text, "\xef\xbb\xbf", 3))
		lx->pos = 3;
}

static const char *const texts[N_TOKENS] = { [TOK_EOF] = "the end of the script",
					     [TOK_BAD] = "something unreadable",
					     [TOK_IDENT] = "a name",
					     [TOK_VAR] = "a variable",
					     [TOK_MAP] = "a map",
					     [TOK_PARAM] = "a positional parameter",
					     [TOK_INT] = "a number",
					     [TOK_STR] = "a string",
#define T(name, text) [TOK_##name] = text,
#define A(name, text, op) [TOK_##name] = text,
					     LANG_TOKENS(T, A, T)
#undef T
#undef A
};

const char *token_text(enum token_kind kind)
{
	return texts[kind];
}

bool token_is_keyword(enum token_kind kind)
{
	return kind >= TOK_BREAK && kind <= TOK_WHILE;
}

bool token_is_assignment(enum token_kind kind)
{
	return kind >= TOK_ASSIGN && kind <= TOK_SHR_ASSIGN;
}

static struct diag *report(struct lexer *lx, u32 off, u32 len, enum diag_id id, const char *arg)
{
	lx->n_errors++;
	return diag_report(lx->diags, (struct span){ lx->src->base + off, len }, id, arg);
}

static bool at_end(const struct lexer *lx)
{
	return lx->pos >= lx->end;
}

/* ---- layout */

static bool skip_block_comment(struct lexer *lx)
{
	u32 start = lx->pos;
	bool newline = false;

	for (lx->pos += 2; !at_end(lx); lx->pos++) {
		if (lex_at(lx, 0) == '*' && lex_at(lx, 1) == '/') {
			lx->pos += 2;
			return newline;
		}
		newline |= lex_at(lx, 0) == '\n';
	}
	if (!lx->quiet)
		diag_help(lx->diags, report(lx, start, 2, D_UNTERMINATED_COMMENT, NULL),
			  "close it with \"*/\"; comments do not nest");
	return newline;
}

bool lex_layout(struct lexer *lx)
{
	bool newline = false;

	while (!at_end(lx)) {
		char c = lex_at(lx, 0), next = lex_at(lx, 1);

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
			newline |= c == '\n';
			lx->pos++;
		} else if (lx->c_mode && c == '\\' && (next == '\n' || next == '\r')) {
			lx->pos += 2;
		} else if (c == '/' && next == '/') {
			while (!at_end(lx) && lex_at(lx, 0) != '\n')
				lx->pos++;
		} else if (c == '/' && next == '*') {
			newline |= skip_block_comment(lx);
		} else {
			break;
		}
	}
	return newline;
}

/* ---- strings */

static int hex_digit(char c)
{
	if (lex_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int escaped_letter(char c)
{
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case '"': return '"';
	case '\\': return '\\';
	case '\'': return '\'';
	default: return -1;
	}
}

/* Reports the escape from the backslash at start to pos. */
static char bad_escape(struct lexer *lx, u32 start)
{
	char c = lx->src->text[lx->pos - 1];

	if (!lx->quiet) {
		const char *s = arena_strndup(lx->arena, lx->src->text + start, lx->pos - start);
		struct diag *d = report(lx, start, lx->pos - start, D_BAD_ESCAPE, s);

		diag_help(lx->diags, d,
			  "the escapes are \\n \\t \\r \\\" \\\\, \\101 and \\x41; "
			  "a backslash itself is \\\\");
	}
	return c;
}

static char out_of_range(struct lexer *lx, u32 start)
{
	if (!lx->quiet)
		report(lx, start, lx->pos - start, D_ESCAPE_RANGE,
		       arena_strndup(lx->arena, lx->src->text + start, lx->pos - start));
	return '?';
}

static char octal_escape(struct lexer *lx, u32 start)
{
	int value = 0;

	for (u32 n = 0; n < 3 && lex_at(lx, 0) >= '0' && lex_at(lx, 0) <= '7'; n++, lx->pos++)
		value = value * 8 + (lex_at(lx, 0) - '0');
	return value > 255 ? out_of_range(lx, start) : (char)value;
}

static char hex_escape(struct lexer *lx, u32 start)
{
	int value = 0, digit;

	lx->pos++;
	if (hex_digit(lex_at(lx, 0)) < 0)
		return bad_escape(lx, start);
	for (u32 n = 0; n < 2 && (digit = hex_digit(lex_at(lx, 0))) >= 0; n++, lx->pos++)
		value = value * 16 + digit;
	return (char)value;
}

/* At a backslash. */
static char lex_escape(struct lexer *lx)
{
	u32 start = lx->pos++;
	char c = lex_at(lx, 0);
	int letter = escaped_letter(c);

	if (letter >= 0 && (c != '\'' || lx->c_mode)) {
		lx->pos++;
		return (char)letter;
	}
	if (c >= '0' && c <= '7')
		return octal_escape(lx, start);
	if (c == 'x' || c == 'X')
		return hex_escape(lx, start);
	if (!at_end(lx) && c != '\n')
		lx->pos++;
	return bad_escape(lx, start);
}

/* An upper bound of the unescaped size: the bytes up to the closing quote. */
static u32 string_room(const struct lexer *lx, char quote)
{
	u32 n = 0;

	for (char c; lx->pos + n < lx->end; n++) {
		c = lex_at(lx, n);
		if (c == quote || c == '\n')
			break;
		n += c == '\\';
	}
	return n + 1;
}

/* After the opening quote; false if the line ends first. */
static bool lex_quoted(struct lexer *lx, struct token *tok, char quote)
{
	char *s = arena_alloc(lx->arena, string_room(lx, quote) + 1);
	u32 n = 0;
	bool closed = false;

	while (!at_end(lx) && lex_at(lx, 0) != '\n' && !closed) {
		char c = lex_at(lx, 0);

		if (c == '\\') {
			s[n++] = lex_escape(lx);
			continue;
		}
		closed = c == quote;
		if (!closed)
			s[n++] = c;
		lx->pos++;
	}
	s[n] = '\0';
	tok->str = s;
	tok->str_len = n;
	return closed;
}

static void lex_string(struct lexer *lx, struct token *tok)
{
	u32 start = lx->pos++;

	tok->kind = TOK_STR;
	tok->broken = !lex_quoted(lx, tok, '"');
	if (!tok->broken || lx->quiet)
		return;
	diag_help(lx->diags, report(lx, start, lx->pos - start, D_UNTERMINATED_STRING, NULL),
		  "close it with a double quote on the same line; \\n is a newline in a string");
}

static void lex_single_quotes(struct lexer *lx, struct token *tok)
{
	u32 start = lx->pos++;
	bool closed = lex_quoted(lx, tok, '\'');

	tok->kind = TOK_STR;
	if (lx->c_mode && closed && tok->str_len == 1) {
		tok->kind = TOK_INT;
		tok->value = (u64)(s64)(signed char)tok->str[0];
		return;
	}
	if (!lx->quiet)
		diag_help(lx->diags, report(lx, start, lx->pos - start, D_SINGLE_QUOTES, NULL),
			  "write \"%s\"", tok->str);
}

/* ---- words */

static const struct keyword {
	const char *text;
	u8 len;
	enum token_kind kind;
} keywords[] = {
#define T(name, text)
#define A(name, text, op)
#define K(name, text) { text, sizeof(text) - 1, TOK_##name },
	LANG_TOKENS(T, A, K)
#undef T
#undef A
#undef K
};

/* First letters of keywords, which exclude most names. */
#define BIT(c) (1u << ((c) - 'a'))
#define FIRST_LETTERS                                                                              \
	(BIT('b') | BIT('c') | BIT('e') | BIT('f') | BIT('i') | BIT('l') | BIT('m') | BIT('o') |   \
	 BIT('r') | BIT('s') | BIT('t') | BIT('u') | BIT('w'))

static enum token_kind word_kind(const char *s, u32 len)
{
	if (s[0] < 'a' || s[0] > 'z' || !(FIRST_LETTERS & BIT(s[0])))
		return TOK_IDENT;
	for (u32 i = 0; i < ARRAY_SIZE(keywords); i++) {
		const struct keyword *k = &keywords[i];

		if (k->len == len && k->text[0] == s[0] && memcmp(k->text, s, len) == 0)
			return k->kind;
	}
	return TOK_IDENT;
}

/* The word at pos (may be empty), interned. */
static const char *lex_word(struct lexer *lx)
{
	u32 start = lx->pos;

	while (!at_end(lx) && lex_is_word(lex_at(lx, 0)))
		lx->pos++;
	return intern(lx->names, lx->src->text + start, lx->pos - start);
}

static void lex_name(struct lexer *lx, struct token *tok)
{
	u32 start = lx->pos;

	tok->name = lex_word(lx);
	tok->kind = word_kind(lx->src->text + start, lx->pos - start);
}

static void lex_map(struct lexer *lx, struct token *tok)
{
	lx->pos++;
	tok->kind = TOK_MAP;
	tok->name = lex_is_word_start(lex_at(lx, 0)) ? lex_word(lx) : intern(lx->names, "", 0);
}

static void lex_param(struct lexer *lx, struct token *tok)
{
	u32 start = lx->pos++;
	u64 value = 0;
	bool fits = true;

	for (; lex_is_digit(lex_at(lx, 0)); lx->pos++) {
		fits &= value <= (INT64_MAX - 9) / 10;
		value = value * 10 + (u64)(lex_at(lx, 0) - '0');
	}
	tok->kind = TOK_PARAM;
	tok->value = value;
	if (fits && value)
		return;
	tok->value = 1;
	if (!lx->quiet)
		diag_help(lx->diags,
			  report(lx, start, lx->pos - start, D_PARAM_RANGE,
				 arena_strndup(lx->arena, lx->src->text + start, lx->pos - start)),
			  "the first parameter after the script is $1");
}

/* ---- punctuation and strays */

static u32 stray_length(const struct lexer *lx)
{
	u32 n = 1;

	if ((u8)lex_at(lx, 0) < 0x80)
		return 1;
	while ((u8)lex_at(lx, n) >= 0x80) /* a run of non-ASCII letters is one error */
		n++;
	return n;
}

static const struct stray {
	const char *text, *help;
} strays[] = {
	{ "\u201c", "these are typographic quotes: use plain double quotes" },
	{ "\u201d", "these are typographic quotes: use plain double quotes" },
	{ "\u201e", "these are typographic quotes: use plain double quotes" },
	{ "\u2018", "these are typographic quotes: use plain double quotes" },
	{ "\u2019", "these are typographic quotes: use plain double quotes" },
	{ "\u00ab", "these are typographic quotes: use plain double quotes" },
	{ "\u00bb", "these are typographic quotes: use plain double quotes" },
	{ "\ufeff", "this is a byte order mark, left where files were joined: delete it" },
	{ "\u200b", "this is an invisible zero-width space: delete it" },
	{ "\u2013", "this is a dash: use a plain minus sign" },
	{ "\u2014", "this is a dash: use a plain minus sign" },
	{ "\u2212", "this is a dash: use a plain minus sign" },
	{ "\u00a0", "this is a non-breaking space: use a plain one" },
	{ "\u3000", "this is a wide space: use a plain one" },
	{ "\u00d7", "multiply with *" },
	{ "\u00f7", "divide with /" },
	{ "\u2260", "to compare, write \"!=\"" },
	{ "\u2264", "to compare, write \"<=\"" },
	{ "\u2265", "to compare, write \">=\"" },
	{ "\u2192", "write \"->\" or \".\"" },
	{ "\xef\xbc", "this is a full-width character: use the plain one" }, /* U+FF00 to U+FF3F */
};

static const char *stray_help(const char *s)
{
	for (u32 i = 0; i < ARRAY_SIZE(strays); i++)
		if (starts_with(s, strays[i].text))
			return strays[i].help;
	switch (s[0]) {
	case '#': return "comments begin with \"//\"; C lines are only allowed before the probes";
	case '`': return "strings are written in double quotes";
	case '$': return "variables have a name ($x), parameters a number ($1)";
	case '\\': return "lines need no continuation: a statement ends at its \";\"";
	default: return NULL;
	}
}

void lex_stray(struct lexer *lx)
{
	u32 len = stray_length(lx), start = lx->pos;
	const char *s = arena_strndup(lx->arena, lx->src->text + start, len);
	u8 c = (u8)s[0];

	lx->pos += len;
	/* meant as a comment: its words are no further errors */
	while (c == '#' && lx->pos < lx->end && lex_at(lx, 0) != '\n')
		lx->pos++;
	if (lx->quiet)
		return;

	const char *shown = c >= ' ' && c != 0x7f ? arena_printf(lx->arena, "\"%s\"", s) :
						    arena_printf(lx->arena, "0x%02x", c);
	struct diag *d = report(lx, start, len, D_STRAY_BYTE, shown);
	const char *help = stray_help(s);

	if (help)
		diag_help(lx->diags, d, "%s", help);
}

/* Longer spellings first: a prefix follows the marks that begin with it. */
static const struct mark {
	char text[4];
	u8 len;
	enum token_kind kind;
} marks[] = {
	{ "<<=", 3, TOK_SHL_ASSIGN }, { ">>=", 3, TOK_SHR_ASSIGN }, { "...", 3, TOK_ELLIPSIS },
	{ "..", 2, TOK_DOTDOT },      { "->", 2, TOK_ARROW },       { "<<", 2, TOK_SHL },
	{ ">>", 2, TOK_SHR },         { "==", 2, TOK_EQ },          { "!=", 2, TOK_NE },
	{ "<=", 2, TOK_LE },          { ">=", 2, TOK_GE },          { "&&", 2, TOK_ANDAND },
	{ "||", 2, TOK_OROR },        { "++", 2, TOK_PLUSPLUS },    { "--", 2, TOK_MINUSMINUS },
	{ "+=", 2, TOK_ADD_ASSIGN },  { "-=", 2, TOK_SUB_ASSIGN },  { "*=", 2, TOK_MUL_ASSIGN },
	{ "/=", 2, TOK_DIV_ASSIGN },  { "%=", 2, TOK_MOD_ASSIGN },  { "&=", 2, TOK_AND_ASSIGN },
	{ "|=", 2, TOK_OR_ASSIGN },   { "^=", 2, TOK_XOR_ASSIGN },
};

static enum token_kind single_mark(char c)
{
	switch (c) {
	case '(': return TOK_LPAREN;
	case ')': return TOK_RPAREN;
	case '[': return TOK_LBRACKET;
	case ']': return TOK_RBRACKET;
	case '{': return TOK_LBRACE;
	case '}': return TOK_RBRACE;
	case ',': return TOK_COMMA;
	case ';': return TOK_SEMICOLON;
	case ':': return TOK_COLON;
	case '?': return TOK_QUESTION;
	case '.': return TOK_DOT;
	case '+': return TOK_PLUS;
	case '-': return TOK_MINUS;
	case '*': return TOK_STAR;
	case '/': return TOK_SLASH;
	case '%': return TOK_PERCENT;
	case '&': return TOK_AMP;
	case '|': return TOK_PIPE;
	case '^': return TOK_CARET;
	case '<': return TOK_LT;
	case '>': return TOK_GT;
	case '!': return TOK_NOT;
	case '~': return TOK_TILDE;
	case '=': return TOK_ASSIGN;
	default: return TOK_BAD;
	}
}

static bool begins_long_mark(char c)
{
	switch (c) {
	case '=':
	case '.':
	case '-':
	case '+':
	case '>':
	case '<':
	case '&':
	case '|': return true;
	default: return false;
	}
}

static bool lex_mark(struct lexer *lx, struct token *tok)
{
	const char *s = lx->src->text + lx->pos;

	tok->kind = single_mark(s[0]);
	if (tok->kind == TOK_BAD)
		return false;
	if (lx->end - lx->pos >= 2 && begins_long_mark(s[1])) {
		for (u32 i = 0; i < ARRAY_SIZE(marks); i++) {
			if (lx->end - lx->pos < marks[i].len ||
			    memcmp(s, marks[i].text, marks[i].len) != 0)
				continue;
			tok->kind = marks[i].kind;
			lx->pos += marks[i].len;
			return true;
		}
	}
	lx->pos++;
	return true;
}

static bool lex_dollar(struct lexer *lx, struct token *tok)
{
	char next = lex_at(lx, 1);

	if (lex_is_digit(next)) {
		lex_param(lx, tok);
	} else if (next == '#') {
		lx->pos += 2;
		tok->kind = TOK_PARAM;
	} else if (lex_is_word_start(next)) {
		lx->pos++;
		tok->kind = TOK_VAR;
		tok->name = lex_word(lx);
	} else {
		return false;
	}
	return true;
}

static void lex_number(struct lexer *lx, struct token *tok)
{
	struct number num;
	u32 start = lx->pos;

	lx->pos += number_scan(lx->src->text + start, lx->end - start, &num);
	tok->kind = TOK_INT;
	tok->value = num.value;
	if (num.fault && !lx->quiet) {
		lx->n_errors++;
		number_report(&num, lx->diags,
			      (struct span){ lx->src->base + start, lx->pos - start },
			      lx->src->text + start);
	}
}

/* Reads one token at pos; false if none begins there. */
static bool lex_token(struct lexer *lx, struct token *tok)
{
	char c = lex_at(lx, 0);

	if (lex_is_word_start(c))
		lex_name(lx, tok);
	else if (lex_is_digit(c))
		lex_number(lx, tok);
	else if (c == '$')
		return lex_dollar(lx, tok);
	else if (c == '@')
		lex_map(lx, tok);
	else if (c == '"')
		lex_string(lx, tok);
	else if (c == '\'')
		lex_single_quotes(lx, tok);
	else
		return lex_mark(lx, tok);
	return true;
}

void lex_next(struct lexer *lx, struct token *tok)
{
	bool newline = lex_layout(lx);

	for (;;) {
		*tok = (struct token){ .off = lx->pos };
		if (at_end(lx) || lex_token(lx, tok))
			break;
		lex_stray(lx);
		newline |= lex_layout(lx);
	}
	tok->len = lx->pos - tok->off;
	tok->after_newline = newline || tok->off == 0;
}

bool lex_parse_int(const char *s, u32 len, u64 *value)
{
	struct number num;

	if (!len || !lex_is_digit(s[0]) || number_scan(s, len, &num) != len || num.fault)
		return false;
	*value = num.value;
	return true;
}

bool lex_parse_param(const char *text, s64 *value)
{
	bool minus;
	u64 v;

	text += strspn(text, " \t\n\v\f\r");
	minus = *text == '-';
	text += minus || *text == '+';
	if (!lex_parse_int(text, (u32)strlen(text), &v))
		return false;
	*value = (s64)(minus ? -v : v);
	return true;
}
