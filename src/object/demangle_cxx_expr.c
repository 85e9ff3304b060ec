/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions in C++ symbols, in template arguments and decltype. See demangle_cxx.c. */
#include <ctype.h>
#include "object/demangle_cxx.h"

/* ---- <expression> */

static struct cxx_node *parse_literal(struct cxx_parser *p)
{
	struct cxx_node *n;

	if (cxx_take(p, "_Z") || cxx_take(p, "Z")) {
		n = cxx_parse_encoding(p, true);
		return cxx_take(p, "E") ? n : NULL;
	}
	n = cxx_around(p, CXX_LITERAL, cxx_parse_type(p), NULL);
	if (!n)
		return NULL;
	n->negative = cxx_take(p, "n");
	n->text = p->at;
	while (cxx_peek(p, 0) && cxx_peek(p, 0) != 'E')
		p->at++;
	n->len = (u32)(p->at - n->text);
	if (!n->len && n->a->kind == CXX_BUILTIN && n->a->text[0] == 'd') { /* LDnE */
		n->text = "0";
		n->len = 1;
	}
	return cxx_take(p, "E") ? n : NULL;
}

static struct cxx_node *parse_function_param(struct cxx_parser *p)
{
	struct cxx_node *n = cxx_make(p, CXX_FUNCTION_PARAM);
	u32 level;

	if (cxx_take(p, "fpT"))
		return n;
	if (cxx_take(p, "fL")) {
		if (!cxx_take_decimal(p, &level) || !cxx_take(p, "p"))
			return NULL;
	} else if (!cxx_take(p, "fp")) {
		return NULL;
	}
	cxx_take_quals(p);
	if (!cxx_take_sequence(p, 10, &n->number))
		return NULL;
	n->number++;
	return n;
}

/* A name with optional template arguments. */
static struct cxx_node *parse_simple_name(struct cxx_parser *p, struct cxx_node *scope)
{
	struct cxx_node *n = cxx_parse_unqualified(p, NULL, NULL);

	if (n && cxx_peek(p, 0) == 'I')
		n = cxx_template_of(p, n, false);
	return n && scope ? cxx_pair(p, CXX_NESTED, scope, n) : n;
}

/* sr <type> <name>, srN <type> <name>... E <name>, sr <name>... E <name> */
static struct cxx_node *parse_scoped(struct cxx_parser *p)
{
	bool many = cxx_take(p, "N"), bare = isdigit((u8)cxx_peek(p, 0));
	struct cxx_node *scope = bare ? parse_simple_name(p, NULL) : cxx_parse_type(p);

	while (scope && (many || bare) && !cxx_take(p, "E")) {
		if (bare && !many && !isdigit((u8)cxx_peek(p, 0)) && cxx_peek(p, 0) != 'E')
			break;
		scope = parse_simple_name(p, scope);
	}
	cxx_take(p, "on");
	return cxx_take(p, "dn") ?
		       cxx_pair(p, CXX_NESTED, scope,
				cxx_around(p, CXX_DTOR, parse_simple_name(p, NULL), NULL)) :
	       scope ? parse_simple_name(p, scope) :
		       NULL;
}

static struct cxx_node *parse_braces(struct cxx_parser *p, bool typed)
{
	struct cxx_node *n = cxx_make(p, CXX_BRACES);
	cxx_nodes list;

	n->a = typed ? cxx_parse_type(p) : NULL;
	if ((typed && !n->a) || !cxx_take_list(p, cxx_parse_expression, "E", &list))
		return NULL;
	return cxx_with_list(n, &list);
}

static struct cxx_node *parse_cast(struct cxx_parser *p)
{
	struct cxx_node *n = cxx_around(p, CXX_CAST, cxx_parse_type(p), NULL);
	cxx_nodes list;

	if (!n)
		return NULL;
	if (cxx_take(p, "_"))
		return cxx_take_list(p, cxx_parse_expression, "E", &list) ?
			       cxx_with_list(n, &list) :
			       NULL;
	n->b = cxx_parse_expression(p);
	return n->b ? n : NULL;
}

static struct cxx_node *with_operator(struct cxx_node *n, const struct cxx_operator *o)
{
	if (n) {
		n->text = o->text;
		n->len = (u32)strlen(o->text);
	}
	return n;
}

static struct cxx_node *parse_new_expression(struct cxx_parser *p, const struct cxx_operator *o)
{
	struct cxx_node *n = cxx_make(p, CXX_NEW), *init;
	cxx_nodes list;

	if (!cxx_take_list(p, cxx_parse_expression, "_", &list))
		return NULL;
	cxx_with_list(n, &list);
	n->a = cxx_parse_type(p);
	if (!n->a || cxx_take(p, "E"))
		return n->a ? n : NULL;
	if (cxx_peek(p, 0) == 'i') {
		n->b = cxx_parse_expression(p);
		return n->b ? n : NULL;
	}
	init = cxx_make(p, CXX_LIST);
	if (!cxx_take(p, "pi") || !cxx_take_list(p, cxx_parse_expression, "E", &list))
		return NULL;
	n->b = cxx_with_list(init, &list);
	return n;
}

static struct cxx_node *parse_fold(struct cxx_parser *p, const struct cxx_operator *o)
{
	const struct cxx_operator *by = cxx_take_operator(p);
	struct cxx_node *n =
		by ? with_operator(cxx_around(p, CXX_FOLD, cxx_parse_expression(p), NULL), by) :
		     NULL;

	if (!n)
		return NULL;
	n->number = (u8)o->code[1];
	if (o->n_operands == 3) {
		n->b = cxx_parse_expression(p);
		if (!n->b)
			return NULL;
	}
	return n;
}

static struct cxx_node *parse_unary(struct cxx_parser *p, const struct cxx_operator *o)
{
	bool of_type = streq(o->code, "st") || streq(o->code, "at");
	bool steps = streq(o->code, "pp") || streq(o->code, "mm"),
	     prefix = steps && cxx_take(p, "_");
	struct cxx_node *n;
	cxx_nodes list;

	if (streq(o->code, "sP"))
		return cxx_take_list(p, cxx_parse_template_arg, "E", &list) ?
			       cxx_around(p, CXX_COUNT, cxx_with_list(cxx_make(p, CXX_PACK), &list),
					  NULL) :
			       NULL;
	if (streq(o->code, "sZ"))
		return cxx_around(p, CXX_COUNT, cxx_parse_expression(p), NULL);
	n = with_operator(cxx_around(p, CXX_UNARY,
				     of_type ? cxx_parse_type(p) : cxx_parse_expression(p), NULL),
			  o);
	if (!n)
		return NULL;
	n->is_suffix = steps && !prefix;
	n->b = of_type || streq(o->code, "nx") ? n->a : NULL; /* always in parentheses */
	return n;
}

static struct cxx_node *parse_member(struct cxx_parser *p, struct cxx_node *of,
				     const struct cxx_operator *o)
{
	bool scoped = (cxx_peek(p, 0) == 'g' && cxx_peek(p, 1) == 's') ||
		      (cxx_peek(p, 0) == 's' && cxx_peek(p, 1) == 'r');
	struct cxx_node *member;

	if (!scoped)
		cxx_take(p, "on");
	if (cxx_take(p, "dn"))
		member = cxx_around(p, CXX_DTOR, parse_simple_name(p, NULL), NULL);
	else
		member = scoped || cxx_peek(p, 0) == 'T' ? cxx_parse_expression(p) :
							   parse_simple_name(p, NULL);
	return with_operator(cxx_pair(p, CXX_BINARY, of, member), o);
}

static struct cxx_node *parse_binary(struct cxx_parser *p, const struct cxx_operator *o)
{
	bool is_cast = strlen(o->text) > 4; /* static_cast etc. */
	struct cxx_node *a, *n;
	cxx_nodes list;

	if (o->code[0] == 'f')
		return parse_fold(p, o);
	a = is_cast ? cxx_parse_type(p) : cxx_parse_expression(p);
	if (!a)
		return NULL;
	if (is_cast)
		return with_operator(cxx_pair(p, CXX_NAMED_CAST, a, cxx_parse_expression(p)), o);
	if (streq(o->code, "cl")) {
		n = cxx_around(p, CXX_CALL, a, NULL);
		return cxx_take_list(p, cxx_parse_expression, "E", &list) ?
			       cxx_with_list(n, &list) :
			       NULL;
	}
	if (streq(o->code, "ix"))
		return cxx_pair(p, CXX_INDEX, a, cxx_parse_expression(p));
	if (streq(o->code, "dt") || streq(o->code, "pt"))
		return parse_member(p, a, o);
	return with_operator(cxx_pair(p, CXX_BINARY, a, cxx_parse_expression(p)), o);
}

static struct cxx_node *parse_operation(struct cxx_parser *p)
{
	const struct cxx_operator *o = cxx_take_operator(p);
	struct cxx_node *n, *b;

	if (!o)
		return NULL;
	if (!o->n_operands)
		return cxx_make_name(p, o->text);
	if (o->n_operands == 1)
		return parse_unary(p, o);
	if (o->n_operands == 2)
		return parse_binary(p, o);
	if (o->code[0] == 'n')
		return parse_new_expression(p, o);
	if (o->code[0] == 'f')
		return parse_fold(p, o);
	n = cxx_parse_expression(p);
	b = n ? cxx_parse_expression(p) : NULL;
	n = cxx_pair(p, CXX_CONDITIONAL, n, b);
	if (!n)
		return NULL;
	n->c = cxx_parse_expression(p);
	return n->c ? n : NULL;
}

static struct cxx_node *parse_vendor_expression(struct cxx_parser *p)
{
	struct cxx_node *n = cxx_around(p, CXX_CALL, cxx_parse_source_name(p), NULL);
	cxx_nodes list;

	return cxx_take_list(p, cxx_parse_template_arg, "E", &list) ? cxx_with_list(n, &list) :
								      NULL;
}

static struct cxx_node *parse_any_expression(struct cxx_parser *p)
{
	char c = cxx_peek(p, 0), next = cxx_peek(p, 1);

	if (cxx_take(p, "L"))
		return parse_literal(p);
	if (c == 'T')
		return cxx_parse_template_param(p);
	if (c == 'f' && (next == 'p' || (next == 'L' && isdigit((u8)cxx_peek(p, 2)))))
		return parse_function_param(p);
	if (cxx_take(p, "sr"))
		return parse_scoped(p);
	if (cxx_take(p, "sp"))
		return cxx_around(p, CXX_EXPANSION, cxx_parse_expression(p), NULL);
	if (cxx_take(p, "tl"))
		return parse_braces(p, true);
	if (cxx_take(p, "il"))
		return parse_braces(p, false);
	if (cxx_take(p, "cv"))
		return parse_cast(p);
	if (isdigit((u8)c) || cxx_take(p, "on"))
		return parse_simple_name(p, NULL);
	if (cxx_take(p, "u"))
		return parse_vendor_expression(p);
	return parse_operation(p);
}

struct cxx_node *cxx_parse_expression(struct cxx_parser *p)
{
	return cxx_enter(p) ? cxx_leave(p, parse_any_expression(p)) : NULL;
}
