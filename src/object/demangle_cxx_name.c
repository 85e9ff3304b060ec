/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of C++ symbols: <name> and its productions. See demangle_cxx.c. */
#include <ctype.h>
#include "object/demangle_cxx.h"

/* ---- <source-name>, <operator-name> */

struct cxx_node *cxx_parse_source_name(struct cxx_parser *p)
{
	const char *text;
	u32 len;

	if (!cxx_take_decimal(p, &len) || !len || (size_t)(p->end - p->at) < len)
		return NULL;
	text = p->at;
	p->at += len;
	if (len >= 10 && !memcmp(text, "_GLOBAL_", 8) &&
	    (text[8] == '_' || text[8] == '.' || text[8] == '$') && text[9] == 'N') {
		p->class_name = "(anonymous namespace)";
		p->class_len = (u32)strlen(p->class_name);
		return cxx_make_name(p, p->class_name);
	}
	p->class_name = text;
	p->class_len = len;
	return cxx_make_text(p, CXX_NAME, text, len);
}

static const struct cxx_operator operators[] = {
	{ "aN", "&=", 2 },
	{ "aS", "=", 2 },
	{ "aa", "&&", 2 },
	{ "ad", "&", 1 },
	{ "an", "&", 2 },
	{ "at", "alignof ", 1 },
	{ "aw", "co_await ", 1 },
	{ "az", "alignof ", 1 },
	{ "cc", "const_cast", 2 },
	{ "cl", "()", 2 },
	{ "cm", ",", 2 },
	{ "co", "~", 1 },
	{ "dV", "/=", 2 },
	{ "da", "delete[] ", 1 },
	{ "dc", "dynamic_cast", 2 },
	{ "de", "*", 1 },
	{ "dl", "delete ", 1 },
	{ "ds", ".*", 2 },
	{ "dt", ".", 2 },
	{ "dv", "/", 2 },
	{ "eO", "^=", 2 },
	{ "eo", "^", 2 },
	{ "eq", "==", 2 },
	{ "fL", "...", 3 },
	{ "fR", "...", 3 },
	{ "fl", "...", 2 },
	{ "fr", "...", 2 },
	{ "ge", ">=", 2 },
	{ "gs", "::", 1 },
	{ "gt", ">", 2 },
	{ "ix", "[]", 2 },
	{ "lS", "<<=", 2 },
	{ "le", "<=", 2 },
	{ "ls", "<<", 2 },
	{ "lt", "<", 2 },
	{ "mI", "-=", 2 },
	{ "mL", "*=", 2 },
	{ "mi", "-", 2 },
	{ "ml", "*", 2 },
	{ "mm", "--", 1 },
	{ "na", "new[]", 3 },
	{ "ne", "!=", 2 },
	{ "ng", "-", 1 },
	{ "nt", "!", 1 },
	{ "nw", "new", 3 },
	{ "nx", "noexcept ", 1 },
	{ "oR", "|=", 2 },
	{ "oo", "||", 2 },
	{ "or", "|", 2 },
	{ "pL", "+=", 2 },
	{ "pl", "+", 2 },
	{ "pm", "->*", 2 },
	{ "pp", "++", 1 },
	{ "ps", "+", 1 },
	{ "pt", "->", 2 },
	{ "qu", "?", 3 },
	{ "rM", "%=", 2 },
	{ "rS", ">>=", 2 },
	{ "rc", "reinterpret_cast", 2 },
	{ "rm", "%", 2 },
	{ "rs", ">>", 2 },
	{ "sP", "sizeof...", 1 },
	{ "sZ", "sizeof...", 1 },
	{ "sc", "static_cast", 2 },
	{ "ss", "<=>", 2 },
	{ "st", "sizeof ", 1 },
	{ "sz", "sizeof ", 1 },
	{ "tr", "throw", 0 },
	{ "tw", "throw ", 1 },
};

const struct cxx_operator *cxx_take_operator(struct cxx_parser *p)
{
	for (u32 i = 0; i < ARRAY_SIZE(operators); i++)
		if (cxx_take(p, operators[i].code))
			return &operators[i];
	return NULL;
}

static struct cxx_node *parse_conversion(struct cxx_parser *p, struct cxx_name_state *state)
{
	bool before = p->may_be_unknown;
	struct cxx_node *to;

	p->may_be_unknown |= state && state->wanted;
	to = cxx_parse_type(p);
	p->may_be_unknown = before;
	if (state)
		state->is_special = true;
	return cxx_around(p, CXX_CONVERSION, to, NULL);
}

static struct cxx_node *parse_operator_name(struct cxx_parser *p, struct cxx_name_state *state)
{
	const struct cxx_operator *o;
	u32 digit;

	if (cxx_take(p, "cv"))
		return parse_conversion(p, state);
	if (cxx_take(p, "li"))
		return cxx_around(p, CXX_LITERAL_OPERATOR, cxx_parse_source_name(p), NULL);
	if (cxx_peek(p, 0) == 'v' &&
	    isdigit((u8)cxx_peek(p, 1))) { /* vendor operator with a number of operands */
		digit = 2;
		p->at += digit;
		return cxx_around(p, CXX_CONVERSION, cxx_parse_source_name(p), NULL);
	}
	o = cxx_take_operator(p);
	return o ? cxx_make_text(p, CXX_OPERATOR, o->text, strlen(o->text)) : NULL;
}

/* ---- <unqualified-name> */

bool cxx_take_parameters(struct cxx_parser *p, cxx_nodes *out)
{
	*out = (cxx_nodes){};
	if (cxx_take(p, "v"))
		return true;
	while (cxx_peek(p, 0) && !strchr("E._", cxx_peek(p, 0))) {
		struct cxx_node *n;

		if ((cxx_peek(p, 0) == 'R' || cxx_peek(p, 0) == 'O') && cxx_peek(p, 1) == 'E')
			break; /* a function qualifier */
		if (cxx_peek(p, 0) == 'Q')
			break;
		n = cxx_parse_type(p);
		if (!n)
			return false;
		vec_push(&p->arena, out, n);
	}
	return true;
}

static struct cxx_node *parse_closure(struct cxx_parser *p)
{
	struct cxx_node *n = cxx_make(p, CXX_LAMBDA);
	bool before = p->in_lambda;
	cxx_nodes list;
	bool ok;

	p->in_lambda = true;
	ok = cxx_take_parameters(p, &list);
	p->in_lambda = before;
	if (!ok || !cxx_take(p, "E") || !cxx_take_sequence(p, 10, &n->number))
		return NULL;
	n->number++;
	return cxx_with_list(n, &list);
}

static struct cxx_node *parse_unnamed(struct cxx_parser *p)
{
	struct cxx_node *n;

	if (cxx_take(p, "Ul"))
		return parse_closure(p);
	if (!cxx_take(p, "Ut"))
		return NULL;
	n = cxx_make(p, CXX_UNNAMED);
	if (!cxx_take_sequence(p, 10, &n->number))
		return NULL;
	n->number++;
	return n;
}

static struct cxx_node *parse_structor(struct cxx_parser *p, struct cxx_name_state *state)
{
	bool is_ctor = *p->at++ == 'C', inherits = is_ctor && cxx_take(p, "I");
	struct cxx_node *n;

	if (!isdigit((u8)cxx_peek(p, 0)))
		return NULL;
	p->at++;
	if (inherits && !cxx_parse_type(p))
		return NULL;
	if (state)
		state->is_special = true;
	if (!p->class_name)
		return NULL;
	n = cxx_make_text(p, CXX_NAME, p->class_name, p->class_len);
	return cxx_around(p, is_ctor ? CXX_CTOR : CXX_DTOR, n, NULL);
}

static struct cxx_node *parse_tags(struct cxx_parser *p, struct cxx_node *n)
{
	const char *name = p->class_name;
	u32 len = p->class_len;

	while (n && cxx_take(p, "B")) {
		struct cxx_node *tag = cxx_parse_source_name(p);

		if (!tag)
			return NULL;
		n = cxx_around(p, CXX_TAGGED, n, NULL);
		if (n) {
			n->text = tag->text;
			n->len = tag->len;
		}
	}
	p->class_name = name;
	p->class_len = len;
	return n;
}

struct cxx_node *cxx_parse_unqualified(struct cxx_parser *p, struct cxx_name_state *state,
				       struct cxx_node *scope)
{
	struct cxx_node *n;
	cxx_nodes list;
	char c;

	cxx_take(p, "L"); /* internal linkage */
	c = cxx_peek(p, 0);
	if (isdigit((u8)c))
		n = cxx_parse_source_name(p);
	else if (c == 'U')
		n = parse_unnamed(p);
	else if (cxx_take(p, "DC"))
		n = cxx_take_list(p, cxx_parse_source_name, "E", &list) ?
			    cxx_with_list(cxx_make(p, CXX_BINDING), &list) :
			    NULL;
	else if (c == 'C' || (c == 'D' && isdigit((u8)cxx_peek(p, 1))))
		n = scope ? parse_structor(p, state) : NULL;
	else
		n = parse_operator_name(p, state);
	n = parse_tags(p, n);
	return scope && n ? cxx_around(p, CXX_NESTED, scope, n) : n;
}

/* ---- <substitution>, <template-param> */

struct standard {
	char code;
	const char *text, *full, *name; /* full: expanded; name: for constructors */
};

static const struct standard standards[] = {
	{ 'a', "std::allocator", NULL, "allocator" },
	{ 'b', "std::basic_string", NULL, "basic_string" },
	{ 's', "std::string",
	  "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	  "basic_string" },
	{ 'i', "std::istream", "std::basic_istream<char, std::char_traits<char> >",
	  "basic_istream" },
	{ 'o', "std::ostream", "std::basic_ostream<char, std::char_traits<char> >",
	  "basic_ostream" },
	{ 'd', "std::iostream", "std::basic_iostream<char, std::char_traits<char> >",
	  "basic_iostream" },
};

/* After the S. in_name: a constructor may follow. */
static struct cxx_node *parse_standard(struct cxx_parser *p, bool in_name)
{
	const struct standard *s = standards;
	bool full;

	while (s < standards + ARRAY_SIZE(standards) && s->code != cxx_peek(p, 0))
		s++;
	if (s == standards + ARRAY_SIZE(standards))
		return NULL;
	p->at++;
	p->class_name = s->name;
	p->class_len = (u32)strlen(s->name);
	full = in_name && s->full && (cxx_peek(p, 0) == 'C' || cxx_peek(p, 0) == 'D');
	return parse_tags(p, cxx_make_name(p, full ? s->full : s->text));
}

struct cxx_node *cxx_parse_substitution(struct cxx_parser *p, bool in_name)
{
	struct cxx_node *n;
	u32 i;

	if (!cxx_take(p, "S"))
		return NULL;
	if (islower((u8)cxx_peek(p, 0))) {
		const char *before = p->at;

		n = parse_standard(p, in_name);
		if (n && n->kind == CXX_TAGGED)
			cxx_push_sub(p, n);
		return p->at == before ? NULL : n;
	}
	return cxx_take_sequence(p, 36, &i) && i < p->subs.n ? p->subs.v[i] : NULL;
}

struct cxx_node *cxx_parse_template_param(struct cxx_parser *p)
{
	struct cxx_node *n;
	u32 level = 0, i;

	if (!cxx_take(p, "T"))
		return NULL;
	if (cxx_take(p, "L") && !cxx_take_sequence(p, 10, &level))
		return NULL;
	if (!cxx_take_sequence(p, 10, &i))
		return NULL;
	if (p->in_lambda) {
		n = cxx_make(p, CXX_AUTO);
		n->number = i + 1;
		return n;
	}
	if (i >= p->params.n && !p->may_be_unknown)
		return NULL;
	n = cxx_make(p, CXX_PARAM);
	if (p->may_be_unknown) {
		n->number = i;
		vec_push(&p->arena, &p->unknown, n);
	} else {
		n->a = p->params.v[i];
	}
	return n;
}

/* ---- <nested-name>, <local-name>, <name> */

u8 cxx_take_quals(struct cxx_parser *p)
{
	u8 quals = 0;

	if (cxx_take(p, "r"))
		quals |= CXX_RESTRICT;
	if (cxx_take(p, "V"))
		quals |= CXX_VOLATILE;
	if (cxx_take(p, "K"))
		quals |= CXX_CONST;
	return quals;
}

u8 cxx_take_ref(struct cxx_parser *p)
{
	return cxx_take(p, "R") ? CXX_REF_LVALUE : cxx_take(p, "O") ? CXX_REF_RVALUE : CXX_REF_NONE;
}

struct cxx_node *cxx_template_of(struct cxx_parser *p, struct cxx_node *name, bool own)
{
	const char *class_name = p->class_name;
	u32 class_len = p->class_len;
	cxx_nodes list;

	if (!name || !cxx_parse_template_args(p, own, &list))
		return NULL;
	p->class_name = class_name;
	p->class_len = class_len;
	return cxx_with_list(cxx_around(p, CXX_TEMPLATE, name, NULL), &list);
}

/* One step of a prefix; *is_sub: it was a substitution, so not a new candidate. */
static struct cxx_node *parse_prefix(struct cxx_parser *p, struct cxx_name_state *state,
				     struct cxx_node *so_far, bool *is_sub)
{
	char c = cxx_peek(p, 0), next = cxx_peek(p, 1);

	*is_sub = false;
	if (state)
		state->is_template = false;
	if (c == 'T')
		return so_far ? NULL : cxx_parse_template_param(p);
	if (c == 'I') {
		if (state)
			state->is_template = true;
		return so_far && so_far->kind != CXX_TEMPLATE ?
			       cxx_template_of(p, so_far, state && state->wanted) :
			       NULL;
	}
	if (c == 'D' && (next == 't' || next == 'T'))
		return so_far ? NULL : cxx_parse_type(p);
	if (c != 'S')
		return cxx_parse_unqualified(p, state, so_far);
	*is_sub = true;
	if (so_far)
		return NULL;
	return cxx_take(p, "St") ? cxx_make_name(p, "std") : cxx_parse_substitution(p, true);
}

static struct cxx_node *parse_nested(struct cxx_parser *p, struct cxx_name_state *state)
{
	struct cxx_node *so_far = NULL;
	u8 quals = cxx_take_quals(p), ref = cxx_take_ref(p);

	if (state) {
		state->quals = quals;
		state->ref = ref;
	}
	for (bool is_sub = true, first = true; !cxx_take(p, "E"); first = false) {
		if (cxx_take(p, "M")) /* a closure in the initializer of this member */
			continue;
		if (!first && !is_sub)
			cxx_push_sub(p, so_far);
		so_far = parse_prefix(p, state, so_far, &is_sub);
		if (!so_far)
			return NULL;
	}
	return so_far;
}

static struct cxx_node *parse_local(struct cxx_parser *p, struct cxx_name_state *state)
{
	struct cxx_node *of = cxx_parse_encoding(p, false), *n;
	u32 number;

	if (!of || !cxx_take(p, "E"))
		return NULL;
	if (cxx_take(p, "s")) {
		n = cxx_make(p, CXX_STRING_LITERAL);
	} else if (cxx_take(p, "d")) {
		struct cxx_node *arg = cxx_make(p, CXX_DEFAULT_ARG);

		if (!cxx_take_sequence(p, 10, &arg->number))
			return NULL;
		arg->number++;
		n = cxx_pair(p, CXX_LOCAL, arg, cxx_parse_name(p, state));
		return cxx_pair(p, CXX_LOCAL, of, n);
	} else {
		n = cxx_parse_name(p, state);
	}
	if (cxx_take(p, "__")) {
		if (!cxx_take_decimal(p, &number) || !cxx_take(p, "_"))
			return NULL;
	} else if (cxx_peek(p, 0) == '_' && isdigit((u8)cxx_peek(p, 1))) {
		p->at += 2;
	}
	return cxx_pair(p, CXX_LOCAL, of, n);
}

static struct cxx_node *parse_unscoped(struct cxx_parser *p, struct cxx_name_state *state,
				       bool *is_sub)
{
	*is_sub = false;
	if (cxx_take(p, "St"))
		return cxx_parse_unqualified(p, state, cxx_make_name(p, "std"));
	if (cxx_peek(p, 0) != 'S')
		return cxx_parse_unqualified(p, state, NULL);
	*is_sub = true;
	return cxx_parse_substitution(p, false);
}

struct cxx_node *cxx_parse_name(struct cxx_parser *p, struct cxx_name_state *state)
{
	struct cxx_node *n = NULL;
	bool is_sub;

	if (!cxx_enter(p))
		return NULL;
	if (cxx_take(p, "N"))
		return cxx_leave(p, parse_nested(p, state));
	if (cxx_take(p, "Z"))
		return cxx_leave(p, parse_local(p, state));
	n = parse_unscoped(p, state, &is_sub);
	if (n && cxx_peek(p, 0) == 'I') {
		if (!is_sub)
			cxx_push_sub(p, n);
		n = cxx_template_of(p, n, state && state->wanted);
		if (state)
			state->is_template = true;
	} else if (is_sub) {
		n = NULL;
	}
	return cxx_leave(p, n);
}

/* ---- <template-args> */

struct cxx_node *cxx_parse_template_arg(struct cxx_parser *p)
{
	struct cxx_node *n;
	cxx_nodes list;

	if (cxx_take(p, "X")) {
		n = cxx_parse_expression(p);
		return cxx_take(p, "E") ? n : NULL;
	}
	if (cxx_peek(p, 0) == 'L')
		return cxx_parse_expression(p);
	if (cxx_take(p, "J") || cxx_take(p, "I"))
		return cxx_enter(p) ?
			       cxx_leave(p, cxx_take_list(p, cxx_parse_template_arg, "E", &list) ?
						    cxx_with_list(cxx_make(p, CXX_PACK), &list) :
						    NULL) :
			       NULL;
	return cxx_parse_type(p);
}

/* own: these are the arguments of the encoding's name, to which T_ refers from now on. */
bool cxx_parse_template_args(struct cxx_parser *p, bool own, cxx_nodes *out)
{
	bool in_lambda = p->in_lambda;

	*out = (cxx_nodes){};
	if (!cxx_take(p, "I"))
		return false;
	if (own)
		p->params.n = 0;
	p->in_lambda = false;
	while (!cxx_take(p, "E")) {
		struct cxx_node *n = cxx_parse_template_arg(p);

		if (!n || p->n_nodes > CXX_MAX_NODES)
			return false;
		vec_push(&p->arena, out, n);
		if (own)
			vec_push(&p->arena, &p->params, n);
	}
	p->in_lambda = in_lambda;
	return true;
}
