/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the parser: its state, moves over tokens, and error handling.
 *
 * After a syntax error the current token is TOK_BAD, which nothing accepts: every loop ends and
 * every parse_ function returns (never NULL), without further messages, up to a statement or a
 * declaration, which skips to a position where parsing can resume (parse_recover*).
 */
#ifndef SONDE_LANG_PARSE_H
#define SONDE_LANG_PARSE_H

#include "lang/lang.h"
#include "lang/lexer.h"

enum {
	PARSE_MAX_NESTING = 1000, /* parentheses, blocks, prefix operators inside one another */
	/* operators in one expression: 1 + 1 + 1 ... nests to the left */
	PARSE_MAX_HEIGHT = 1000,
};

/* Layout information that the tokens alone do not give; one byte for each byte of the text. */
enum role {
	ROLE_NONE,
	ROLE_BINARY,     /* an operator with two operands */
	ROLE_PREFIX,     /* an operator before its operand */
	ROLE_TIGHT,      /* = of a named argument, : of a type: nothing before it */
	ROLE_TIGHT_BOTH, /* nothing on either side */
	ROLE_CALL_OPEN,  /* ( right after a name */
	ROLE_CAST_CLOSE, /* ) of a cast */
	ROLE_BLOCK_OPEN,
	ROLE_BLOCK_CLOSE,
	ROLE_BLOCK_CLOSE_SEMI, /* the last statement has no semicolon: the formatter adds it */
	ROLE_INLINE_OPEN,      /* braces of a short block expression: not broken */
	ROLE_INLINE_CLOSE,
	ROLE_PROBE_OPEN, /* on a separate line */
	ROLE_PREDICATE_OPEN,
	ROLE_PREDICATE_CLOSE,
	ROLE_RAW,    /* first byte of verbatim text: attach points, fractions */
	ROLE_C_TEXT, /* the same for C text, which starts on a new line */
	ROLE_MORE,   /* the other bytes of either */
};

struct parser {
	struct lang *lang;
	struct arena *arena;
	struct diags *diags;
	struct source *src;
	struct script *script;
	struct lexer lx;
	struct token tok; /* the current one */
	u32 prev_end;     /* where the last consumed token ended */
	u32 depth, n_blocks;
	u32 n_errors;
	u32 resume;  /* where the token of the error was */
	bool panic;  /* an error was reported and the parser has not recovered */
	bool to_top; /* recovery inside blocks failed: skip the declaration */
	bool in_predicate;
	bool lost_text; /* a string swallowed the rest of its line, with any brace in it */
	u32 in_keyword; /* inside a keyword argument: 99.9 is allowed */
	bool c_mode;
	bool noted_arrow, noted_while; /* one note for a script is enough */
	bool seen_config, seen_probe;
	const char *name_args, *name_discard;
	VEC(const char *) typedefs; /* of the C text so far: (name) before an operand is a cast */
	u8 *roles;                  /* NULL unless formatting */
};

/* parse.c: moves and errors */
void parse_init(struct parser *p, struct lang *l, struct source *src);
void parse_advance(struct parser *p);
struct token parse_peek(const struct parser *p);
bool parse_accept(struct parser *p, enum token_kind kind);
/* Consumes kind or reports what was expected where ("after the condition"; may be NULL). */
bool parse_expect(struct parser *p, enum token_kind kind, const char *where);
/* The same; the message names the token as bpftrace's does: "macro name". */
bool parse_expect_as(struct parser *p, enum token_kind kind, const char *what, const char *where);
/* A syntax error at the current token: "expected WHAT", and what was found WHERE (may be NULL) as
 * help. */
struct diag *parse_expected(struct parser *p, const char *what, const char *where);
/* Adds help if the token is a habit of another language where "expected" was expected. */
void parse_help_habit(struct parser *p, struct diag *d, const char *expected);
/* The closing half of a pair opened at `open`. */
bool parse_close(struct parser *p, enum token_kind kind, struct span open);
static inline bool parse_is(const struct parser *p, enum token_kind kind)
{
	return p->tok.kind == kind;
}
static inline struct span parse_span(const struct parser *p, u32 start, u32 end)
{
	return (struct span){ p->src->base + start, end - start };
}
static inline struct span parse_tok_span(const struct parser *p)
{
	return parse_span(p, p->tok.off, p->tok.off + p->tok.len);
}
/* Marks raw text from `from` to `to`. */
static inline void parse_mark_raw(struct parser *p, u32 from, u32 to, enum role role)
{
	if (!p->roles || from == to)
		return;
	memset(p->roles + from, ROLE_MORE, to - from);
	p->roles[from] = (u8)role;
}
static inline void parse_mark(struct parser *p, u32 off, enum role role)
{
	if (p->roles)
		p->roles[off] = (u8)role;
}
/* A syntax error at span: enters panic. Silent while in panic. */
struct diag *parse_error(struct parser *p, struct span span, enum diag_id id, ...);
/* The same if it was already reported. */
void parse_panic(struct parser *p);
/* An error after which parsing continues. */
struct diag *parse_complain(struct parser *p, struct span span, enum diag_id id, ...);
void parse_help(struct parser *p, struct diag *d, const char *fmt, ...) FORMAT(3, 4);
/* The current token for messages: `"}"`, `the end of the script`. */
const char *parse_found(struct parser *p);
/*
 * Enters a level of nesting; false (reported) if that is too deep. Always paired with parse_leave.
 */
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);
/* Whether the current token, first on its line and unindented, begins a declaration. */
bool parse_at_item(const struct parser *p);
void parse_recover(struct parser *p);       /* to the end of this statement */
void parse_recover_block(struct parser *p); /* to the next "{" */
void parse_recover_top(struct parser *p);   /* to the next declaration */
/* A node from `start` to the last consumed token; its height from its children. */
struct node *parse_node(struct parser *p, enum node_kind kind, u32 start);
struct node *parse_done(struct parser *p, struct node *n);
struct node *parse_poison(struct parser *p);

/* parse_expr.c, parse_primary.c, parse_type.c */
struct node *parse_expr(struct parser *p);
struct node *parse_unary(struct parser *p);
struct node *parse_primary(struct parser *p);
struct node *parse_list(struct parser *p, enum token_kind close);
struct type_ref *parse_type(struct parser *p);
bool parse_at_type_word(const struct parser *p); /* struct, union, enum, typeof */
/* At a name: whether a type follows that ends at a ")". Looks ahead only. */
bool parse_type_then_paren(struct parser *p, bool *has_suffix, bool *has_star, struct token *after);
bool parse_is_type_name(struct parser *p, const char *name);
bool parse_is_builtin(const struct parser *p, const char *name);

/* parse_stmt.c */
struct node *parse_block(struct parser *p, enum role open_role);
struct node *parse_if(struct parser *p);
/* A block or if statement as a value: its trailing expression leaves the list of statements. */
struct node *parse_block_value(struct parser *p, struct node *block);
struct node *parse_if_value(struct parser *p, struct node *n);

/* Parses src into `into`; for fmt with roles (src->len + 1 bytes, zeroed). */
bool parse_source(struct lang *l, struct source *src, struct script *into, u8 *roles);
/* An expression of C text between two offsets; NULL (reported) when it is none. */
struct node *parse_expression_range(struct lang *l, struct source *src, u32 from, u32 to);

/* parse_head.c: what precedes the probes */
void parse_shebang(struct parser *p);
bool parse_at_c_text(const struct parser *p);
void parse_c_text(struct parser *p);
void parse_config(struct parser *p);
void parse_import(struct parser *p);
void parse_map_decl(struct parser *p);

/* parse_probe.c */
void parse_probe(struct parser *p);

#endif
