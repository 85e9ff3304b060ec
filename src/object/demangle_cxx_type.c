/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types in C++ symbols: <type>. See demangle_cxx.c. */
#include <ctype.h>
#include "object/demangle_cxx.h"

/* ---- <type> */

/* suffix: printed after literals; "?" for booleans, "[" around bytes. */
static const struct builtin {
	const char *code, *text, *suffix;
} builtins[] = {
	{ "a", "signed char", NULL },
	{ "b", "bool", "?" },
	{ "c", "char", NULL },
	{ "d", "double", "[" },
	{ "e", "long double", "[" },
	{ "f", "float", "[" },
	{ "g", "__float128", "[" },
	{ "h", "unsigned char", NULL },
	{ "i", "int", "" },
	{ "j", "unsigned int", "u" },
	{ "l", "long", "l" },
	{ "m", "unsigned long", "ul" },
	{ "n", "__int128", NULL },
	{ "o", "unsigned __int128", NULL },
	{ "s", "short", NULL },
	{ "t", "unsigned short", NULL },
	{ "v", "void", NULL },
	{ "w", "wchar_t", NULL },
	{ "x", "long long", "ll" },
	{ "y", "unsigned long long", "ull" },
	{ "z", "...", NULL },
	{ "Da", "auto", NULL },
	{ "Dc", "decltype(auto)", NULL },
	{ "Dd", "decimal64", NULL },
	{ "De", "decimal128", NULL },
	{ "Df", "decimal32", NULL },
	{ "Dh", "half", "[" },
	{ "Di", "char32_t", NULL },
	{ "Dn", "decltype(nullptr)", NULL },
	{ "Ds", "char16_t", NULL },
	{ "Du", "char8_t", NULL },
};

static struct cxx_node *parse_builtin(struct cxx_parser *p)
{
	for (u32 i = 0; i < ARRAY_SIZE(builtins); i++)
		if (cxx_take(p, builtins[i].code)) {
			struct cxx_node *n = cxx_make_text(p, CXX_BUILTIN, builtins[i].text,
							   strlen(builtins[i].text));

			n->suffix = builtins[i].suffix;
			return n;
		}
	return NULL;
}

/* DF16_, DF16b, DF32x */
static struct cxx_node *parse_float(struct cxx_parser *p)
{
	struct cxx_node *n;
	const char *text;
	u32 bits;

	if (!cxx_take_decimal(p, &bits))
		return NULL;
	text = cxx_take(p, "b") ?
		       "std::bfloat16_t" :
		       arena_printf(&p->arena, "_Float%u%s", bits, cxx_take(p, "x") ? "x" : "");
	if (text[0] == '_' && text[strlen(text) - 1] != 'x' && !cxx_take(p, "_"))
		return NULL;
	n = cxx_make_text(p, CXX_BUILTIN, text, strlen(text));
	n->suffix = "[";
	return n;
}

static struct cxx_node *parse_exception_spec(struct cxx_parser *p)
{
	struct cxx_node *n;
	cxx_nodes list;

	if (cxx_take(p, "Do"))
		return cxx_make_name(p, " noexcept");
	if (cxx_take(p, "DO")) {
		n = cxx_around(p, CXX_CALL, cxx_make_name(p, " noexcept"), NULL);
		return cxx_take_list(p, cxx_parse_expression, "E", &list) ?
			       cxx_with_list(n, &list) :
			       NULL;
	}
	if (cxx_take(p, "Dw")) {
		n = cxx_around(p, CXX_CALL, cxx_make_name(p, " throw"), NULL);
		return cxx_take_list(p, cxx_parse_type, "E", &list) ? cxx_with_list(n, &list) :
								      NULL;
	}
	return NULL;
}

static struct cxx_node *parse_function(struct cxx_parser *p, u8 quals)
{
	struct cxx_node *spec = NULL, *n;
	bool has_spec = cxx_peek(p, 0) == 'D';
	cxx_nodes list;

	if (has_spec && !cxx_take(p, "Dx")) {
		spec = parse_exception_spec(p);
		if (!spec)
			return NULL;
	}
	cxx_take(p, "Dx");
	if (!cxx_take(p, "F"))
		return NULL;
	cxx_take(p, "Y");
	n = cxx_around(p, CXX_FUNCTION, cxx_parse_type(p), spec);
	if (!n || !cxx_take_parameters(p, &list))
		return NULL;
	n->quals = quals;
	n->ref = cxx_take_ref(p);
	return cxx_take(p, "E") ? cxx_with_list(n, &list) : NULL;
}

static struct cxx_node *parse_array(struct cxx_parser *p)
{
	struct cxx_node *n = cxx_make(p, CXX_ARRAY);
	const char *text = p->at;
	u32 ignored;

	if (cxx_take_decimal(p, &ignored)) {
		n->text = text;
		n->len = (u32)(p->at - text);
	} else if (cxx_peek(p, 0) != '_') {
		n->b = cxx_parse_expression(p);
		if (!n->b)
			return NULL;
	}
	if (!cxx_take(p, "_"))
		return NULL;
	n->a = cxx_parse_type(p);
	return n->a ? n : NULL;
}

static struct cxx_node *parse_vector(struct cxx_parser *p)
{
	struct cxx_node *n = parse_array(p);

	if (n)
		n->kind = CXX_VECTOR;
	return n;
}

static struct cxx_node *parse_decltype(struct cxx_parser *p)
{
	struct cxx_node *n = cxx_around(p, CXX_DECLTYPE, cxx_parse_expression(p), NULL);

	return cxx_take(p, "E") ? n : NULL;
}

static struct cxx_node *parse_vendor(struct cxx_parser *p)
{
	struct cxx_node *name = cxx_parse_source_name(p), *n;
	cxx_nodes list = { 0 };

	if (!name || (cxx_peek(p, 0) == 'I' && !cxx_parse_template_args(p, false, &list)))
		return NULL;
	n = cxx_around(p, CXX_VENDOR, cxx_parse_type(p), NULL);
	if (!n)
		return NULL;
	n->text = name->text;
	n->len = name->len;
	return cxx_with_list(n, &list);
}

/* After qualifiers: does a function type follow? */
static bool is_function_ahead(const struct cxx_parser *p)
{
	u32 i = 0;

	while (cxx_peek(p, i) && strchr("rVK", cxx_peek(p, i)))
		i++;
	return cxx_peek(p, i) == 'F' ||
	       (cxx_peek(p, i) == 'D' && cxx_peek(p, i + 1) && strchr("oOwx", cxx_peek(p, i + 1)));
}

static struct cxx_node *parse_qualified(struct cxx_parser *p)
{
	u8 quals;
	struct cxx_node *n;

	if (is_function_ahead(p)) {
		quals = cxx_take_quals(p);
		return parse_function(p, quals);
	}
	quals = cxx_take_quals(p);
	n = cxx_around(p, CXX_QUALIFIED, cxx_parse_type(p), NULL);
	if (n)
		n->quals = quals;
	return n;
}

static struct cxx_node *parse_reference(struct cxx_parser *p, bool rvalue)
{
	struct cxx_node *n = cxx_around(p, CXX_REFERENCE, cxx_parse_type(p), NULL);

	if (n)
		n->rvalue = rvalue;
	return n;
}

static struct cxx_node *parse_member_pointer(struct cxx_parser *p)
{
	struct cxx_node *class = cxx_parse_type(p);

	return class ? cxx_pair(p, CXX_MEMBER_POINTER, class, cxx_parse_type(p)) : NULL;
}

static struct cxx_node *suffixed(struct cxx_parser *p, const char *suffix)
{
	struct cxx_node *n = cxx_around(p, CXX_SUFFIXED, cxx_parse_type(p), NULL);

	if (n) {
		n->text = suffix;
		n->len = (u32)strlen(suffix);
	}
	return n;
}

/* T_, T_<...> of template template parameters; "Ts", "Tu", "Te" are elaborated names. */
static struct cxx_node *parse_parameter_type(struct cxx_parser *p)
{
	struct cxx_node *n;

	if (cxx_take(p, "Ts") || cxx_take(p, "Tu") || cxx_take(p, "Te"))
		return cxx_parse_name(p, NULL);
	n = cxx_parse_template_param(p);
	if (!n || cxx_peek(p, 0) != 'I')
		return n;
	cxx_push_sub(p, n);
	if (!p->may_be_unknown)
		return cxx_template_of(p, n, false);
	/*
	 * The template arguments belong to the conversion or the type: to the type, if more follow.
	 */
	return n;
}

/* *again: it was a substitution. */
static struct cxx_node *parse_substituted_type(struct cxx_parser *p, bool *again)
{
	struct cxx_node *n;

	if (cxx_peek(p, 1) == 't')
		return cxx_parse_name(p, NULL);
	n = cxx_parse_substitution(p, false);
	if (n && cxx_peek(p, 0) == 'I')
		return cxx_template_of(p, n, false);
	*again = true;
	return n;
}

static struct cxx_node *parse_d_type(struct cxx_parser *p, bool *again)
{
	switch (cxx_peek(p, 1)) {
	case 'p': p->at += 2; return cxx_around(p, CXX_EXPANSION, cxx_parse_type(p), NULL);
	case 't':
	case 'T': p->at += 2; return parse_decltype(p);
	case 'v': p->at += 2; return parse_vector(p);
	case 'o':
	case 'O':
	case 'w':
	case 'x': return parse_function(p, 0);
	case 'F':
		p->at += 2;
		*again = true;
		return parse_float(p);
	}
	*again = true;
	return parse_builtin(p);
}

/* A type that is no substitution candidate sets *again. */
static struct cxx_node *parse_new_type(struct cxx_parser *p, bool *again)
{
	char c = cxx_peek(p, 0);

	switch (c) {
	case 'r':
	case 'V':
	case 'K': return parse_qualified(p);
	case 'D': return parse_d_type(p, again);
	case 'F': return parse_function(p, 0);
	case 'T': return parse_parameter_type(p);
	case 'S': return parse_substituted_type(p, again);
	}
	if (c == 'U' && !isdigit((u8)cxx_peek(p, 1)))
		return cxx_parse_name(p, NULL);
	if (cxx_take(p, "U"))
		return parse_vendor(p);
	if (cxx_take(p, "u"))
		return cxx_parse_source_name(p);
	if (cxx_take(p, "A"))
		return parse_array(p);
	if (cxx_take(p, "M"))
		return parse_member_pointer(p);
	if (cxx_take(p, "P"))
		return cxx_around(p, CXX_POINTER, cxx_parse_type(p), NULL);
	if (cxx_take(p, "R"))
		return parse_reference(p, false);
	if (cxx_take(p, "O"))
		return parse_reference(p, true);
	if (cxx_take(p, "C"))
		return suffixed(p, " _Complex");
	if (cxx_take(p, "G"))
		return suffixed(p, " _Imaginary");
	if (!islower((u8)c))
		return cxx_parse_name(p, NULL);
	*again = true;
	return parse_builtin(p);
}

struct cxx_node *cxx_parse_type(struct cxx_parser *p)
{
	bool again = false;
	struct cxx_node *n;

	if (!cxx_enter(p))
		return NULL;
	n = parse_new_type(p, &again);
	if (n && !again)
		cxx_push_sub(p, n);
	return cxx_leave(p, n);
}
