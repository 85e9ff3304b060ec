/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by demangle_cxx*.c: what a mangled C++ name means, as a tree that shares its substitutions. */
#ifndef SONDE_OBJECT_DEMANGLE_CXX_H
#define SONDE_OBJECT_DEMANGLE_CXX_H

#include "base/arena.h"
#include "base/buf.h"

enum cxx_kind {
	CXX_NAME,     /* text */
	CXX_BUILTIN,  /* text; suffix: of literals, NULL: they are written as casts */
	CXX_NESTED,   /* a::b */
	CXX_LOCAL,    /* the same, a is the function around b */
	CXX_TEMPLATE, /* a<list> */
	CXX_CTOR,     /* of the class whose plain name a is */
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
	CXX_QUALIFIED,      /* a const …: quals */
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
	CXX_PACK,           /* list, one of them where it is expanded */
	CXX_EXPANSION,      /* a... */
	CXX_PARAM,          /* template parameter: a; NULL as long as it is not known */
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
	CXX_COUNT,          /* how many a has: sizeof... */
	CXX_LIST,           /* list, between commas */
};

enum { CXX_CONST = 1, CXX_VOLATILE = 2, CXX_RESTRICT = 4 };
enum { CXX_REF_NONE, CXX_REF_LVALUE, CXX_REF_RVALUE };

struct cxx_node {
	enum cxx_kind kind;
	u8 quals, ref;
	bool rvalue, is_suffix, negative;
	bool busy; /* it is being printed: names from files may refer to themselves */
	u32 number, len, n;
	const char *text, *suffix; /* len bytes of text; suffix ends in NUL */
	struct cxx_node *a, *b, *c, **list;
};

/* demangle_cxx_print.c. False: too long, or it contains itself. */
bool cxx_print(struct buf *out, struct cxx_node *n);

/* ---- the parser */

enum { CXX_MAX_DEPTH = 256, CXX_MAX_NODES = 1 << 16 };

typedef VEC(struct cxx_node *) cxx_nodes;

struct cxx_parser {
	struct arena arena;
	const char *at, *end;
	u32 depth, n_nodes;
	cxx_nodes subs;    /* S_, S0_ … */
	cxx_nodes params;  /* T_, T0_ …: the template arguments of the name at hand */
	cxx_nodes unknown; /* parameters that were named before their arguments came */
	bool may_be_unknown, in_lambda;
	const char *class_name; /* what a constructor is called */
	u32 class_len;
};

/* What an encoding's name says about the rest. */
struct cxx_name_state {
	bool wanted;      /* arguments that follow are the encoding's own */
	bool is_template; /* the name ends in template arguments: a result type follows */
	bool is_special;  /* constructor, destructor, conversion: no result type in any case */
	u8 quals, ref;
};

struct cxx_operator {
	const char *code, *text;
	u32 n_operands;
};

/*
 * Text: what is taken is passed; what is not there leaves the parser where it was.
 */
static inline char cxx_peek(const struct cxx_parser *p, u32 n)
{
	return (size_t)(p->end - p->at) > n ? p->at[n] : '\0';
}

bool cxx_take(struct cxx_parser *p, const char *s);
bool cxx_take_decimal(struct cxx_parser *p, u32 *out);
/* "_" is 0, "0_" is 1 … in base 36 for substitutions, 10 elsewhere. */
bool cxx_take_sequence(struct cxx_parser *p, u32 base, u32 *out);
/* Elements until "E" (or what else ends them); false: one is damaged. */
bool cxx_take_list(struct cxx_parser *p, struct cxx_node *(*f)(struct cxx_parser *p),
		   const char *end, cxx_nodes *out);

/*
 * Nodes belong to the parser's arena. NULL goes in and comes out where something did not parse.
 */
bool cxx_enter(struct cxx_parser *p); /* a level deeper; false: that is too deep */
struct cxx_node *cxx_leave(struct cxx_parser *p, struct cxx_node *n);
struct cxx_node *cxx_make(struct cxx_parser *p, enum cxx_kind kind);
struct cxx_node *cxx_make_text(struct cxx_parser *p, enum cxx_kind kind, const char *text,
			       size_t len);
struct cxx_node *cxx_make_name(struct cxx_parser *p, const char *text);
struct cxx_node *cxx_around(struct cxx_parser *p, enum cxx_kind kind, struct cxx_node *a,
			    struct cxx_node *b);
/* Of two, both needed. */
struct cxx_node *cxx_pair(struct cxx_parser *p, enum cxx_kind kind, struct cxx_node *a,
			  struct cxx_node *b);
struct cxx_node *cxx_with_list(struct cxx_node *n, const cxx_nodes *list);
/* What S_, S0_ … may mean from here on. */
struct cxx_node *cxx_push_sub(struct cxx_parser *p, struct cxx_node *n);

/*
 * Productions, called as the ABI calls them; NULL or false: this is none.
 */
struct cxx_node *cxx_parse_encoding(struct cxx_parser *p, bool with_result);
/* demangle_cxx_name.c. state may be NULL. */
struct cxx_node *cxx_parse_name(struct cxx_parser *p, struct cxx_name_state *state);
struct cxx_node *cxx_parse_unqualified(struct cxx_parser *p, struct cxx_name_state *state,
				       struct cxx_node *scope);
struct cxx_node *cxx_parse_source_name(struct cxx_parser *p);
struct cxx_node *cxx_parse_substitution(struct cxx_parser *p, bool in_name);
struct cxx_node *cxx_parse_template_param(struct cxx_parser *p);
struct cxx_node *cxx_parse_template_arg(struct cxx_parser *p);
/* own: of the encoding's name, which T_ refers to. */
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
