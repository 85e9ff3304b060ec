/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by demangle_cxx*.c: what a mangled C++ name means, as a tree that shares its substitutions. */
#ifndef SONDE_SYM_DEMANGLE_CXX_H
#define SONDE_SYM_DEMANGLE_CXX_H

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
	CXX_OPERATOR,	      /* text: "+" */
	CXX_CONVERSION,	      /* operator a */
	CXX_LITERAL_OPERATOR, /* operator"" a */
	CXX_BINDING,	      /* [list] */
	CXX_TAGGED,	      /* a[abi:text] */
	CXX_LAMBDA,	      /* {lambda(list)#number} */
	CXX_UNNAMED,	      /* {unnamed type#number} */
	CXX_DEFAULT_ARG,      /* {default arg#number} */
	CXX_STRING_LITERAL,
	CXX_QUALIFIED,	    /* a const …: quals */
	CXX_VENDOR,	    /* a text<list> */
	CXX_POINTER,	    /* a* */
	CXX_REFERENCE,	    /* a& or, with rvalue, a&& */
	CXX_MEMBER_POINTER, /* b of the class a */
	CXX_SUFFIXED,	    /* a text: _Complex */
	CXX_ARRAY,	    /* a [b] or [text]; both may be NULL */
	CXX_VECTOR,	    /* a __vector(b or text) */
	CXX_FUNCTION,	    /* a (list) quals, ref; b: noexcept's or throw's */
	CXX_ENCODING,	    /* a name; b its result or NULL; (list) quals, ref */
	CXX_SPECIAL,	    /* text a */
	CXX_CONSTRUCTION,   /* construction vtable for a-in-b */
	CXX_CLONE,	    /* a [clone text] */
	CXX_PACK,	    /* list, one of them where it is expanded */
	CXX_EXPANSION,	    /* a... */
	CXX_PARAM,	    /* template parameter: a; NULL as long as it is not known */
	CXX_AUTO,	    /* auto:number, of a lambda */
	CXX_DECLTYPE,
	CXX_LITERAL,	    /* text of type a; negative */
	CXX_FUNCTION_PARAM, /* number, 0: this */
	CXX_UNARY,	    /* text a; suffix operators: is_suffix */
	CXX_BINARY,	    /* a text b */
	CXX_CALL,	    /* a(list) */
	CXX_CAST,	    /* (a)b or (a)(list) */
	CXX_NAMED_CAST,	    /* text<a>(b) */
	CXX_CONDITIONAL,    /* a?b : c */
	CXX_INDEX,	    /* a[b] */
	CXX_BRACES,	    /* a{list} */
	CXX_NEW,	    /* new (list) a b */
	CXX_FOLD,	    /* text: operator; number: 'l', 'r', 'L', 'R' */
	CXX_COUNT,	    /* how many a has: sizeof... */
	CXX_LIST,	    /* list, between commas */
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

/* False: too long, or it contains itself. */
bool cxx_print(struct buf *out, struct cxx_node *n);

#endif
