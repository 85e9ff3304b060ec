/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of a mangled C++ name, with shared substitutions; used by demangle_cxx*.c only. */
#ifndef SONDE_OBJECT_DEMANGLE_CXX_H
#define SONDE_OBJECT_DEMANGLE_CXX_H

#include "base/arena.h"
#include "base/buf.h"

enum cxx_kind {
	CXX_NAME,     /* text */
	CXX_BUILTIN,  /* text; suffix: of literals, NULL: printed as casts */
	CXX_NESTED,   /* a::b */
	CXX_LOCAL,    /* the same, a is the function around b */
	CXX_TEMPLATE, /* a<list> */
	CXX_CTOR,     /* constructor; a: the class's plain name */
	CXX_DTOR,
	CXX_OPERATOR,         /* text: "+" */
	CXX_CONVERSION,       /* operator a */
	CXX_LITERAL_OPERATOR, /* operator"" a */
	CXX_BINDING,          /* [list] */
	CXX_TAGGED,           /* a[abi:text] */
	CXX_LAMBDA,           /* {lambda(list)#number} */
	CXX_UNNAMED,          /* {unnamed type#number} */
	CXX_DEFAULT_ARG,      /* {default arg#number} */
	CXX_STRING_LITERAL,
	CXX_QUALIFIED,      /* a const ...: quals */
	CXX_VENDOR,         /* a text<list> */
	CXX_POINTER,        /* a* */
	CXX_REFERENCE,      /* a& or, with rvalue, a&& */
	CXX_MEMBER_POINTER, /* b of the class a */
	CXX_SUFFIXED,       /* a text: _Complex */
	CXX_ARRAY,          /* a [b] or [text]; both may be NULL */
	CXX_VECTOR,         /* a __vector(b or text) */
	CXX_FUNCTION,       /* a (list) quals, ref; b: noexcept's or throw's */
	CXX_ENCODING,       /* a name; b its result or NULL; (list) quals, ref */
	CXX_SPECIAL,        /* text a */
	CXX_CONSTRUCTION,   /* construction vtable for a-in-b */
	CXX_CLONE,          /* a [clone text] */
	CXX_PACK,           /* list; in an expansion, one of its elements */
	CXX_EXPANSION,      /* a... */
	CXX_PARAM,          /* template parameter: a; NULL until known */
	CXX_AUTO,           /* auto:number, of a lambda */
	CXX_DECLTYPE,
	CXX_LITERAL,        /* text of type a; negative */
	CXX_FUNCTION_PARAM, /* number, 0: this */
	CXX_UNARY,          /* text a; suffix operators: is_suffix */
	CXX_BINARY,         /* a text b */
	CXX_CALL,           /* a(list) */
	CXX_CAST,           /* (a)b or (a)(list) */
	CXX_NAMED_CAST,     /* text<a>(b) */
	CXX_CONDITIONAL,    /* a?b : c */
	CXX_INDEX,          /* a[b] */
	CXX_BRACES,         /* a{list} */
	CXX_NEW,            /* new (list) a b */
	CXX_FOLD,           /* text: operator; number: 'l', 'r', 'L', 'R' */
	CXX_COUNT,          /* length of a: sizeof... */
	CXX_LIST,           /* list, separated by commas */
};

enum { CXX_CONST = 1, CXX_VOLATILE = 2, CXX_RESTRICT = 4 };
enum { CXX_REF_NONE, CXX_REF_LVALUE, CXX_REF_RVALUE };

struct cxx_node {
	enum cxx_kind kind;
	u8 quals, ref;
	bool rvalue, is_suffix, negative;
	bool busy; /* being printed: names from files may refer to themselves */
	u32 number, len, n;
	const char *text, *suffix; /* len bytes of text; suffix is NUL-terminated */
	struct cxx_node *a, *b, *c, **list;
};

/* demangle_cxx_print.c. False: too long, or recursive. */
bool cxx_print(struct buf *out, struct cxx_node *n);

/* ---- the parser */

enum { CXX_MAX_DEPTH = 256, CXX_MAX_NODES = 1 << 16 };

typedef VEC(struct cxx_node *) cxx_nodes;

struct cxx_parser {
	struct arena arena;
	const char *at, *end;
	u32 depth, n_nodes;
	cxx_nodes subs;    /* S_, S0_ ... */
	cxx_nodes params;  /* T_, T0_ ...: template arguments of the current name */
	cxx_nodes unknown; /* parameters used before their arguments */
	bool may_be_unknown, in_lambda;
	const char *class_name; /* for constructors */
	u32 class_len;
};

/* Properties of an encoding's name that affect the rest. */
struct cxx_name_state {
	bool wanted;      /* following arguments belong to the encoding */
	bool is_template; /* the name ends in template arguments: a result type follows */
	bool is_special;  /* constructor, destructor, conversion: never a result type */
	u8 quals, ref;
};

struct cxx_operator {
	const char *code, *text;
	u32 n_operands;
};

/* Text: a match is consumed; without a match the parser does not move. */
static inline char cxx_peek(const struct cxx_parser *p, u32 n)
{
	return (size_t)(p->end - p->at) > n ? p->at[n] : '\0';
}

bool cxx_take(struct cxx_parser *p, const char *s);
bool cxx_take_decimal(struct cxx_parser *p, u32 *out);
/* "_" is 0, "0_" is 1 ... in base 36 for substitutions, 10 elsewhere. */
bool cxx_take_sequence(struct cxx_parser *p, u32 base, u32 *out);
/* Elements until "E" (or another terminator); false: one is invalid. */
bool cxx_take_list(struct cxx_parser *p, struct cxx_node *(*f)(struct cxx_parser *p),
		   const char *end, cxx_nodes *out);

/* Nodes are allocated in the parser's arena. NULL (a parse error) propagates. */
bool cxx_enter(struct cxx_parser *p); /* one level deeper; false: too deep */
struct cxx_node *cxx_leave(struct cxx_parser *p, struct cxx_node *n);
struct cxx_node *cxx_make(struct cxx_parser *p, enum cxx_kind kind);
struct cxx_node *cxx_make_text(struct cxx_parser *p, enum cxx_kind kind, const char *text,
			       size_t len);
struct cxx_node *cxx_make_name(struct cxx_parser *p, const char *text);
struct cxx_node *cxx_around(struct cxx_parser *p, enum cxx_kind kind, struct cxx_node *a,
			    struct cxx_node *b);
/* With two children, both required. */
struct cxx_node *cxx_pair(struct cxx_parser *p, enum cxx_kind kind, struct cxx_node *a,
			  struct cxx_node *b);
struct cxx_node *cxx_with_list(struct cxx_node *n, const cxx_nodes *list);
/* Adds a substitution candidate for S_, S0_ ... */
struct cxx_node *cxx_push_sub(struct cxx_parser *p, struct cxx_node *n);

/* Productions, named as in the ABI; NULL or false: no match. */
struct cxx_node *cxx_parse_encoding(struct cxx_parser *p, bool with_result);
/* demangle_cxx_name.c. state may be NULL. */
struct cxx_node *cxx_parse_name(struct cxx_parser *p, struct cxx_name_state *state);
struct cxx_node *cxx_parse_unqualified(struct cxx_parser *p, struct cxx_name_state *state,
				       struct cxx_node *scope);
struct cxx_node *cxx_parse_source_name(struct cxx_parser *p);
struct cxx_node *cxx_parse_substitution(struct cxx_parser *p, bool in_name);
struct cxx_node *cxx_parse_template_param(struct cxx_parser *p);
struct cxx_node *cxx_parse_template_arg(struct cxx_parser *p);
/* own: arguments of the encoding's name, to which T_ refers. */
bool cxx_parse_template_args(struct cxx_parser *p, bool own, cxx_nodes *out);
struct cxx_node *cxx_template_of(struct cxx_parser *p, struct cxx_node *name, bool own);
bool cxx_take_parameters(struct cxx_parser *p, cxx_nodes *out);
const struct cxx_operator *cxx_take_operator(struct cxx_parser *p);
u8 cxx_take_quals(struct cxx_parser *p);
u8 cxx_take_ref(struct cxx_parser *p);
/* demangle_cxx_type.c, demangle_cxx_expr.c */
struct cxx_node *cxx_parse_type(struct cxx_parser *p);
struct cxx_node *cxx_parse_expression(struct cxx_parser *p);

#endif
