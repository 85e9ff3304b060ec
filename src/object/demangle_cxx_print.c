/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the tree of a C++ name in libiberty's form ("foo(char const*)", "std::vector<int,
 * std::allocator<int> >", "{lambda(int)#1}"). Declarators are written inside out: first the text
 * left of the name, then the text right of it, as in "int (*f(char)) [3]".
 *
 * Trees share parts, so a short symbol can expand to a text of any length: it is truncated.
 */
#include "object/demangle_cxx.h"

enum { MAX_TEXT = 64 << 10, MAX_STEPS = 1 << 17, MAX_DEPTH = 512 };

#define NO_INDEX (~0u)

struct printer {
	struct buf *out;
	u32 depth, steps;
	/* of the pack that is being expanded; NO_INDEX: none, or not reached yet */
	u32 index, count;
	bool failed;
};

static void left(struct printer *p, struct cxx_node *n);
static void right(struct printer *p, struct cxx_node *n);

static void put(struct printer *p, const char *s)
{
	buf_puts(p->out, s);
}

static char last(const struct printer *p)
{
	return p->out->len ? p->out->s[p->out->len - 1] : '\0';
}

static void print(struct printer *p, struct cxx_node *n)
{
	left(p, n);
	right(p, n);
}

/* Bounds one step; false: stop. */
static bool enter(struct printer *p, struct cxx_node *n)
{
	if (p->failed || !n || n->busy || p->depth >= MAX_DEPTH || ++p->steps > MAX_STEPS ||
	    p->out->len > MAX_TEXT) {
		p->failed = true;
		return false;
	}
	n->busy = true;
	p->depth++;
	return true;
}

static void leave(struct printer *p, struct cxx_node *n)
{
	n->busy = false;
	p->depth--;
}

static void take_back(struct printer *p, size_t len)
{
	if (p->out->len == len)
		return;
	p->out->len = len;
	p->out->s[len] = '\0';
}

/* Removes the comma before an empty pack. */
static void list(struct printer *p, struct cxx_node *n)
{
	bool any = false;

	for (u32 i = 0; i < n->n; i++) {
		size_t before = p->out->len, at;

		if (any)
			put(p, ", ");
		at = p->out->len;
		print(p, n->list[i]);
		if (p->out->len != at)
			any = true;
		else
			take_back(p, before);
	}
}

static void number(struct printer *p, u32 n)
{
	buf_u64(p->out, n);
}

/* ---- types */

/* The first pack of an expansion determines its length. False: no expansion, or an empty one. */
static bool meet(struct printer *p, const struct cxx_node *pack)
{
	if (p->count == NO_INDEX) {
		p->count = pack->n;
		p->index = 0;
	}
	return p->index < pack->n;
}

/* The value of a template parameter, or of a pack's element. */
static struct cxx_node *resolve(struct printer *p, struct cxx_node *n)
{
	for (u32 i = 0; n && i < MAX_DEPTH; i++)
		if (n->kind == CXX_PARAM)
			n = n->a;
		else if (n->kind == CXX_PACK && meet(p, n))
			n = n->list[p->index];
		else
			return n;
	return NULL;
}

static bool is_array(struct printer *p, struct cxx_node *n)
{
	n = resolve(p, n);
	return n && (n->kind == CXX_ARRAY || (n->kind == CXX_QUALIFIED && is_array(p, n->a)));
}

static bool is_function(struct printer *p, struct cxx_node *n)
{
	n = resolve(p, n);
	return n && n->kind == CXX_FUNCTION;
}

/* The type has text right of the name. */
static bool has_right(struct printer *p, struct cxx_node *n)
{
	for (u32 i = 0; i < MAX_DEPTH; i++) {
		n = resolve(p, n);
		if (!n)
			return false;
		switch ((u32)n->kind) {
		case CXX_ARRAY:
		case CXX_FUNCTION: return true;
		case CXX_POINTER:
		case CXX_REFERENCE:
		case CXX_QUALIFIED: n = n->a; break;
		case CXX_MEMBER_POINTER: n = n->b; break;
		default: return false;
		}
	}
	return false;
}

static void quals(struct printer *p, const struct cxx_node *n)
{
	if (n->quals & CXX_CONST)
		put(p, " const");
	if (n->quals & CXX_VOLATILE)
		put(p, " volatile");
	if (n->quals & CXX_RESTRICT)
		put(p, " __restrict");
	if (n->ref == CXX_REF_LVALUE)
		put(p, " &");
	if (n->ref == CXX_REF_RVALUE)
		put(p, " &&");
}

/* Qualifiers that a template argument already has are not repeated. */
static void qualified(struct printer *p, struct cxx_node *n)
{
	struct cxx_node *of = resolve(p, n->a);
	struct cxx_node more = *n;

	if (of && of != n->a && of->kind == CXX_QUALIFIED)
		more.quals &= (u8)~of->quals;
	left(p, n->a);
	quals(p, &more);
}

static void declarator(struct printer *p, struct cxx_node *of, const char *mark)
{
	left(p, of);
	if (is_array(p, of))
		put(p, " (");
	else if (is_function(p, of))
		put(p, "(");
	put(p, mark);
}

static void declarator_end(struct printer *p, struct cxx_node *of)
{
	if (is_array(p, of) || is_function(p, of))
		put(p, ")");
	right(p, of);
}

/* A reference to a reference is an rvalue reference only if both are. */
static struct cxx_node *referred(struct printer *p, struct cxx_node *n, bool *rvalue)
{
	struct cxx_node *to = n->a, *r;

	*rvalue = n->rvalue;
	for (u32 i = 0; i < MAX_DEPTH && (r = resolve(p, to)) && r->kind == CXX_REFERENCE; i++) {
		*rvalue &= r->rvalue;
		to = r->a;
	}
	return to;
}

static void reference(struct printer *p, struct cxx_node *n, bool is_left)
{
	bool rvalue;
	struct cxx_node *to = referred(p, n, &rvalue);
	u32 index = p->index, count = p->count;

	if (to != n->a) { /* now inside an element */
		p->index = NO_INDEX;
		p->count = 0;
	}
	if (is_left)
		declarator(p, to, rvalue ? "&&" : "&");
	else
		declarator_end(p, to);
	if (to != n->a) {
		p->index = index;
		p->count = count;
	}
}

static void member_pointer(struct printer *p, struct cxx_node *n)
{
	left(p, n->b);
	put(p, is_array(p, n->b) ? " (" : is_function(p, n->b) ? "(" : " ");
	print(p, n->a);
	put(p, "::*");
}

static void dimension(struct printer *p, struct cxx_node *n)
{
	if (n->b)
		print(p, n->b);
	else if (n->text)
		buf_add(p->out, n->text, n->len);
}

static void array_end(struct printer *p, struct cxx_node *n)
{
	put(p, last(p) == ']' ? "[" : " [");
	dimension(p, n);
	put(p, "]");
	right(p, n->a);
}

static void function_end(struct printer *p, struct cxx_node *n, struct cxx_node *result)
{
	put(p, "(");
	list(p, n);
	put(p, ")");
	if (result)
		right(p, result);
	quals(p, n);
}

/* ---- names */

static void template(struct printer *p, struct cxx_node *n)
{
	print(p, n->a);
	put(p, last(p) == '<' ? " <" : "<");
	list(p, n);
	put(p, last(p) == '>' ? " >" : ">");
}

static void operator(struct printer *p, const struct cxx_node *n)
{
	u32 len = n->len;

	put(p, n->text[0] >= 'a' && n->text[0] <= 'z' ? "operator " : "operator");
	while (len && n->text[len - 1] == ' ')
		len--;
	buf_add(p->out, n->text, len);
}

/* ---- expressions */

static bool is_simple(const struct cxx_node *n)
{
	return n && (n->kind == CXX_NAME || n->kind == CXX_NESTED || n->kind == CXX_BRACES ||
		     n->kind == CXX_FUNCTION_PARAM);
}

static void operand(struct printer *p, struct cxx_node *n)
{
	if (is_simple(n)) {
		print(p, n);
		return;
	}
	put(p, "(");
	print(p, n);
	put(p, ")");
}

/* The address of a member function is written without its parameters. */
static struct cxx_node *addressed(struct cxx_node *n)
{
	return n->a && n->a->kind == CXX_ENCODING && n->a->a && n->a->a->kind == CXX_NESTED &&
			       !n->a->quals && n->len == 1 && n->text[0] == '&' ?
		       n->a->a :
		       n->a;
}

static void unary(struct printer *p, struct cxx_node *n)
{
	static const char *const bare[] = { "::" }, *const parens[] = { "sizeof ", "alignof ",
									"noexcept " };
	bool always = false, never = false;

	if (n->is_suffix) {
		operand(p, n->a);
		buf_add(p->out, n->text, n->len);
		return;
	}
	for (u32 i = 0; i < ARRAY_SIZE(parens); i++)
		always |= n->b && n->len == strlen(parens[i]) &&
			  !memcmp(n->text, parens[i], n->len);
	never = n->len == 2 && !memcmp(n->text, bare[0], 2);
	buf_add(p->out, n->text, n->len);
	if (always)
		put(p, "(");
	if (always || never)
		print(p, n->a);
	else
		operand(p, addressed(n));
	if (always)
		put(p, ")");
}

static void binary(struct printer *p, struct cxx_node *n)
{
	bool greater = n->len == 1 && n->text[0] == '>'; /* would end a template argument list */

	if (greater)
		put(p, "(");
	operand(p, n->a);
	buf_add(p->out, n->text, n->len);
	operand(p, n->b);
	if (greater)
		put(p, ")");
}

static void arguments(struct printer *p, struct cxx_node *n)
{
	put(p, "(");
	list(p, n);
	put(p, ")");
}

static void literal(struct printer *p, struct cxx_node *n)
{
	struct cxx_node *type = resolve(p, n->a);

	if (type && type->kind == CXX_BUILTIN && type->suffix) {
		if (streq(type->suffix, "?") && n->len == 1 && !n->negative &&
		    (n->text[0] == '0' || n->text[0] == '1')) {
			put(p, n->text[0] == '1' ? "true" : "false");
			return;
		}
		if (!streq(type->suffix, "?") && !streq(type->suffix, "[")) {
			put(p, n->negative ? "-" : "");
			buf_add(p->out, n->text, n->len);
			put(p, type->suffix);
			return;
		}
	}
	put(p, "(");
	print(p, n->a);
	put(p, ")");
	put(p, n->negative ? "-" : "");
	if (type && type->kind == CXX_BUILTIN && type->suffix &&
	    streq(type->suffix, "[")) { /* a float's bytes */
		put(p, "[");
		buf_add(p->out, n->text, n->len);
		put(p, "]");
		return;
	}
	buf_add(p->out, n->text, n->len);
}

static void new_expression(struct printer *p, struct cxx_node *n)
{
	put(p, n->rvalue ? "::new " : "new ");
	if (n->n) {
		arguments(p, n);
		put(p, " ");
	}
	print(p, n->a);
	if (n->b)
		operand(p, n->b);
}

/* (...+a), (a+...), (a+...+b) */
static void fold(struct printer *p, struct cxx_node *n)
{
	u32 index = p->index;

	p->index = NO_INDEX; /* the whole pack */
	put(p, "(");
	if (n->number == 'l') {
		put(p, "...");
	} else {
		operand(p, n->a);
	}
	buf_add(p->out, n->text, n->len);
	if (n->number == 'l')
		operand(p, n->a);
	else
		put(p, "...");
	if (n->b) {
		buf_add(p->out, n->text, n->len);
		operand(p, n->b);
	}
	put(p, ")");
	p->index = index;
}

/* ---- packs */

/*
 * In an expansion the current element, else all; a pack within an element is not part of the
 * expansion.
 */
static void pack(struct printer *p, struct cxx_node *n,
		 void (*side)(struct printer *p, struct cxx_node *n))
{
	u32 index, count;

	if (p->index == NO_INDEX && p->count != NO_INDEX) {
		list(p, n);
		return;
	}
	if (!meet(p, n))
		return;
	index = p->index;
	count = p->count;
	p->index = NO_INDEX;
	p->count = 0;
	side(p, n->list[index]);
	p->index = index;
	p->count = count;
}

/* One copy for each element of the pack; "..." without a pack. */
static void expansion(struct printer *p, struct cxx_node *n)
{
	u32 index = p->index, count = p->count;
	size_t before = p->out->len;

	p->count = NO_INDEX;
	p->index = NO_INDEX;
	print(p, n->a);
	if (p->count == NO_INDEX) {
		take_back(p, before);
		p->index = index;
		operand(p, n->a);
		put(p, "...");
	} else if (!p->count) {
		take_back(p, before);
	} else {
		for (u32 i = 1, total = p->count; i < total && !p->failed; i++) {
			put(p, ", ");
			p->index = i;
			print(p, n->a);
		}
	}
	p->index = index;
	p->count = count;
}

static void count(struct printer *p, struct cxx_node *n)
{
	struct cxx_node *a = n->a;

	while (a && a->kind == CXX_PARAM)
		a = a->a;
	if (a && a->kind == CXX_PACK) {
		number(p, a->n);
	} else {
		put(p, "sizeof...");
		operand(p, n->a);
	}
}

/* ---- both sides */

/*
 * Templates of node texts: %a %b %c the child node, %A %B %C the same as an operand, %l the list,
 * %t the text, %n the number.
 */
static const char *const shapes[] = {
	[CXX_NAME] = "%t",
	[CXX_BUILTIN] = "%t",
	[CXX_NESTED] = "%a::%b",
	[CXX_LOCAL] = "%a::%b",
	[CXX_CTOR] = "%a",
	[CXX_DTOR] = "~%a",
	[CXX_CONVERSION] = "operator %a",
	[CXX_LITERAL_OPERATOR] = "operator\"\" %a",
	[CXX_BINDING] = "[%l]",
	[CXX_TAGGED] = "%a[abi:%t]",
	[CXX_LAMBDA] = "{lambda(%l)#%n}",
	[CXX_UNNAMED] = "{unnamed type#%n}",
	[CXX_DEFAULT_ARG] = "{default arg#%n}",
	[CXX_STRING_LITERAL] = "string literal",
	[CXX_SUFFIXED] = "%a%t",
	[CXX_SPECIAL] = "%t%a",
	[CXX_CONSTRUCTION] = "construction vtable for %a-in-%b",
	[CXX_CLONE] = "%a [clone %t]",
	[CXX_AUTO] = "auto:%n",
	[CXX_DECLTYPE] = "decltype (%a)",
	[CXX_NAMED_CAST] = "%t<%a>(%b)",
	[CXX_CONDITIONAL] = "%A?%B : %C",
	[CXX_INDEX] = "%A[%b]",
	[CXX_LIST] = "%l",
};

static void part(struct printer *p, struct cxx_node *n, char which)
{
	switch (which) {
	case 'a': print(p, n->a); return;
	case 'b': print(p, n->b); return;
	case 'c': print(p, n->c); return;
	case 'A': operand(p, n->a); return;
	case 'B': operand(p, n->b); return;
	case 'C': operand(p, n->c); return;
	case 'l': list(p, n); return;
	case 't': buf_add(p->out, n->text, n->len); return;
	case 'n': number(p, n->number); return;
	}
	BUG("part %c of a shape", which);
}

static void shaped(struct printer *p, struct cxx_node *n, const char *shape)
{
	for (; *shape; shape++)
		if (*shape == '%')
			part(p, n, *++shape);
		else
			buf_putc(p->out, *shape);
}

static void vendor(struct printer *p, struct cxx_node *n)
{
	shaped(p, n, "%a %t");
	if (!n->n)
		return;
	shaped(p, n, "<%l");
	put(p, last(p) == '>' ? " >" : ">");
}

/* A result, or a function's result, before the name. */
static void result(struct printer *p, struct cxx_node *type)
{
	left(p, type);
	put(p, has_right(p, type) ? "" : " ");
}

static void encoding(struct printer *p, struct cxx_node *n)
{
	if (n->b)
		result(p, n->b);
	print(p, n->a);
}

static void vector(struct printer *p, struct cxx_node *n)
{
	shaped(p, n, "%a __vector(");
	dimension(p, n);
	put(p, ")");
}

static void call(struct printer *p, struct cxx_node *n)
{
	operand(p, n->a->kind == CXX_ENCODING ? n->a->a : n->a);
	arguments(p, n);
}

static void cast(struct printer *p, struct cxx_node *n)
{
	shaped(p, n, "(%a)");
	if (n->b)
		operand(p, n->b);
	else
		arguments(p, n);
}

static void left_of(struct printer *p, struct cxx_node *n)
{
	if (shapes[n->kind]) {
		shaped(p, n, shapes[n->kind]);
		return;
	}
	switch ((u32)n->kind) {
	case CXX_TEMPLATE: template(p, n); return;
	case CXX_OPERATOR: operator(p, n); return;
	case CXX_QUALIFIED: qualified(p, n); return;
	case CXX_VENDOR: vendor(p, n); return;
	case CXX_POINTER: declarator(p, n->a, "*"); return;
	case CXX_REFERENCE: reference(p, n, true); return;
	case CXX_MEMBER_POINTER: member_pointer(p, n); return;
	case CXX_ARRAY:
	case CXX_PARAM: left(p, n->a); return;
	case CXX_VECTOR: vector(p, n); return;
	case CXX_FUNCTION: result(p, n->a); return;
	case CXX_ENCODING: encoding(p, n); return;
	case CXX_PACK: pack(p, n, left); return;
	case CXX_EXPANSION: expansion(p, n); return;
	case CXX_LITERAL: literal(p, n); return;
	case CXX_FUNCTION_PARAM: shaped(p, n, n->number ? "{parm#%n}" : "this"); return;
	case CXX_UNARY: unary(p, n); return;
	case CXX_BINARY: binary(p, n); return;
	case CXX_CALL: call(p, n); return;
	case CXX_CAST: cast(p, n); return;
	case CXX_BRACES: shaped(p, n, n->a ? "%a{%l}" : "{%l}"); return;
	case CXX_NEW: new_expression(p, n); return;
	case CXX_FOLD: fold(p, n); return;
	case CXX_COUNT: count(p, n); return;
	}
	BUG("node of kind %u", (u32)n->kind);
}

static void right_of(struct printer *p, struct cxx_node *n)
{
	switch ((u32)n->kind) {
	case CXX_QUALIFIED: right(p, n->a); return;
	case CXX_POINTER: declarator_end(p, n->a); return;
	case CXX_REFERENCE: reference(p, n, false); return;
	case CXX_MEMBER_POINTER: declarator_end(p, n->b); return;
	case CXX_ARRAY: array_end(p, n); return;
	case CXX_FUNCTION:
		function_end(p, n, n->a);
		if (n->b)
			print(p, n->b);
		return;
	case CXX_ENCODING: function_end(p, n, n->b); return;
	case CXX_PACK:
		if (p->index != NO_INDEX || p->count == NO_INDEX)
			pack(p, n, right);
		return;
	case CXX_PARAM: right(p, n->a); return;
	}
}

static void left(struct printer *p, struct cxx_node *n)
{
	if (!enter(p, n))
		return;
	left_of(p, n);
	leave(p, n);
}

static void right(struct printer *p, struct cxx_node *n)
{
	if (!enter(p, n))
		return;
	right_of(p, n);
	leave(p, n);
}

bool cxx_print(struct buf *out, struct cxx_node *n)
{
	struct printer p = { .out = out, .index = NO_INDEX, .count = 0 };

	print(&p, n);
	return !p.failed && out->len <= MAX_TEXT;
}
