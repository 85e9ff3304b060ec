/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to tokens, one at a time and on demand: attach points and C text do not consist of tokens,
 * so the parser moves the lexer over them itself. A lexer is a position; a copy of it is
 * look-ahead.
 */
#ifndef SONDE_LANG_LEXER_H
#define SONDE_LANG_LEXER_H

#include "base/diag.h"
#include "base/hash.h"

/* clang-format off */
/* T(name, text): punctuation; A(name, text, op): assignment; K(name, text): keyword */
#define LANG_TOKENS(T, A, K)                                                                       \
	T(LPAREN, "(") T(RPAREN, ")") T(LBRACKET, "[") T(RBRACKET, "]") T(LBRACE, "{")             \
	T(RBRACE, "}") T(COMMA, ",") T(SEMICOLON, ";") T(COLON, ":") T(QUESTION, "?") T(DOT, ".")  \
	T(DOTDOT, "..") T(ELLIPSIS, "...") T(ARROW, "->") T(PLUS, "+") T(MINUS, "-") T(STAR, "*")  \
	T(SLASH, "/") T(PERCENT, "%") T(AMP, "&") T(PIPE, "|") T(CARET, "^") T(SHL, "<<")          \
	T(SHR, ">>") T(EQ, "==") T(NE, "!=") T(LT, "<") T(GT, ">") T(LE, "<=") T(GE, ">=")         \
	T(ANDAND, "&&") T(OROR, "||") T(NOT, "!") T(TILDE, "~") T(PLUSPLUS, "++")                  \
	T(MINUSMINUS, "--") A(ASSIGN, "=", OP_NONE) A(ADD_ASSIGN, "+=", OP_ADD)                    \
	A(SUB_ASSIGN, "-=", OP_SUB) A(MUL_ASSIGN, "*=", OP_MUL) A(DIV_ASSIGN, "/=", OP_DIV)        \
	A(MOD_ASSIGN, "%=", OP_MOD) A(AND_ASSIGN, "&=", OP_AND) A(OR_ASSIGN, "|=", OP_OR)          \
	A(XOR_ASSIGN, "^=", OP_XOR) A(SHL_ASSIGN, "<<=", OP_SHL) A(SHR_ASSIGN, ">>=", OP_SHR)      \
	K(BREAK, "break") K(COMPTIME, "comptime") K(CONFIG, "config") K(CONTINUE, "continue")      \
	K(ELSE, "else") K(ENUM, "enum") K(FALSE, "false") K(FIELD_EXISTS, "field_exists")          \
	K(FN, "fn") K(FOR, "for") K(IF, "if")                                                      \
	K(IMPORT, "import") K(LET, "let") K(MACRO, "macro") K(OFFSETOF, "offsetof")                \
	K(RETURN, "return") K(SIZEOF, "sizeof") K(STRUCT, "struct") K(TRUE, "true")                \
	K(TYPEINFO, "typeinfo") K(TYPEOF, "typeof") K(UNION, "union") K(UNROLL, "unroll")          \
	K(WHILE, "while")
/* clang-format on */

enum token_kind {
	TOK_EOF,
	TOK_BAD, /* made by the parser only: replaces the rest of a statement with an error */
	TOK_IDENT,
	TOK_VAR,
	TOK_MAP,
	TOK_PARAM, /* $1: value 1; $#: value 0 */
	TOK_INT,
	TOK_STR,
#define T(name, text) TOK_##name,
#define A(name, text, op) TOK_##name,
	LANG_TOKENS(T, A, T)
#undef T
#undef A
		N_TOKENS
};

struct token {
	enum token_kind kind;
	bool after_newline; /* the first of its line */
	bool broken;        /* an unterminated string: the tokens after it are unreliable */
	u32 off, len;       /* in the source's text */
	const char *name;   /* TOK_IDENT, keywords, TOK_VAR, TOK_MAP: interned, without $ and @ */
	const char *str;    /* TOK_STR: unescaped, NUL-terminated */
	u32 str_len;
	u64 value; /* TOK_INT, TOK_PARAM */
};

struct lexer {
	struct source *src;
	struct arena *arena;
	struct intern *names;
	struct diags *diags;
	u32 pos, end; /* offsets in src->text */
	u32 n_errors;
	bool quiet;  /* looking ahead or skipping: nothing is reported */
	bool c_mode; /* in C text: 'x' is a number */
};

void lex_init(struct lexer *lx, struct source *src, struct arena *arena, struct intern *names,
	      struct diags *diags);
/* Skips white space and comments; true if it crossed the end of a line. */
bool lex_layout(struct lexer *lx);
/* Skips characters that begin no token and reports them, unless quiet. */
void lex_stray(struct lexer *lx);
void lex_next(struct lexer *lx, struct token *tok);
/* The byte at pos + ahead, or 0 at the end. */
static inline char lex_at(const struct lexer *lx, u32 ahead)
{
	return ahead < lx->end - lx->pos ? lx->src->text[lx->pos + ahead] : '\0';
}

static inline bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool lex_is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool lex_is_word(char c)
{
	return lex_is_word_start(c) || lex_is_digit(c);
}

/* The spelling of punctuation and keywords; "a number", "a name" for the rest. */
const char *token_text(enum token_kind kind);
bool token_is_keyword(enum token_kind kind);
bool token_is_assignment(enum token_kind kind);
/* Names may be keywords after a dot, and "config" is also a builtin. */
static inline bool token_is_name(const struct token *tok)
{
	return tok->kind == TOK_IDENT || token_is_keyword(tok->kind);
}
/* Integer text as in a script: separators, exponents, suffixes. False: no number. */
bool lex_parse_int(const char *s, u32 len, u64 *value);
/* A parameter of the script, as strtol() reads it: white space and a sign may come first. */
bool lex_parse_param(const char *text, s64 *value);

#endif
