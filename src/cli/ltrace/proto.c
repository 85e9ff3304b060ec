/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of prototypes. In: lines. Out: struct proto, in an arena. */
#include <ctype.h>
#include <stdlib.h>
#include "cli/ltrace/proto.h"

enum { MOST_DEPTH = 16, MOST_MEMBERS = 512 };

struct reader {
	struct proto_table *t;
	const char *at, *end; /* of the line */
	const char *why;
	u32 depth;
};

static const struct {
	const char *name;
	struct proto_type type;
} plain[] = {
	{ "void", { .kind = PROTO_VOID } },
	{ "char", { .kind = PROTO_CHAR, .size = 1, .is_signed = true } },
	{ "short", { .kind = PROTO_INT, .size = 2, .is_signed = true } },
	{ "ushort", { .kind = PROTO_INT, .size = 2 } },
	{ "int", { .kind = PROTO_INT, .size = 4, .is_signed = true } },
	{ "uint", { .kind = PROTO_INT, .size = 4 } },
	{ "long", { .kind = PROTO_INT, .size = 8, .is_signed = true } },
	{ "ulong", { .kind = PROTO_INT, .size = 8 } },
	{ "llong", { .kind = PROTO_INT, .size = 8, .is_signed = true } },
	{ "ullong", { .kind = PROTO_INT, .size = 8 } },
	{ "octal", { .kind = PROTO_INT, .lens = LENS_OCTAL, .size = 4 } },
	{ "float", { .kind = PROTO_FLOAT, .size = 4 } },
	{ "double", { .kind = PROTO_FLOAT, .size = 8 } },
	{ "addr", { .kind = PROTO_ADDR, .size = 8 } },
	{ "file", { .kind = PROTO_ADDR, .size = 8 } },
	{ "format", { .kind = PROTO_FORMAT, .size = 8 } },
	{ "string", { .kind = PROTO_STRING, .size = 8 } },
};

static const struct proto_type word = { .kind = PROTO_GUESS, .size = 8, .is_signed = true };
static const struct proto_param words[] = {
	{ .type = &word }, { .type = &word }, { .type = &word }, { .type = &word }
};
const struct proto proto_unknown = { .result = &word, .param = words, .n = ARRAY_SIZE(words) };

/* ---- words */

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && isspace((u8)*r->at))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool need(struct reader *r, char c)
{
	if (take(r, c))
		return true;
	if (!r->why)
		r->why = arena_printf(r->t->arena, "'%c' is missing", c);
	return false;
}

static const char *take_word(struct reader *r)
{
	const char *from;

	skip_blanks(r);
	from = r->at;
	while (r->at < r->end && (isalnum((u8)*r->at) || *r->at == '_' || *r->at == '.'))
		r->at++;
	return r->at > from ? arena_strndup(r->t->arena, from, (size_t)(r->at - from)) : NULL;
}

static bool take_number(struct reader *r, s64 *out)
{
	bool minus = take(r, '-');
	const char *text = take_word(r);
	char *end;

	if (!text)
		return false;
	*out = (s64)strtoull(text, &end, 0);
	*out = minus ? -*out : *out;
	return !*end;
}

static void *fail(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return NULL;
}

/* ---- types */

static const struct proto_type *parse_type(struct reader *r);

static struct proto_type *copy(struct reader *r, const struct proto_type *t)
{
	return arena_dup(r->t->arena, t, sizeof *t);
}

static const struct proto_type *plain_type(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(plain); i++)
		if (streq(plain[i].name, name))
			return &plain[i].type;
	return NULL;
}

/* "32", "arg3", "retval", "zero", "zero(arg3)" */
static bool parse_len(struct reader *r, struct proto_type *t)
{
	s64 n = 0;
	const char *name;

	skip_blanks(r);
	if (r->at < r->end && isdigit((u8)*r->at)) {
		if (!take_number(r, &n) || n > UINT16_MAX)
			return fail(r, "the length is no number");
		t->len_kind = COUNT_CONST;
		t->len = (u32)n;
		return true;
	}
	name = take_word(r);
	if (!name)
		return fail(r, "a length is missing");
	t->stops |= streq(name, "zero");
	if (t->stops && streq(name, "zero"))
		return take(r, '(') ? parse_len(r, t) && need(r, ')') : true;
	if (streq(name, "retval")) {
		t->len_kind = COUNT_RETURN;
		return true;
	}
	n = starts_with(name, "arg") ? atoi(name + 3) : 0;
	if (n < 1 || n > 32)
		return fail(r, "a length is a number, argN, retval or zero");
	t->len_kind = COUNT_ARG;
	t->len = (u32)n - 1;
	return true;
}

/* "string3": as long as the third argument says; "string0": as the result. */
static const struct proto_type *parse_string(struct reader *r, const char *digits)
{
	struct proto_type *t = copy(r, plain_type("string"));
	u32 n = (u32)atoi(digits);

	t->stops = true;
	if (*digits) {
		t->len_kind = n ? COUNT_ARG : COUNT_RETURN;
		t->len = n ? MIN(n, 32u) - 1 : 0;
	} else if (take(r, '[')) {
		return parse_len(r, t) && need(r, ']') ? t : NULL;
	} else if (take(r, '(')) {
		const struct proto_type *of = parse_type(r);

		while (of && of->kind == PROTO_POINTER)
			of = of->elem;
		if (!of || !need(r, ')'))
			return NULL;
		t->stops = of->stops;
		t->len_kind = of->len_kind;
		t->len = of->len;
	}
	return t;
}

static const struct proto_type *parse_array(struct reader *r)
{
	struct proto_type *t = copy(r, &(struct proto_type){ .kind = PROTO_ARRAY });

	if (!need(r, '(') || !(t->elem = parse_type(r)) || !need(r, ',') || !parse_len(r, t) ||
	    !need(r, ')'))
		return NULL;
	t->size = t->len_kind == COUNT_CONST ? t->len * t->elem->size : 0;
	return t;
}

static const struct proto_type *parse_enum(struct reader *r)
{
	struct proto_type *t = copy(r, plain_type("int"));
	VEC(struct proto_member) names = { 0 };
	s64 value = 0;

	if (take(r, '[')) {
		const struct proto_type *base = parse_type(r);

		if (!base || !need(r, ']'))
			return NULL;
		t->size = base->size;
		t->is_signed = base->is_signed;
	}
	t->kind = PROTO_ENUM;
	if (!need(r, '('))
		return NULL;
	do {
		struct proto_member m = { .name = take_word(r) };

		if (!m.name || names.n == MOST_MEMBERS)
			return fail(r, "a name of the enum is missing");
		if (take(r, '=') && !take_number(r, &value))
			return fail(r, "a value of the enum is no number");
		m.value = value++;
		vec_push(r->t->arena, &names, m);
	} while (take(r, ','));
	t->member = names.v;
	t->n = names.n;
	return need(r, ')') ? t : NULL;
}

static const struct proto_type *parse_struct(struct reader *r)
{
	struct proto_type *t = copy(r, &(struct proto_type){ .kind = PROTO_STRUCT });
	VEC(struct proto_member) members = { 0 };

	if (!take(r, '(')) /* declared before it is defined */
		return t;
	do {
		struct proto_member m = { .type = parse_type(r) };
		u32 align;

		if (!m.type || members.n == MOST_MEMBERS || t->size > UINT16_MAX)
			return fail(r, "a member of the struct is missing");
		align = m.type->kind == PROTO_STRUCT || m.type->kind == PROTO_ARRAY ||
					!m.type->size ?
				8 :
				m.type->size;
		t->size = ALIGN_UP(t->size, align);
		m.value = t->size;
		t->size += m.type->size;
		vec_push(r->t->arena, &members, m);
	} while (take(r, ','));
	t->member = members.v;
	t->n = members.n;
	return need(r, ')') ? t : NULL;
}

/* "hex(int)" */
static const struct proto_type *parse_lens(struct reader *r, enum proto_lens lens)
{
	const struct proto_type *of = need(r, '(') ? parse_type(r) : NULL;
	struct proto_type *t;

	if (!of || !need(r, ')'))
		return NULL;
	t = copy(r, of);
	t->lens = lens;
	return t;
}

static const struct proto_type *parse_named(struct reader *r, const char *name)
{
	static const struct {
		const char *name;
		enum proto_lens lens;
	} lenses[] = { { "hex", LENS_HEX },   { "oct", LENS_OCTAL },   { "octal", LENS_OCTAL },
		       { "bool", LENS_BOOL }, { "bitvec", LENS_BITS }, { "hide", LENS_HIDE },
		       { "guess", LENS_NONE } };
	const struct proto_type *t = hash_gets(&r->t->types, name);

	if (t)
		return t;
	if (streq(name, "array"))
		return parse_array(r);
	if (streq(name, "enum"))
		return parse_enum(r);
	if (streq(name, "struct"))
		return parse_struct(r);
	if (starts_with(name, "string") && name[6 + strspn(name + 6, "0123456789")] == '\0')
		return parse_string(r, name + 6);
	skip_blanks(r);
	for (u32 i = 0; i < ARRAY_SIZE(lenses) && r->at < r->end && *r->at == '('; i++)
		if (streq(lenses[i].name, name))
			return parse_lens(r, lenses[i].lens);
	t = plain_type(name);
	return t ? t : fail(r, arena_printf(r->t->arena, "'%s' is no type", name));
}

static const struct proto_type *parse_type(struct reader *r)
{
	const struct proto_type *t = NULL;
	const char *name = take_word(r);

	if (!name)
		return fail(r, "a type is missing");
	if (++r->depth <= MOST_DEPTH)
		t = parse_named(r, name);
	else
		fail(r, "types within types within types");
	while (t && take(r, '*'))
		t = copy(r, &(struct proto_type){ .kind = PROTO_POINTER, .size = 8, .elem = t });
	r->depth--;
	return t;
}

/* ---- lines */

static void parse_typedef(struct reader *r)
{
	const char *name = take_word(r);
	const struct proto_type *t = name && need(r, '=') ? parse_type(r) : NULL;

	if (t)
		hash_puts(&r->t->types, name, (void *)(uintptr_t)t);
	else
		fail(r, "a typedef is NAME = TYPE");
}

static bool parse_params(struct reader *r, struct proto *p)
{
	VEC(struct proto_param) params = { 0 };

	if (!need(r, '('))
		return false;
	if (take(r, ')'))
		return true;
	do {
		struct proto_param one = { .is_out = take(r, '+') };

		if (take(r, '.'))
			break;
		one.type = parse_type(r);
		if (!one.type || params.n == 32)
			return false;
		if (one.type->kind == PROTO_VOID)
			break;
		take_word(r); /* a name of the parameter means nothing */
		vec_push(r->t->arena, &params, one);
	} while (take(r, ','));
	while (take(r, '.'))
		;
	p->param = params.v;
	p->n = params.n;
	return need(r, ')');
}

static void parse_prototype(struct reader *r)
{
	struct proto *p = arena_new(r->t->arena, struct proto);
	VEC(const char *) names = { 0 };

	p->result = parse_type(r);
	if (!p->result)
		return;
	do {
		const char *name = take_word(r);

		if (!name) {
			fail(r, "the name of the function is missing");
			return;
		}
		vec_push(r->t->arena, &names, name);
	} while (take(r, ','));
	if (!parse_params(r, p))
		return;
	p->is_users = r->t->is_users;
	for (u32 i = 0; i < names.n; i++)
		hash_puts(&r->t->protos, names.v[i], p);
}

static const char *read_line(struct proto_table *t, const char *from, const char *end)
{
	struct reader r = { .t = t, .at = from, .end = end };
	static const char begin[] = "typedef ";

	skip_blanks(&r);
	if (r.at == r.end || *r.at == ';' || *r.at == '#')
		return NULL;
	if ((size_t)(r.end - r.at) > strlen(begin) && starts_with(r.at, begin)) {
		r.at += strlen(begin);
		parse_typedef(&r);
	} else {
		parse_prototype(&r);
	}
	return r.why;
}

u32 proto_read(struct proto_table *t, const char *text, const char **why)
{
	u32 line = 1, bad = 0;

	for (const char *s = text; *s; line++) {
		const char *end = strchrnul(s, '\n'), *wrong = read_line(t, s, end);

		if (wrong && !bad) {
			bad = line;
			*why = wrong;
		}
		s = end + (*end == '\n');
	}
	return bad;
}

const struct proto *proto_find(const struct proto_table *t, const char *name)
{
	return hash_gets(&t->protos, name);
}

void proto_release(struct proto_table *t)
{
	hash_release(&t->protos);
	hash_release(&t->types);
}
