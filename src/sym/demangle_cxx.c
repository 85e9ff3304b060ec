/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol names of C++. In: "_ZN3foo3barEi"; out: "foo::bar(int)". After the Itanium C++ ABI, 5.1
 * ("External Names"), whose productions the functions are called by. A tree is made first
 * (demangle_cxx.h), because parts are referred to again (S_, T_) and declarators are written inside out.
 *
 * The text comes from files: nesting, nodes and output are bounded, and what does not parse is no name.
 */
#include <ctype.h>
#include <stdlib.h>
#include "base/glob.h"
#include "sym/demangle.h"
#include "sym/demangle_cxx.h"

enum { MAX_DEPTH = 256, MAX_NODES = 1 << 16, MAX_LENGTH = 64 << 10 };

typedef VEC(struct cxx_node *) nodes;

struct parser {
	struct arena arena;
	const char *at, *end;
	u32 depth, n_nodes;
	nodes subs;    /* S_, S0_ … */
	nodes params;  /* T_, T0_ …: the template arguments of the name at hand */
	nodes unknown; /* parameters that were named before their arguments came */
	bool may_be_unknown, in_lambda;
	const char *class_name; /* what a constructor is called */
	u32 class_len;
};

/* What an encoding's name says about the rest. */
struct name_state {
	bool wanted;	  /* arguments that follow are the encoding's own */
	bool is_template; /* the name ends in template arguments: a result type follows */
	bool is_special;  /* constructor, destructor, conversion: no result type in any case */
	u8 quals, ref;
};

static struct cxx_node *parse_type(struct parser *p);
static struct cxx_node *parse_expression(struct parser *p);
static struct cxx_node *parse_encoding(struct parser *p, bool with_result);
static struct cxx_node *parse_name(struct parser *p, struct name_state *state);
static struct cxx_node *parse_unqualified(struct parser *p, struct name_state *state,
					  struct cxx_node *scope);
static bool parse_template_args(struct parser *p, bool own, nodes *out);

/* ---- text */

static char peek(const struct parser *p, u32 n)
{
	return (size_t)(p->end - p->at) > n ? p->at[n] : '\0';
}

static bool take(struct parser *p, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(p->end - p->at) < n || memcmp(p->at, s, n))
		return false;
	p->at += n;
	return true;
}

static bool take_decimal(struct parser *p, u32 *out)
{
	u32 n = 0;

	if (!isdigit((u8)peek(p, 0)))
		return false;
	while (isdigit((u8)peek(p, 0))) {
		if (n > 100000000)
			return false;
		n = n * 10 + (u32)(*p->at++ - '0');
	}
	*out = n;
	return true;
}

/* "_" is 0, "0_" is 1 … in base 36 for substitutions, 10 elsewhere. */
static bool take_sequence(struct parser *p, u32 base, u32 *out)
{
	u32 n = 0;

	if (take(p, "_")) {
		*out = 0;
		return true;
	}
	while (isdigit((u8)peek(p, 0)) || (base == 36 && isupper((u8)peek(p, 0)))) {
		char c = *p->at++;

		if (n > 10000000)
			return false;
		n = n * base + (u32)(isdigit((u8)c) ? c - '0' : c - 'A' + 10);
	}
	*out = n + 1;
	return p->at[-1] != '_' && take(p, "_");
}

/* ---- nodes */

static bool enter(struct parser *p)
{
	return p->depth < MAX_DEPTH && ++p->depth;
}

static struct cxx_node *leave(struct parser *p, struct cxx_node *n)
{
	p->depth--;
	return n;
}

static struct cxx_node *node(struct parser *p, enum cxx_kind kind)
{
	struct cxx_node *n = arena_new(&p->arena, struct cxx_node);

	n->kind = kind;
	p->n_nodes++;
	return n;
}

static struct cxx_node *text_node(struct parser *p, enum cxx_kind kind, const char *text,
				  size_t len)
{
	struct cxx_node *n = node(p, kind);

	n->text = text;
	n->len = (u32)len;
	return n;
}

static struct cxx_node *name_node(struct parser *p, const char *text)
{
	return text_node(p, CXX_NAME, text, strlen(text));
}

static struct cxx_node *around(struct parser *p, enum cxx_kind kind, struct cxx_node *a,
			       struct cxx_node *b)
{
	struct cxx_node *n;

	if (!a || p->n_nodes > MAX_NODES)
		return NULL;
	n = node(p, kind);
	n->a = a;
	n->b = b;
	return n;
}

/* Of two, both needed. */
static struct cxx_node *pair(struct parser *p, enum cxx_kind kind, struct cxx_node *a,
			     struct cxx_node *b)
{
	return b ? around(p, kind, a, b) : NULL;
}

static struct cxx_node *with_list(struct cxx_node *n, const nodes *list)
{
	if (n) {
		n->list = list->v;
		n->n = list->n;
	}
	return n;
}

static struct cxx_node *push_sub(struct parser *p, struct cxx_node *n)
{
	if (n)
		vec_push(&p->arena, &p->subs, n);
	return n;
}

/* Elements until "E" (or what else ends them); false: one is damaged. */
static bool take_list(struct parser *p, struct cxx_node *(*f)(struct parser *p), const char *end,
		      nodes *out)
{
	*out = (nodes){};
	while (!take(p, end)) {
		struct cxx_node *n = f(p);

		if (!n || p->n_nodes > MAX_NODES)
			return false;
		vec_push(&p->arena, out, n);
	}
	return true;
}

/* ---- <source-name>, <operator-name> */

static struct cxx_node *parse_source_name(struct parser *p)
{
	const char *text;
	u32 len;

	if (!take_decimal(p, &len) || !len || (size_t)(p->end - p->at) < len)
		return NULL;
	text = p->at;
	p->at += len;
	if (len >= 10 && !memcmp(text, "_GLOBAL_", 8) &&
	    (text[8] == '_' || text[8] == '.' || text[8] == '$') && text[9] == 'N') {
		p->class_name = "(anonymous namespace)";
		p->class_len = (u32)strlen(p->class_name);
		return name_node(p, p->class_name);
	}
	p->class_name = text;
	p->class_len = len;
	return text_node(p, CXX_NAME, text, len);
}

struct operator
{
	const char *code, *text;
	u32 n_operands;
};

static const struct operator operators[] = {
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

static const struct operator* take_operator(struct parser *p)
{
	for (u32 i = 0; i < ARRAY_SIZE(operators); i++)
		if (take(p, operators[i].code))
			return &operators[i];
	return NULL;
}

static struct cxx_node *parse_conversion(struct parser *p, struct name_state *state)
{
	bool before = p->may_be_unknown;
	struct cxx_node *to;

	p->may_be_unknown |= state && state->wanted;
	to = parse_type(p);
	p->may_be_unknown = before;
	if (state)
		state->is_special = true;
	return around(p, CXX_CONVERSION, to, NULL);
}

static struct cxx_node *parse_operator_name(struct parser *p, struct name_state *state)
{
	const struct operator* o;
	u32 digit;

	if (take(p, "cv"))
		return parse_conversion(p, state);
	if (take(p, "li"))
		return around(p, CXX_LITERAL_OPERATOR, parse_source_name(p), NULL);
	if (peek(p, 0) == 'v' &&
	    isdigit((u8)peek(p, 1))) { /* a vendor's, with a number of operands */
		digit = 2;
		p->at += digit;
		return around(p, CXX_CONVERSION, parse_source_name(p), NULL);
	}
	o = take_operator(p);
	return o ? text_node(p, CXX_OPERATOR, o->text, strlen(o->text)) : NULL;
}

/* ---- <unqualified-name> */

static bool take_parameters(struct parser *p, nodes *out)
{
	*out = (nodes){};
	if (take(p, "v"))
		return true;
	while (peek(p, 0) && !strchr("E._", peek(p, 0))) {
		struct cxx_node *n;

		if ((peek(p, 0) == 'R' || peek(p, 0) == 'O') && peek(p, 1) == 'E')
			break; /* a function's own qualifier */
		if (peek(p, 0) == 'Q')
			break;
		n = parse_type(p);
		if (!n)
			return false;
		vec_push(&p->arena, out, n);
	}
	return true;
}

static struct cxx_node *parse_closure(struct parser *p)
{
	struct cxx_node *n = node(p, CXX_LAMBDA);
	bool before = p->in_lambda;
	nodes list;
	bool ok;

	p->in_lambda = true;
	ok = take_parameters(p, &list);
	p->in_lambda = before;
	if (!ok || !take(p, "E") || !take_sequence(p, 10, &n->number))
		return NULL;
	n->number++;
	return with_list(n, &list);
}

static struct cxx_node *parse_unnamed(struct parser *p)
{
	struct cxx_node *n;

	if (take(p, "Ul"))
		return parse_closure(p);
	if (!take(p, "Ut"))
		return NULL;
	n = node(p, CXX_UNNAMED);
	if (!take_sequence(p, 10, &n->number))
		return NULL;
	n->number++;
	return n;
}

static struct cxx_node *parse_structor(struct parser *p, struct name_state *state)
{
	bool is_ctor = *p->at++ == 'C', inherits = is_ctor && take(p, "I");
	struct cxx_node *n;

	if (!isdigit((u8)peek(p, 0)))
		return NULL;
	p->at++;
	if (inherits && !parse_type(p))
		return NULL;
	if (state)
		state->is_special = true;
	if (!p->class_name)
		return NULL;
	n = text_node(p, CXX_NAME, p->class_name, p->class_len);
	return around(p, is_ctor ? CXX_CTOR : CXX_DTOR, n, NULL);
}

static struct cxx_node *parse_tags(struct parser *p, struct cxx_node *n)
{
	const char *name = p->class_name;
	u32 len = p->class_len;

	while (n && take(p, "B")) {
		struct cxx_node *tag = parse_source_name(p);

		if (!tag)
			return NULL;
		n = around(p, CXX_TAGGED, n, NULL);
		if (n) {
			n->text = tag->text;
			n->len = tag->len;
		}
	}
	p->class_name = name;
	p->class_len = len;
	return n;
}

static struct cxx_node *parse_unqualified(struct parser *p, struct name_state *state,
					  struct cxx_node *scope)
{
	struct cxx_node *n;
	nodes list;
	char c;

	take(p, "L"); /* internal linkage */
	c = peek(p, 0);
	if (isdigit((u8)c))
		n = parse_source_name(p);
	else if (c == 'U')
		n = parse_unnamed(p);
	else if (take(p, "DC"))
		n = take_list(p, parse_source_name, "E", &list)
			    ? with_list(node(p, CXX_BINDING), &list)
			    : NULL;
	else if (c == 'C' || (c == 'D' && isdigit((u8)peek(p, 1))))
		n = scope ? parse_structor(p, state) : NULL;
	else
		n = parse_operator_name(p, state);
	n = parse_tags(p, n);
	return scope && n ? around(p, CXX_NESTED, scope, n) : n;
}

/* ---- <substitution>, <template-param> */

struct standard {
	char code;
	const char *text, *full, *name; /* full, and what its constructors are called */
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

/* Behind the S. in_name: it may be followed by a constructor. */
static struct cxx_node *parse_standard(struct parser *p, bool in_name)
{
	const struct standard *s = standards;
	bool full;

	while (s < standards + ARRAY_SIZE(standards) && s->code != peek(p, 0))
		s++;
	if (s == standards + ARRAY_SIZE(standards))
		return NULL;
	p->at++;
	p->class_name = s->name;
	p->class_len = (u32)strlen(s->name);
	full = in_name && s->full && (peek(p, 0) == 'C' || peek(p, 0) == 'D');
	return parse_tags(p, name_node(p, full ? s->full : s->text));
}

static struct cxx_node *parse_substitution(struct parser *p, bool in_name)
{
	struct cxx_node *n;
	u32 i;

	if (!take(p, "S"))
		return NULL;
	if (islower((u8)peek(p, 0))) {
		const char *before = p->at;

		n = parse_standard(p, in_name);
		if (n && n->kind == CXX_TAGGED)
			push_sub(p, n);
		return p->at == before ? NULL : n;
	}
	return take_sequence(p, 36, &i) && i < p->subs.n ? p->subs.v[i] : NULL;
}

static struct cxx_node *parse_template_param(struct parser *p)
{
	struct cxx_node *n;
	u32 level = 0, i;

	if (!take(p, "T"))
		return NULL;
	if (take(p, "L") && !take_sequence(p, 10, &level))
		return NULL;
	if (!take_sequence(p, 10, &i))
		return NULL;
	if (p->in_lambda) {
		n = node(p, CXX_AUTO);
		n->number = i + 1;
		return n;
	}
	if (i >= p->params.n && !p->may_be_unknown)
		return NULL;
	n = node(p, CXX_PARAM);
	if (p->may_be_unknown) {
		n->number = i;
		vec_push(&p->arena, &p->unknown, n);
	} else {
		n->a = p->params.v[i];
	}
	return n;
}

/* ---- <nested-name>, <local-name>, <name> */

static u8 take_quals(struct parser *p)
{
	u8 quals = 0;

	if (take(p, "r"))
		quals |= CXX_RESTRICT;
	if (take(p, "V"))
		quals |= CXX_VOLATILE;
	if (take(p, "K"))
		quals |= CXX_CONST;
	return quals;
}

static u8 take_ref(struct parser *p)
{
	return take(p, "R") ? CXX_REF_LVALUE : take(p, "O") ? CXX_REF_RVALUE : CXX_REF_NONE;
}

static struct cxx_node *template_of(struct parser *p, struct cxx_node *name, bool own)
{
	const char *class_name = p->class_name;
	u32 class_len = p->class_len;
	nodes list;

	if (!name || !parse_template_args(p, own, &list))
		return NULL;
	p->class_name = class_name;
	p->class_len = class_len;
	return with_list(around(p, CXX_TEMPLATE, name, NULL), &list);
}

/* One step of a prefix; *is_sub: it was substituted, and is no new candidate. */
static struct cxx_node *parse_prefix(struct parser *p, struct name_state *state,
				     struct cxx_node *so_far, bool *is_sub)
{
	char c = peek(p, 0), next = peek(p, 1);

	*is_sub = false;
	if (state)
		state->is_template = false;
	if (c == 'T')
		return so_far ? NULL : parse_template_param(p);
	if (c == 'I') {
		if (state)
			state->is_template = true;
		return so_far && so_far->kind != CXX_TEMPLATE
			       ? template_of(p, so_far, state && state->wanted)
			       : NULL;
	}
	if (c == 'D' && (next == 't' || next == 'T'))
		return so_far ? NULL : parse_type(p);
	if (c != 'S')
		return parse_unqualified(p, state, so_far);
	*is_sub = true;
	if (so_far)
		return NULL;
	return take(p, "St") ? name_node(p, "std") : parse_substitution(p, true);
}

static struct cxx_node *parse_nested(struct parser *p, struct name_state *state)
{
	struct cxx_node *so_far = NULL;
	u8 quals = take_quals(p), ref = take_ref(p);

	if (state) {
		state->quals = quals;
		state->ref = ref;
	}
	for (bool is_sub = true, first = true; !take(p, "E"); first = false) {
		if (take(p, "M")) /* a closure in the initializer of this member */
			continue;
		if (!first && !is_sub)
			push_sub(p, so_far);
		so_far = parse_prefix(p, state, so_far, &is_sub);
		if (!so_far)
			return NULL;
	}
	return so_far;
}

static struct cxx_node *parse_local(struct parser *p, struct name_state *state)
{
	struct cxx_node *of = parse_encoding(p, false), *n;
	u32 number;

	if (!of || !take(p, "E"))
		return NULL;
	if (take(p, "s")) {
		n = node(p, CXX_STRING_LITERAL);
	} else if (take(p, "d")) {
		struct cxx_node *arg = node(p, CXX_DEFAULT_ARG);

		if (!take_sequence(p, 10, &arg->number))
			return NULL;
		arg->number++;
		n = pair(p, CXX_LOCAL, arg, parse_name(p, state));
		return pair(p, CXX_LOCAL, of, n);
	} else {
		n = parse_name(p, state);
	}
	if (take(p, "__")) {
		if (!take_decimal(p, &number) || !take(p, "_"))
			return NULL;
	} else if (peek(p, 0) == '_' && isdigit((u8)peek(p, 1))) {
		p->at += 2;
	}
	return pair(p, CXX_LOCAL, of, n);
}

static struct cxx_node *parse_unscoped(struct parser *p, struct name_state *state, bool *is_sub)
{
	*is_sub = false;
	if (take(p, "St"))
		return parse_unqualified(p, state, name_node(p, "std"));
	if (peek(p, 0) != 'S')
		return parse_unqualified(p, state, NULL);
	*is_sub = true;
	return parse_substitution(p, false);
}

static struct cxx_node *parse_name(struct parser *p, struct name_state *state)
{
	struct cxx_node *n = NULL;
	bool is_sub;

	if (!enter(p))
		return NULL;
	if (take(p, "N"))
		return leave(p, parse_nested(p, state));
	if (take(p, "Z"))
		return leave(p, parse_local(p, state));
	n = parse_unscoped(p, state, &is_sub);
	if (n && peek(p, 0) == 'I') {
		if (!is_sub)
			push_sub(p, n);
		n = template_of(p, n, state && state->wanted);
		if (state)
			state->is_template = true;
	} else if (is_sub) {
		n = NULL;
	}
	return leave(p, n);
}

/* ---- <template-args> */

static struct cxx_node *parse_template_arg(struct parser *p)
{
	struct cxx_node *n;
	nodes list;

	if (take(p, "X")) {
		n = parse_expression(p);
		return take(p, "E") ? n : NULL;
	}
	if (peek(p, 0) == 'L')
		return parse_expression(p);
	if (take(p, "J") || take(p, "I"))
		return enter(p) ? leave(p, take_list(p, parse_template_arg, "E", &list)
						   ? with_list(node(p, CXX_PACK), &list)
						   : NULL)
				: NULL;
	return parse_type(p);
}

/* own: they are those of the encoding's name, which T_ means from now on. */
static bool parse_template_args(struct parser *p, bool own, nodes *out)
{
	bool in_lambda = p->in_lambda;

	*out = (nodes){};
	if (!take(p, "I"))
		return false;
	if (own)
		p->params.n = 0;
	p->in_lambda = false;
	while (!take(p, "E")) {
		struct cxx_node *n = parse_template_arg(p);

		if (!n || p->n_nodes > MAX_NODES)
			return false;
		vec_push(&p->arena, out, n);
		if (own)
			vec_push(&p->arena, &p->params, n);
	}
	p->in_lambda = in_lambda;
	return true;
}

/* ---- <type> */

/* suffix: what is written behind literals; "?" of truth values, "[" around bytes. */
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

static struct cxx_node *parse_builtin(struct parser *p)
{
	for (u32 i = 0; i < ARRAY_SIZE(builtins); i++)
		if (take(p, builtins[i].code)) {
			struct cxx_node *n = text_node(p, CXX_BUILTIN, builtins[i].text,
						       strlen(builtins[i].text));

			n->suffix = builtins[i].suffix;
			return n;
		}
	return NULL;
}

/* DF16_, DF16b, DF32x */
static struct cxx_node *parse_float(struct parser *p)
{
	struct cxx_node *n;
	const char *text;
	u32 bits;

	if (!take_decimal(p, &bits))
		return NULL;
	text = take(p, "b") ? "std::bfloat16_t"
			    : arena_printf(&p->arena, "_Float%u%s", bits, take(p, "x") ? "x" : "");
	if (text[0] == '_' && text[strlen(text) - 1] != 'x' && !take(p, "_"))
		return NULL;
	n = text_node(p, CXX_BUILTIN, text, strlen(text));
	n->suffix = "[";
	return n;
}

static struct cxx_node *parse_exception_spec(struct parser *p)
{
	struct cxx_node *n;
	nodes list;

	if (take(p, "Do"))
		return name_node(p, " noexcept");
	if (take(p, "DO")) {
		n = around(p, CXX_CALL, name_node(p, " noexcept"), NULL);
		return take_list(p, parse_expression, "E", &list) ? with_list(n, &list) : NULL;
	}
	if (take(p, "Dw")) {
		n = around(p, CXX_CALL, name_node(p, " throw"), NULL);
		return take_list(p, parse_type, "E", &list) ? with_list(n, &list) : NULL;
	}
	return NULL;
}

static struct cxx_node *parse_function(struct parser *p, u8 quals)
{
	struct cxx_node *spec = NULL, *n;
	bool has_spec = peek(p, 0) == 'D';
	nodes list;

	if (has_spec && !take(p, "Dx")) {
		spec = parse_exception_spec(p);
		if (!spec)
			return NULL;
	}
	take(p, "Dx");
	if (!take(p, "F"))
		return NULL;
	take(p, "Y");
	n = around(p, CXX_FUNCTION, parse_type(p), spec);
	if (!n || !take_parameters(p, &list))
		return NULL;
	n->quals = quals;
	n->ref = take_ref(p);
	return take(p, "E") ? with_list(n, &list) : NULL;
}

static struct cxx_node *parse_array(struct parser *p)
{
	struct cxx_node *n = node(p, CXX_ARRAY);
	const char *text = p->at;
	u32 ignored;

	if (take_decimal(p, &ignored)) {
		n->text = text;
		n->len = (u32)(p->at - text);
	} else if (peek(p, 0) != '_') {
		n->b = parse_expression(p);
		if (!n->b)
			return NULL;
	}
	if (!take(p, "_"))
		return NULL;
	n->a = parse_type(p);
	return n->a ? n : NULL;
}

static struct cxx_node *parse_vector(struct parser *p)
{
	struct cxx_node *n = parse_array(p);

	if (n)
		n->kind = CXX_VECTOR;
	return n;
}

static struct cxx_node *parse_decltype(struct parser *p)
{
	struct cxx_node *n = around(p, CXX_DECLTYPE, parse_expression(p), NULL);

	return take(p, "E") ? n : NULL;
}

static struct cxx_node *parse_vendor(struct parser *p)
{
	struct cxx_node *name = parse_source_name(p), *n;
	nodes list = {};

	if (!name || (peek(p, 0) == 'I' && !parse_template_args(p, false, &list)))
		return NULL;
	n = around(p, CXX_VENDOR, parse_type(p), NULL);
	if (!n)
		return NULL;
	n->text = name->text;
	n->len = name->len;
	return with_list(n, &list);
}

/* Is what follows, behind qualifiers, a function? */
static bool is_function_ahead(const struct parser *p)
{
	u32 i = 0;

	while (peek(p, i) && strchr("rVK", peek(p, i)))
		i++;
	return peek(p, i) == 'F' ||
	       (peek(p, i) == 'D' && peek(p, i + 1) && strchr("oOwx", peek(p, i + 1)));
}

static struct cxx_node *parse_qualified(struct parser *p)
{
	u8 quals;
	struct cxx_node *n;

	if (is_function_ahead(p)) {
		quals = take_quals(p);
		return parse_function(p, quals);
	}
	quals = take_quals(p);
	n = around(p, CXX_QUALIFIED, parse_type(p), NULL);
	if (n)
		n->quals = quals;
	return n;
}

static struct cxx_node *parse_reference(struct parser *p, bool rvalue)
{
	struct cxx_node *n = around(p, CXX_REFERENCE, parse_type(p), NULL);

	if (n)
		n->rvalue = rvalue;
	return n;
}

static struct cxx_node *parse_member_pointer(struct parser *p)
{
	struct cxx_node *class = parse_type(p);

	return class ? pair(p, CXX_MEMBER_POINTER, class, parse_type(p)) : NULL;
}

static struct cxx_node *suffixed(struct parser *p, const char *suffix)
{
	struct cxx_node *n = around(p, CXX_SUFFIXED, parse_type(p), NULL);

	if (n) {
		n->text = suffix;
		n->len = (u32)strlen(suffix);
	}
	return n;
}

/* T_, T_<…> of template template parameters; "Ts", "Tu", "Te" are elaborated names. */
static struct cxx_node *parse_parameter_type(struct parser *p)
{
	struct cxx_node *n;

	if (take(p, "Ts") || take(p, "Tu") || take(p, "Te"))
		return parse_name(p, NULL);
	n = parse_template_param(p);
	if (!n || peek(p, 0) != 'I')
		return n;
	push_sub(p, n);
	if (!p->may_be_unknown)
		return template_of(p, n, false);
	/* A conversion's own template arguments or the type's: the type's, if more follow. */
	return n;
}

/* *again: it was substituted. */
static struct cxx_node *parse_substituted_type(struct parser *p, bool *again)
{
	struct cxx_node *n;

	if (peek(p, 1) == 't')
		return parse_name(p, NULL);
	n = parse_substitution(p, false);
	if (n && peek(p, 0) == 'I')
		return template_of(p, n, false);
	*again = true;
	return n;
}

static struct cxx_node *parse_d_type(struct parser *p, bool *again)
{
	switch (peek(p, 1)) {
	case 'p': p->at += 2; return around(p, CXX_EXPANSION, parse_type(p), NULL);
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

/* Of what is a type but no candidate for substitution, *again. */
static struct cxx_node *parse_new_type(struct parser *p, bool *again)
{
	char c = peek(p, 0);

	switch (c) {
	case 'r':
	case 'V':
	case 'K': return parse_qualified(p);
	case 'D': return parse_d_type(p, again);
	case 'F': return parse_function(p, 0);
	case 'T': return parse_parameter_type(p);
	case 'S': return parse_substituted_type(p, again);
	}
	if (c == 'U' && !isdigit((u8)peek(p, 1)))
		return parse_name(p, NULL);
	if (take(p, "U"))
		return parse_vendor(p);
	if (take(p, "u"))
		return parse_source_name(p);
	if (take(p, "A"))
		return parse_array(p);
	if (take(p, "M"))
		return parse_member_pointer(p);
	if (take(p, "P"))
		return around(p, CXX_POINTER, parse_type(p), NULL);
	if (take(p, "R"))
		return parse_reference(p, false);
	if (take(p, "O"))
		return parse_reference(p, true);
	if (take(p, "C"))
		return suffixed(p, " _Complex");
	if (take(p, "G"))
		return suffixed(p, " _Imaginary");
	if (!islower((u8)c))
		return parse_name(p, NULL);
	*again = true;
	return parse_builtin(p);
}

static struct cxx_node *parse_type(struct parser *p)
{
	bool again = false;
	struct cxx_node *n;

	if (!enter(p))
		return NULL;
	n = parse_new_type(p, &again);
	if (n && !again)
		push_sub(p, n);
	return leave(p, n);
}

/* ---- <expression> */

static struct cxx_node *parse_literal(struct parser *p)
{
	struct cxx_node *n;

	if (take(p, "_Z") || take(p, "Z")) {
		n = parse_encoding(p, true);
		return take(p, "E") ? n : NULL;
	}
	n = around(p, CXX_LITERAL, parse_type(p), NULL);
	if (!n)
		return NULL;
	n->negative = take(p, "n");
	n->text = p->at;
	while (peek(p, 0) && peek(p, 0) != 'E')
		p->at++;
	n->len = (u32)(p->at - n->text);
	if (!n->len && n->a->kind == CXX_BUILTIN && n->a->text[0] == 'd') { /* LDnE */
		n->text = "0";
		n->len = 1;
	}
	return take(p, "E") ? n : NULL;
}

static struct cxx_node *parse_function_param(struct parser *p)
{
	struct cxx_node *n = node(p, CXX_FUNCTION_PARAM);
	u32 level;

	if (take(p, "fpT"))
		return n;
	if (take(p, "fL")) {
		if (!take_decimal(p, &level) || !take(p, "p"))
			return NULL;
	} else if (!take(p, "fp")) {
		return NULL;
	}
	take_quals(p);
	if (!take_sequence(p, 10, &n->number))
		return NULL;
	n->number++;
	return n;
}

/* A name and, perhaps, its template arguments. */
static struct cxx_node *parse_simple_name(struct parser *p, struct cxx_node *scope)
{
	struct cxx_node *n = parse_unqualified(p, NULL, NULL);

	if (n && peek(p, 0) == 'I')
		n = template_of(p, n, false);
	return n && scope ? pair(p, CXX_NESTED, scope, n) : n;
}

/* sr <type> <name>, srN <type> <name>… E <name>, sr <name>… E <name> */
static struct cxx_node *parse_scoped(struct parser *p)
{
	bool many = take(p, "N"), bare = isdigit((u8)peek(p, 0));
	struct cxx_node *scope = bare ? parse_simple_name(p, NULL) : parse_type(p);

	while (scope && (many || bare) && !take(p, "E")) {
		if (bare && !many && !isdigit((u8)peek(p, 0)) && peek(p, 0) != 'E')
			break;
		scope = parse_simple_name(p, scope);
	}
	take(p, "on");
	return take(p, "dn") ? pair(p, CXX_NESTED, scope,
				    around(p, CXX_DTOR, parse_simple_name(p, NULL), NULL))
	       : scope	     ? parse_simple_name(p, scope)
			     : NULL;
}

static struct cxx_node *parse_braces(struct parser *p, bool typed)
{
	struct cxx_node *n = node(p, CXX_BRACES);
	nodes list;

	n->a = typed ? parse_type(p) : NULL;
	if ((typed && !n->a) || !take_list(p, parse_expression, "E", &list))
		return NULL;
	return with_list(n, &list);
}

static struct cxx_node *parse_cast(struct parser *p)
{
	struct cxx_node *n = around(p, CXX_CAST, parse_type(p), NULL);
	nodes list;

	if (!n)
		return NULL;
	if (take(p, "_"))
		return take_list(p, parse_expression, "E", &list) ? with_list(n, &list) : NULL;
	n->b = parse_expression(p);
	return n->b ? n : NULL;
}

static struct cxx_node *with_operator(struct cxx_node *n, const struct operator* o)
{
	if (n) {
		n->text = o->text;
		n->len = (u32)strlen(o->text);
	}
	return n;
}

static struct cxx_node *parse_new_expression(struct parser *p, const struct operator* o)
{
	struct cxx_node *n = node(p, CXX_NEW), *init;
	nodes list;

	(void)o;
	if (!take_list(p, parse_expression, "_", &list))
		return NULL;
	with_list(n, &list);
	n->a = parse_type(p);
	if (!n->a || take(p, "E"))
		return n->a ? n : NULL;
	if (peek(p, 0) == 'i') {
		n->b = parse_expression(p);
		return n->b ? n : NULL;
	}
	init = node(p, CXX_LIST);
	if (!take(p, "pi") || !take_list(p, parse_expression, "E", &list))
		return NULL;
	n->b = with_list(init, &list);
	return n;
}

static struct cxx_node *parse_fold(struct parser *p, const struct operator* o)
{
	const struct operator* by = take_operator(p);
	struct cxx_node *n = by ? with_operator(around(p, CXX_FOLD, parse_expression(p), NULL), by)
				: NULL;

	if (!n)
		return NULL;
	n->number = (u8)o->code[1];
	if (o->n_operands == 3) {
		n->b = parse_expression(p);
		if (!n->b)
			return NULL;
	}
	return n;
}

static struct cxx_node *parse_unary(struct parser *p, const struct operator* o)
{
	bool of_type = streq(o->code, "st") || streq(o->code, "at");
	bool steps = streq(o->code, "pp") || streq(o->code, "mm"), prefix = steps && take(p, "_");
	struct cxx_node *n;
	nodes list;

	if (streq(o->code, "sP"))
		return take_list(p, parse_template_arg, "E", &list)
			       ? around(p, CXX_COUNT, with_list(node(p, CXX_PACK), &list), NULL)
			       : NULL;
	if (streq(o->code, "sZ"))
		return around(p, CXX_COUNT, parse_expression(p), NULL);
	n = with_operator(around(p, CXX_UNARY, of_type ? parse_type(p) : parse_expression(p), NULL),
			  o);
	if (!n)
		return NULL;
	n->is_suffix = steps && !prefix;
	n->b = of_type || streq(o->code, "nx") ? n->a : NULL; /* always in parentheses */
	return n;
}

static struct cxx_node *parse_member(struct parser *p, struct cxx_node *of,
				     const struct operator* o)
{
	bool scoped = (peek(p, 0) == 'g' && peek(p, 1) == 's') ||
		      (peek(p, 0) == 's' && peek(p, 1) == 'r');
	struct cxx_node *member;

	if (!scoped)
		take(p, "on");
	if (take(p, "dn"))
		member = around(p, CXX_DTOR, parse_simple_name(p, NULL), NULL);
	else
		member = scoped || peek(p, 0) == 'T' ? parse_expression(p)
						     : parse_simple_name(p, NULL);
	return with_operator(pair(p, CXX_BINARY, of, member), o);
}

static struct cxx_node *parse_binary(struct parser *p, const struct operator* o)
{
	bool is_cast = strlen(o->text) > 4; /* static_cast and its like */
	struct cxx_node *a, *n;
	nodes list;

	if (o->code[0] == 'f')
		return parse_fold(p, o);
	a = is_cast ? parse_type(p) : parse_expression(p);
	if (!a)
		return NULL;
	if (is_cast)
		return with_operator(pair(p, CXX_NAMED_CAST, a, parse_expression(p)), o);
	if (streq(o->code, "cl")) {
		n = around(p, CXX_CALL, a, NULL);
		return take_list(p, parse_expression, "E", &list) ? with_list(n, &list) : NULL;
	}
	if (streq(o->code, "ix"))
		return pair(p, CXX_INDEX, a, parse_expression(p));
	if (streq(o->code, "dt") || streq(o->code, "pt"))
		return parse_member(p, a, o);
	return with_operator(pair(p, CXX_BINARY, a, parse_expression(p)), o);
}

static struct cxx_node *parse_operation(struct parser *p)
{
	const struct operator* o = take_operator(p);
	struct cxx_node *n, *b;

	if (!o)
		return NULL;
	if (!o->n_operands)
		return name_node(p, o->text);
	if (o->n_operands == 1)
		return parse_unary(p, o);
	if (o->n_operands == 2)
		return parse_binary(p, o);
	if (o->code[0] == 'n')
		return parse_new_expression(p, o);
	if (o->code[0] == 'f')
		return parse_fold(p, o);
	n = parse_expression(p);
	b = n ? parse_expression(p) : NULL;
	n = pair(p, CXX_CONDITIONAL, n, b);
	if (!n)
		return NULL;
	n->c = parse_expression(p);
	return n->c ? n : NULL;
}

static struct cxx_node *parse_vendor_expression(struct parser *p)
{
	struct cxx_node *n = around(p, CXX_CALL, parse_source_name(p), NULL);
	nodes list;

	return take_list(p, parse_template_arg, "E", &list) ? with_list(n, &list) : NULL;
}

static struct cxx_node *parse_any_expression(struct parser *p)
{
	char c = peek(p, 0), next = peek(p, 1);

	if (take(p, "L"))
		return parse_literal(p);
	if (c == 'T')
		return parse_template_param(p);
	if (c == 'f' && (next == 'p' || (next == 'L' && isdigit((u8)peek(p, 2)))))
		return parse_function_param(p);
	if (take(p, "sr"))
		return parse_scoped(p);
	if (take(p, "sp"))
		return around(p, CXX_EXPANSION, parse_expression(p), NULL);
	if (take(p, "tl"))
		return parse_braces(p, true);
	if (take(p, "il"))
		return parse_braces(p, false);
	if (take(p, "cv"))
		return parse_cast(p);
	if (isdigit((u8)c) || take(p, "on"))
		return parse_simple_name(p, NULL);
	if (take(p, "u"))
		return parse_vendor_expression(p);
	return parse_operation(p);
}

static struct cxx_node *parse_expression(struct parser *p)
{
	return enter(p) ? leave(p, parse_any_expression(p)) : NULL;
}

/* ---- <special-name>, <encoding> */

static struct cxx_node *special(struct parser *p, const char *text, struct cxx_node *of)
{
	struct cxx_node *n = around(p, CXX_SPECIAL, of, NULL);

	if (n) {
		n->text = text;
		n->len = (u32)strlen(text);
	}
	return n;
}

/* h <offset> _, v <offset> _ <offset> _ */
static bool take_call_offset(struct parser *p)
{
	u32 n = take(p, "h") ? 1 : take(p, "v") ? 2 : 0, ignored;

	for (u32 i = 0; i < n; i++) {
		take(p, "n");
		if (!take_decimal(p, &ignored) || !take(p, "_"))
			return false;
	}
	return n;
}

static struct cxx_node *parse_construction(struct parser *p)
{
	struct cxx_node *in = parse_type(p);
	u32 ignored;

	if (!in || !take_decimal(p, &ignored) || !take(p, "_"))
		return NULL;
	return pair(p, CXX_CONSTRUCTION, parse_type(p), in);
}

/* GR <name> [<sequence>] _ */
static struct cxx_node *parse_temporary(struct parser *p)
{
	struct cxx_node *of = parse_name(p, NULL);
	u32 number = 0;

	if (of && (peek(p, 0) == '_' || isalnum((u8)peek(p, 0))) && !take_sequence(p, 36, &number))
		return NULL;
	return special(p, arena_printf(&p->arena, "reference temporary #%u for ", number), of);
}

/* T <call-offset> <encoding>: T is behind us. */
static struct cxx_node *parse_thunk(struct parser *p)
{
	const char *text = peek(p, 0) == 'h' ? "non-virtual thunk to " : "virtual thunk to ";

	return take_call_offset(p) ? special(p, text, parse_encoding(p, true)) : NULL;
}

/* Tc <call-offset> <call-offset> <encoding>: of the object, then of the result. */
static struct cxx_node *parse_covariant(struct parser *p)
{
	if (!take_call_offset(p))
		return NULL;
	if (!take_call_offset(p))
		return NULL;
	return special(p, "covariant return thunk to ", parse_encoding(p, true));
}

static struct cxx_node *parse_special(struct parser *p)
{
	static const struct {
		const char *code, *text;
		char of;
	} rows[] = {
		{ "TV", "vtable for ", 't' },
		{ "TT", "VTT for ", 't' },
		{ "TI", "typeinfo for ", 't' },
		{ "TS", "typeinfo name for ", 't' },
		{ "TF", "typeinfo fn for ", 't' },
		{ "TH", "TLS init function for ", 'n' },
		{ "TW", "TLS wrapper function for ", 'n' },
		{ "TA", "template parameter object for ", 'a' },
		{ "GV", "guard variable for ", 'n' },
		{ "GTt", "transaction clone for ", 'e' },
		{ "GTn", "non-transaction clone for ", 'e' },
		{ "GA", "hidden alias for ", 'e' },
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (take(p, rows[i].code))
			return special(p, rows[i].text,
				       rows[i].of == 't'   ? parse_type(p)
				       : rows[i].of == 'n' ? parse_name(p, NULL)
				       : rows[i].of == 'a' ? parse_template_arg(p)
							   : parse_encoding(p, true));
	if (take(p, "TC"))
		return parse_construction(p);
	if (take(p, "GR"))
		return parse_temporary(p);
	if (take(p, "Tc"))
		return parse_covariant(p);
	return take(p, "T") ? parse_thunk(p) : NULL;
}

/* Parameters that the name used before its template arguments came. */
static bool settle_unknown(struct parser *p, u32 first)
{
	for (u32 i = first; i < p->unknown.n; i++) {
		struct cxx_node *n = p->unknown.v[i];

		if (n->number >= p->params.n)
			return false;
		n->a = p->params.v[n->number];
	}
	p->unknown.n = first;
	return true;
}

/* with_result: the type of its result, which is in the names of template functions only, is shown. */
static struct cxx_node *parse_function_of(struct parser *p, bool with_result)
{
	struct name_state state = { .wanted = true };
	u32 unknown = p->unknown.n;
	struct cxx_node *name = parse_name(p, &state), *result = NULL, *n;
	nodes list;

	if (!name || !settle_unknown(p, unknown))
		return NULL;
	if (!peek(p, 0) || strchr("E.", peek(p, 0)))
		return name;
	if (state.is_template && !state.is_special) {
		result = parse_type(p);
		if (!result)
			return NULL;
	}
	n = around(p, CXX_ENCODING, name, with_result ? result : NULL);
	if (!n || !take_parameters(p, &list))
		return NULL;
	n->quals = state.quals;
	n->ref = state.ref;
	return with_list(n, &list);
}

static struct cxx_node *parse_encoding(struct parser *p, bool with_result)
{
	nodes params = p->params;
	bool in_lambda = p->in_lambda, may_be_unknown = p->may_be_unknown;
	struct cxx_node *n;

	if (!enter(p))
		return NULL;
	p->params = (nodes){};
	p->in_lambda = p->may_be_unknown = false;
	n = peek(p, 0) == 'G' || peek(p, 0) == 'T' ? parse_special(p)
						   : parse_function_of(p, with_result);
	p->params = params;
	p->in_lambda = in_lambda;
	p->may_be_unknown = may_be_unknown;
	return leave(p, n);
}

/* ".isra.0", ".cold", ".constprop.0.part.1" */
static struct cxx_node *parse_clones(struct parser *p, struct cxx_node *n)
{
	while (n && peek(p, 0) == '.' &&
	       (islower((u8)peek(p, 1)) || isdigit((u8)peek(p, 1)) || peek(p, 1) == '_')) {
		const char *text = p->at;

		p->at += 2;
		while (islower((u8)peek(p, 0)) || isdigit((u8)peek(p, 0)) || peek(p, 0) == '_')
			p->at++;
		while (peek(p, 0) == '.' && isdigit((u8)peek(p, 1))) {
			p->at += 2;
			while (isdigit((u8)peek(p, 0)))
				p->at++;
		}
		n = around(p, CXX_CLONE, n, NULL);
		if (n) {
			n->text = text;
			n->len = (u32)(p->at - text);
		}
	}
	return n;
}

/* NULL: no name. release_name() in any case. */
static struct cxx_node *read_name(struct parser *p, const char *name)
{
	struct cxx_node *n;

	*p = (struct parser){ .at = name + 2, .end = name + strlen(name) };
	arena_init(&p->arena);
	if (!starts_with(name, "_Z") || p->end - name > MAX_LENGTH)
		return NULL;
	n = parse_clones(p, parse_encoding(p, true));
	return p->at == p->end ? n : NULL;
}

char *demangle_cxx(const char *name)
{
	struct buf out = {};
	struct parser p;
	struct cxx_node *n = read_name(&p, name);
	bool ok = n && cxx_print(&out, n);

	arena_release(&p.arena);
	if (ok)
		return buf_steal(&out);
	buf_release(&out);
	return NULL;
}

/* ---- names as people say them */

/* Without what it is instantiated for, and without the tags of its ABI. */
static struct cxx_node *plain(struct parser *p, struct cxx_node *n)
{
	for (u32 i = 0; n && i < MAX_DEPTH; i++)
		switch ((u32)n->kind) {
		case CXX_TEMPLATE:
		case CXX_TAGGED: n = n->a; break;
		case CXX_NESTED:
		case CXX_LOCAL:
			return n->b->kind == CXX_TAGGED ? pair(p, n->kind, n->a, n->b->a) : n;
		default: return n;
		}
	return n;
}

static bool is_called(struct cxx_node *n, const char *pattern)
{
	struct buf out = {};
	bool yes = n && cxx_print(&out, n) && glob_match(pattern, out.s);

	buf_release(&out);
	return yes;
}

/* What was split off a function is not its beginning. */
static bool is_part(const struct cxx_node *clone)
{
	static const char *const parts[] = { ".cold", ".part" };

	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		if (clone->len >= strlen(parts[i]) &&
		    !memcmp(clone->text, parts[i], strlen(parts[i])))
			return true;
	return false;
}

/* NULL: it is none. */
static struct cxx_node *whole_function(struct cxx_node *n)
{
	while (n && n->kind == CXX_CLONE)
		n = is_part(n) ? NULL : n->a;
	return n;
}

bool demangle_cxx_matches(const char *symbol, const char *pattern)
{
	struct parser p;
	struct cxx_node *n = read_name(&p, symbol), *function;
	bool yes = n && !glob_has_wildcard(pattern) && is_called(n, pattern);

	function = yes ? NULL : whole_function(n);
	if (function && function->kind == CXX_ENCODING) {
		yes = is_called(function->a, pattern) || is_called(plain(&p, function->a), pattern);
		function->b = NULL; /* the type of its result */
	}
	yes = yes || (function && is_called(function, pattern));
	arena_release(&p.arena);
	return yes;
}
