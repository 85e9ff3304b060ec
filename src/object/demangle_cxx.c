/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C++ symbol demangler. Input: "_ZN3foo3barEi"; output: "foo::bar(int)". Follows the Itanium
 * C++ ABI, 5.1 ("External Names"); functions are named after its productions. It builds a tree
 * first (demangle_cxx.h), because parts are referred to again (S_, T_) and declarators are written
 * inside out.
 *
 * The text comes from untrusted files: nesting, nodes and output are bounded, and invalid text is
 * not demangled.
 */
#include <ctype.h>
#include <stdlib.h>
#include "base/glob.h"
#include "object/demangle.h"
#include "object/demangle_cxx.h"

enum { MAX_LENGTH = 64 << 10 };

/* ---- text */

bool cxx_take(struct cxx_parser *p, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(p->end - p->at) < n || memcmp(p->at, s, n))
		return false;
	p->at += n;
	return true;
}

bool cxx_take_decimal(struct cxx_parser *p, u32 *out)
{
	u32 n = 0;

	if (!isdigit((u8)cxx_peek(p, 0)))
		return false;
	while (isdigit((u8)cxx_peek(p, 0))) {
		if (n > 100000000)
			return false;
		n = n * 10 + (u32)(*p->at++ - '0');
	}
	*out = n;
	return true;
}

bool cxx_take_sequence(struct cxx_parser *p, u32 base, u32 *out)
{
	u32 n = 0;

	if (cxx_take(p, "_")) {
		*out = 0;
		return true;
	}
	while (isdigit((u8)cxx_peek(p, 0)) || (base == 36 && isupper((u8)cxx_peek(p, 0)))) {
		char c = *p->at++;

		if (n > 10000000)
			return false;
		n = n * base + (u32)(isdigit((u8)c) ? c - '0' : c - 'A' + 10);
	}
	*out = n + 1;
	return p->at[-1] != '_' && cxx_take(p, "_");
}

/* ---- nodes */

bool cxx_enter(struct cxx_parser *p)
{
	return p->depth < CXX_MAX_DEPTH && ++p->depth;
}

struct cxx_node *cxx_leave(struct cxx_parser *p, struct cxx_node *n)
{
	p->depth--;
	return n;
}

struct cxx_node *cxx_make(struct cxx_parser *p, enum cxx_kind kind)
{
	struct cxx_node *n = arena_new(&p->arena, struct cxx_node);

	n->kind = kind;
	p->n_nodes++;
	return n;
}

struct cxx_node *cxx_make_text(struct cxx_parser *p, enum cxx_kind kind, const char *text,
			       size_t len)
{
	struct cxx_node *n = cxx_make(p, kind);

	n->text = text;
	n->len = (u32)len;
	return n;
}

struct cxx_node *cxx_make_name(struct cxx_parser *p, const char *text)
{
	return cxx_make_text(p, CXX_NAME, text, strlen(text));
}

struct cxx_node *cxx_around(struct cxx_parser *p, enum cxx_kind kind, struct cxx_node *a,
			    struct cxx_node *b)
{
	struct cxx_node *n;

	if (!a || p->n_nodes > CXX_MAX_NODES)
		return NULL;
	n = cxx_make(p, kind);
	n->a = a;
	n->b = b;
	return n;
}

struct cxx_node *cxx_pair(struct cxx_parser *p, enum cxx_kind kind, struct cxx_node *a,
			  struct cxx_node *b)
{
	return b ? cxx_around(p, kind, a, b) : NULL;
}

struct cxx_node *cxx_with_list(struct cxx_node *n, const cxx_nodes *list)
{
	if (n) {
		n->list = list->v;
		n->n = list->n;
	}
	return n;
}

struct cxx_node *cxx_push_sub(struct cxx_parser *p, struct cxx_node *n)
{
	if (n)
		vec_push(&p->arena, &p->subs, n);
	return n;
}

bool cxx_take_list(struct cxx_parser *p, struct cxx_node *(*f)(struct cxx_parser *p),
		   const char *end, cxx_nodes *out)
{
	*out = (cxx_nodes){};
	while (!cxx_take(p, end)) {
		struct cxx_node *n = f(p);

		if (!n || p->n_nodes > CXX_MAX_NODES)
			return false;
		vec_push(&p->arena, out, n);
	}
	return true;
}

/* ---- <special-name>, <encoding> */

static struct cxx_node *special(struct cxx_parser *p, const char *text, struct cxx_node *of)
{
	struct cxx_node *n = cxx_around(p, CXX_SPECIAL, of, NULL);

	if (n) {
		n->text = text;
		n->len = (u32)strlen(text);
	}
	return n;
}

/* h <offset> _, v <offset> _ <offset> _ */
static bool take_call_offset(struct cxx_parser *p)
{
	u32 n = cxx_take(p, "h") ? 1 : cxx_take(p, "v") ? 2 : 0, ignored;

	for (u32 i = 0; i < n; i++) {
		cxx_take(p, "n");
		if (!cxx_take_decimal(p, &ignored) || !cxx_take(p, "_"))
			return false;
	}
	return n;
}

static struct cxx_node *parse_construction(struct cxx_parser *p)
{
	struct cxx_node *in = cxx_parse_type(p);
	u32 ignored;

	if (!in || !cxx_take_decimal(p, &ignored) || !cxx_take(p, "_"))
		return NULL;
	return cxx_pair(p, CXX_CONSTRUCTION, cxx_parse_type(p), in);
}

/* GR <name> [<sequence>] _ */
static struct cxx_node *parse_temporary(struct cxx_parser *p)
{
	struct cxx_node *of = cxx_parse_name(p, NULL);
	u32 number = 0;

	if (of && (cxx_peek(p, 0) == '_' || isalnum((u8)cxx_peek(p, 0))) &&
	    !cxx_take_sequence(p, 36, &number))
		return NULL;
	return special(p, arena_printf(&p->arena, "reference temporary #%u for ", number), of);
}

/* T <call-offset> <encoding>: after the T. */
static struct cxx_node *parse_thunk(struct cxx_parser *p)
{
	const char *text = cxx_peek(p, 0) == 'h' ? "non-virtual thunk to " : "virtual thunk to ";

	return take_call_offset(p) ? special(p, text, cxx_parse_encoding(p, true)) : NULL;
}

/* Tc <call-offset> <call-offset> <encoding>: offsets of the object, then of the result. */
static struct cxx_node *parse_covariant(struct cxx_parser *p)
{
	if (!take_call_offset(p))
		return NULL;
	if (!take_call_offset(p))
		return NULL;
	return special(p, "covariant return thunk to ", cxx_parse_encoding(p, true));
}

static struct cxx_node *parse_special(struct cxx_parser *p)
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
		if (cxx_take(p, rows[i].code))
			return special(p, rows[i].text,
				       rows[i].of == 't' ? cxx_parse_type(p) :
				       rows[i].of == 'n' ? cxx_parse_name(p, NULL) :
				       rows[i].of == 'a' ? cxx_parse_template_arg(p) :
							   cxx_parse_encoding(p, true));
	if (cxx_take(p, "TC"))
		return parse_construction(p);
	if (cxx_take(p, "GR"))
		return parse_temporary(p);
	if (cxx_take(p, "Tc"))
		return parse_covariant(p);
	return cxx_take(p, "T") ? parse_thunk(p) : NULL;
}

/* Resolves template parameters that the name used before its template arguments. */
static bool settle_unknown(struct cxx_parser *p, u32 first)
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

/* with_result: show the result type, which only names of template functions contain. */
static struct cxx_node *parse_function_of(struct cxx_parser *p, bool with_result)
{
	struct cxx_name_state state = { .wanted = true };
	u32 unknown = p->unknown.n;
	struct cxx_node *name = cxx_parse_name(p, &state), *result = NULL, *n;
	cxx_nodes list;

	if (!name || !settle_unknown(p, unknown))
		return NULL;
	if (!cxx_peek(p, 0) || strchr("E.", cxx_peek(p, 0)))
		return name;
	if (state.is_template && !state.is_special) {
		result = cxx_parse_type(p);
		if (!result)
			return NULL;
	}
	n = cxx_around(p, CXX_ENCODING, name, with_result ? result : NULL);
	if (!n || !cxx_take_parameters(p, &list))
		return NULL;
	n->quals = state.quals;
	n->ref = state.ref;
	return cxx_with_list(n, &list);
}

struct cxx_node *cxx_parse_encoding(struct cxx_parser *p, bool with_result)
{
	cxx_nodes params = p->params;
	bool in_lambda = p->in_lambda, may_be_unknown = p->may_be_unknown;
	struct cxx_node *n;

	if (!cxx_enter(p))
		return NULL;
	p->params = (cxx_nodes){};
	p->in_lambda = p->may_be_unknown = false;
	n = cxx_peek(p, 0) == 'G' || cxx_peek(p, 0) == 'T' ? parse_special(p) :
							     parse_function_of(p, with_result);
	p->params = params;
	p->in_lambda = in_lambda;
	p->may_be_unknown = may_be_unknown;
	return cxx_leave(p, n);
}

/* ".isra.0", ".cold", ".constprop.0.part.1" */
static struct cxx_node *parse_clones(struct cxx_parser *p, struct cxx_node *n)
{
	while (n && cxx_peek(p, 0) == '.' &&
	       (islower((u8)cxx_peek(p, 1)) || isdigit((u8)cxx_peek(p, 1)) ||
		cxx_peek(p, 1) == '_')) {
		const char *text = p->at;

		p->at += 2;
		while (islower((u8)cxx_peek(p, 0)) || isdigit((u8)cxx_peek(p, 0)) ||
		       cxx_peek(p, 0) == '_')
			p->at++;
		while (cxx_peek(p, 0) == '.' && isdigit((u8)cxx_peek(p, 1))) {
			p->at += 2;
			while (isdigit((u8)cxx_peek(p, 0)))
				p->at++;
		}
		n = cxx_around(p, CXX_CLONE, n, NULL);
		if (n) {
			n->text = text;
			n->len = (u32)(p->at - text);
		}
	}
	return n;
}

/* NULL: not a valid name. The caller releases the parser's arena in any case. */
static struct cxx_node *read_name(struct cxx_parser *p, const char *name)
{
	struct cxx_node *n;

	*p = (struct cxx_parser){ .at = name + 2, .end = name + strlen(name) };
	arena_init(&p->arena);
	if (!starts_with(name, "_Z") || p->end - name > MAX_LENGTH)
		return NULL;
	n = parse_clones(p, cxx_parse_encoding(p, true));
	return p->at == p->end ? n : NULL;
}

char *demangle_cxx(const char *name)
{
	struct buf out = { 0 };
	struct cxx_parser p;
	struct cxx_node *n = read_name(&p, name);
	bool ok = n && cxx_print(&out, n);

	arena_release(&p.arena);
	if (ok)
		return buf_steal(&out);
	buf_release(&out);
	return NULL;
}

/* ---- names as users write them */

/* Strips template arguments and ABI tags. */
static struct cxx_node *plain(struct cxx_parser *p, struct cxx_node *n)
{
	for (u32 i = 0; n && i < CXX_MAX_DEPTH; i++)
		switch ((u32)n->kind) {
		case CXX_TEMPLATE:
		case CXX_TAGGED: n = n->a; break;
		case CXX_NESTED:
		case CXX_LOCAL:
			return n->b->kind == CXX_TAGGED ? cxx_pair(p, n->kind, n->a, n->b->a) : n;
		default: return n;
		}
	return n;
}

static bool is_called(struct cxx_node *n, const char *pattern)
{
	struct buf out = { 0 };
	bool yes = n && cxx_print(&out, n) && glob_match(pattern, out.s);

	buf_release(&out);
	return yes;
}

/* A part that was split off a function (.cold) is not its entry. */
static bool is_part(const struct cxx_node *clone)
{
	static const char *const parts[] = { ".cold", ".part" };

	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		if (clone->len >= strlen(parts[i]) &&
		    !memcmp(clone->text, parts[i], strlen(parts[i])))
			return true;
	return false;
}

/* NULL: not a function. */
static struct cxx_node *whole_function(struct cxx_node *n)
{
	while (n && n->kind == CXX_CLONE)
		n = is_part(n) ? NULL : n->a;
	return n;
}

bool demangle_cxx_matches(const char *symbol, const char *pattern)
{
	struct cxx_parser p;
	struct cxx_node *n = read_name(&p, symbol), *function;
	bool yes = n && !glob_has_wildcard(pattern) && is_called(n, pattern);

	function = yes ? NULL : whole_function(n);
	if (function && function->kind == CXX_ENCODING) {
		yes = is_called(function->a, pattern) || is_called(plain(&p, function->a), pattern);
		function->b = NULL; /* the result type */
	}
	yes = yes || (function && is_called(function, pattern));
	arena_release(&p.arena);
	return yes;
}
