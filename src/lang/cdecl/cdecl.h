/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser for C text at the head of scripts: preprocess.c is the preprocessor, declare.c parses
 * declarations, include.c finds headers, layout.c computes offsets of members, constant.c evaluates
 * constants.
 */
#ifndef SONDE_LANG_CDECL_CDECL_H
#define SONDE_LANG_CDECL_CDECL_H

#include "lang/lang.h"
#include "lang/lexer.h"

struct c_cond { /* an open #if */
	struct span span;
	bool outer; /* the enclosing text is active */
	bool taken; /* one of its branches was active */
	bool active;
	bool seen_else;
};

struct cdecl {
	struct lang *lang;
	struct arena *arena;
	struct source *src;
	struct lexer lx;
	struct token tok;
	struct hash defined;  /* name -> &is_defined or &is_undefined */
	struct hash included; /* resolved path -> itself */
	VEC(struct c_cond) conds;
	VEC(u32) packs; /* stack of #pragma pack(push) */
	u32 pack;       /* #pragma pack(N): the largest alignment of members, 0: natural */
	u32 depth;      /* of nested types */
	u32 include_depth;
	bool panic; /* an error was reported in this declaration */
	bool failed;
	/* an included file: unsupported declarations are skipped without a report */
	bool foreign;
};

void cdecl_init(struct cdecl *c, struct lang *l);
void cdecl_release(struct cdecl *c);
/* Reads the text of src between two offsets. */
void cdecl_read(struct cdecl *c, struct source *src, u32 from, u32 to);
/* Directives at the lexer's position, also between the members of a struct. */
void cdecl_directives(struct cdecl *c);
/* Reports unterminated #ifs; false if there was any error. */
bool cdecl_end(struct cdecl *c);
bool cdecl_is_defined(const struct cdecl *c, const char *name);

/* include.c: the header that the rest of a line names, from the token `what` up to the offset
 * `to`. */
void cdecl_include(struct cdecl *c, const struct token *what, struct span line, u32 to);
/* Whether #include would accept it. */
bool cdecl_has_include(struct cdecl *c, const char *name, bool quoted);
/* A header that is known without reading it: the kernel's, or the C library's. */
bool cdecl_needs_no_file(const char *header);

/* declare.c */
void cdecl_declaration(struct cdecl *c);
static inline struct span cdecl_span(const struct cdecl *c)
{
	return (struct span){ c->src->base + c->tok.off, c->tok.len };
}

/* layout.c */
struct c_member {
	const char *name; /* "" for an anonymous one */
	const struct type *type;
	s64 bits;  /* -1: not a bitfield */
	u32 align; /* from an attribute, 0: none */
	bool from_user, packed;
	struct span span;
};
struct c_members {
	VEC(struct c_member) list;
};
struct c_attrs {
	bool packed;
	u32 align, pack; /* pack: the largest alignment of members, 0: natural */
};
/* Sets the fields, size and alignment of t; false if it is too large. */
bool cdecl_lay_out(struct arena *a, struct type *t, const struct c_members *members,
		   const struct c_attrs *attrs);

/* constant.c: the value of a constant expression. In #if, undefined names are 0. */
bool ceval(struct cdecl *c, const struct node *n, bool in_if, s64 *value);
/* The same for text; reports errors. */
bool ceval_range(struct cdecl *c, u32 from, u32 to, bool in_if, s64 *value);

#endif
