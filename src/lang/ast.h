/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The typed tree. The parser makes it, the type checker adds types and what names refer to,
 * lowering reads it. All nodes are in the compilation's arena; names are interned (equal means ==).
 *
 * There is one struct for all nodes, so that ast_clone() can copy a clause, which is checked once
 * for each argument layout. The members that a kind uses are listed at the kind.
 */
#ifndef SONDE_LANG_AST_H
#define SONDE_LANG_AST_H

#include "base/source.h"
#include "type/type.h"

struct builtin;
struct macro;
struct function;
struct instance;

enum node_kind {
	/* ---- expressions */
	/*
	 * value; str: as written (NULL if folded); value < 0 with str set means more than
	 * INT64_MAX: the parser makes no negative numbers
	 */
	N_INT,
	N_STR,  /* str (unescaped), str_len */
	N_BOOL, /* value */
	/* name: the checker makes it a builtin, enumerator, constant, macro call or type */
	N_IDENT,
	N_VAR, /* $name (without the $); var after checking */
	/* @name (without the @); a = first key expression (list by next) or NULL; map after
	 * checking */
	N_MAP,
	N_PARAM,    /* $1: value = its number (0: $#) */
	N_UNARY,    /* op: one of TOK-like OP_NEG OP_NOT OP_LNOT OP_DEREF OP_ADDR; a */
	N_BINARY,   /* op, a, b */
	N_INCDEC,   /* op OP_INC or OP_DEC; a; is_prefix */
	N_COND,     /* a ? b : c, also if-expressions; is_elvis: a ?: c (b NULL) */
	N_FIELD,    /* a.name (or a->name: op OP_DEREF); value = tuple index when name is NULL */
	N_INDEX,    /* a[b] */
	N_CALL,     /* name, args: a (list by next); builtin after checking */
	N_CAST,     /* tref, a */
	N_SIZEOF,   /* tref or a */
	N_OFFSETOF, /* tref or a; path: name chain in b (N_FIELD/N_IDENT chain) */
	N_FIELD_EXISTS, /* likewise */
	N_TYPEOF,       /* only inside tref; also typeinfo: N_TYPEINFO */
	N_TYPEINFO,     /* tref or a */
	N_COMPTIME,     /* a */
	N_TUPLE,        /* a list */
	N_RECORD,       /* a list of N_NAMED */
	N_NAMED,        /* name = a: record member or keyword argument */
	N_TYPE,         /* tref: a type given as an argument */
	N_BLOCK_EXPR,   /* a: list of statements, b: trailing expression or NULL */
	/* ---- statements (lists by next) */
	N_EXPR,    /* a; */
	N_ASSIGN,  /* a = target (N_VAR, N_MAP), op (OP_NONE for =), b = value */
	N_LET,     /* a = N_VAR, tref or NULL, b = initial value or NULL */
	N_DISCARD, /* _ = a; */
	N_IF,      /* a cond, b then-list (N_BLOCK), c else (N_BLOCK or N_IF) or NULL */
	N_WHILE,   /* a cond, b block */
	N_UNROLL,  /* a count, b block */
	N_FOR, /* c = N_VAR; a = N_MAP (over keys) or range start; d = range end or NULL; b block */
	N_BREAK,
	N_CONTINUE,
	N_RETURN, /* a or NULL */
	N_BLOCK,  /* a: statements */
	N_IMPORT, /* str */
	/*
	 * only in lang->constants: a #define that is no value; str: its body; value: it takes
	 * arguments
	 */
	N_MISFIT,
	N_NODE_KINDS
};

enum op {
	OP_NONE,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL,
	OP_SHR,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_GT,
	OP_LE,
	OP_GE,
	OP_LAND,
	OP_LOR,
	OP_NEG,
	OP_NOT,
	OP_LNOT,
	OP_DEREF,
	OP_ADDR,
	OP_INC,
	OP_DEC,
};
const char *op_text(enum op op);

/* A type as written: resolved by the checker into `type`. */
struct type_ref {
	struct span span;
	const char *name;         /* "int32", "task_struct", "string"; NULL for typeof */
	u8 tag;                   /* 0, or 's' struct, 'u' union, 'e' enum */
	struct node *of;          /* typeof(expr) */
	struct type_ref *of_type; /* typeof(type) */
	VEC(s64) suffix;          /* in order: -1 pointer, -2 unsized [], n >= 0 array of n */
	bool is_string_n;         /* string[N]: suffix[0] is the capacity */
	const struct type *type;
};

struct var {
	const char *name;
	const struct type *type; /* TY_UNKNOWN until known */
	struct span decl;
	bool is_declared;    /* let */
	bool has_fixed_type; /* let $x: type */
	bool assigned, used;
	bool is_awaited; /* as in struct node */
	bool has_value;  /* assigned before the current node, in this pass over the probe */
	bool is_left;    /* its block ended, in this pass over the probe */
	/* created by a plain $x = in branches and loops only, not in a separate block */
	bool in_branch;
	bool address_taken, captured; /* captured by a for body that becomes a callback */
	u32 loop_depth;               /* number of loops of any kind around its declaration */
	/* variable of a loop over this map, whose values cannot be copied */
	const struct map *key_only;
	u32 for_depth; /* number of bodies of loops over maps around its declaration */
	u32 ir, mentions,
		/* lowering: its home; mentions in the clause, mentions in the current loop */
		inside;
};

struct map {
	const char *name;                 /* with the at sign: "@x", "@" */
	const struct type *key;           /* NULL: keyless (once known), TY_UNKNOWN before */
	const struct type *value;         /* TY_UNKNOWN before */
	struct span first;                /* first mention */
	struct span key_span, value_span; /* origin of the types, for messages */
	u32 max_entries;                  /* 0: max_map_keys */
	u32 decl_kind;                    /* BPF_MAP_TYPE_* of a let declaration, 0 none */
	bool has_decl, read, written;
	bool is_internal; /* of an internal clause: not printed */
	bool keyed_known, is_keyed;
	u32 index; /* in program.maps, + 1; 0 until lowering needs it */
	u32 thread_uses,
		/*
		 * all mentions, and those other than as the value of the running thread: map_uses.c
		 */
		other_uses;
	u32 assignments; /* = and what is no addition: map_uses.c */
};

struct node {
	enum node_kind kind;
	enum op op;
	bool is_prefix, is_elvis, is_const; /* is_const: value/str hold a compile-time value */
	bool discards_value;                /* statement-level: the value is not used */
	bool is_awaited;  /* its type is in a file that is not here yet: check_awaited.c */
	bool is_part_of;  /* N_FIELD: only its members are read, not all of it */
	bool is_trailing; /* N_EXPR, N_IF, N_BLOCK: last of its block, without a semicolon */
	u16 height;       /* of the subtree; the parser bounds it, so that walks may recurse */
	struct span span;
	const struct type *type; /* after checking */
	const char *name;
	struct node *a, *b, *c, *d, *next;
	s64 value;
	const char *str;
	u32 str_len;
	struct type_ref *tref;
	/* after checking */
	struct var *var;
	struct map *map;
	const struct builtin *builtin;
	const struct field *field;
	u32 field_offset;
	const struct type *promoted; /* N_BINARY: the common type operands are converted to */
	u32 aux;                     /* free for builtin check/lower pairs */
	void *data;                  /* likewise */
};

/* Whether b names members of a type, not values. */
static inline bool node_has_path(const struct node *n)
{
	return n->kind == N_OFFSETOF || n->kind == N_FIELD_EXISTS;
}

/* One attach point as written. */
struct attach {
	struct span span;
	const char *text;      /* raw, positional parameters expanded, quotes kept */
	const char *user_name; /* name=... prefix, or NULL */
	bool may_miss;         /* one of several of one file, of which some must exist */
	struct attach *next;
};

struct clause { /* probe */
	struct span span;
	struct attach *attaches;
	struct node *predicate; /* or NULL */
	struct node *body;      /* N_BLOCK */
	struct clause *next;
};

struct macro_param {
	enum node_kind kind; /* N_VAR, N_MAP, N_IDENT */
	const char *name;
};
struct macro {
	const char *name;
	struct span span;
	VEC(struct macro_param) params;
	struct node *body; /* N_BLOCK_EXPR */
	bool is_std;
	struct macro *next;
};

struct function { /* fn */
	const char *name;
	struct span span;
	VEC(struct node *) params; /* N_LET nodes without value */
	struct type_ref *result;
	struct node *body;
	/* one of the callers: a call is checked in its context */
	const struct instance *caller;
	struct function *next;
};

struct map_decl { /* let @m = hash(100); */
	struct span span;
	const char *map, *kind;   /* "x" for @x; "lruhash" */
	struct node *max_entries; /* a constant expression */
	struct map_decl *next;
};

struct config_item {
	struct span span;
	const char *key, *value;
	struct config_item *next;
};

struct c_text { /* preprocessor lines and struct definitions at the head, verbatim */
	struct span span;
	const char *text;
	struct c_text *next;
};

struct import {
	struct span span;
	const char *path;
	struct import *next;
};

struct script {
	struct c_text *c_texts;
	struct config_item *config;
	struct import *imports;
	struct map_decl *map_decls;
	struct macro *macros;
	struct function *functions;
	struct clause *clauses;
};

struct node *node_new(struct arena *a, enum node_kind kind, struct span span);
struct node *ast_clone(struct arena *a, const struct node *n); /* and its ->next list */
/* Calls f on n and everything below it (not n->next); a false return skips the children. */
void ast_walk(struct node *n, bool (*f)(struct node *n, void *ctx), void *ctx);
struct buf;
/* Text dump: one node per line, indented, with types after checking (-d ast). */
void ast_dump(struct buf *b, const struct script *s);
void ast_dump_node(struct buf *b, const struct node *n, u32 indent);

#endif
