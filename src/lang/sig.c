/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parser of builtin signatures. In: the text of a row. Out: counts and kinds of arguments.
 *
 *	sig	:= name [ "(" [ arg { "," arg } ] ")" ] [ "->" result ]
 *	arg	:= "..." | name ":" ["lit"] kind { "|" kind } [ "=" default ]
 *
 * The rows are constant; a unit test parses them all, so an error in one cannot occur at run time.
 */
#include <ctype.h>

#include "base/buf.h"
#include "lang/sig.h"

static const struct kind_row {
	const char *name;
	u32 kind;
} kind_rows[] = {
	{ "int", AK_INT },
	{ "uint", AK_UINT },
	{ "bool", AK_BOOL },
	{ "string", AK_STRING },
	{ "ptr", AK_PTR },
	{ "pointer", AK_PTR },
	{ "array", AK_ARRAY },
	{ "struct", AK_STRUCT },
	{ "buffer", AK_BUFFER },
	{ "stack", AK_STACK },
	{ "map", AK_MAP },
	{ "scalar_map", AK_SCALAR_MAP },
	{ "any", AK_ANY },
	{ "enum", AK_ENUM },
	{ "tuple", AK_TUPLE },
	{ "float", AK_FLOAT },
	{ "type", AK_TYPE },
	{ "stack_mode", AK_STACK_MODE },
	{ "timestamp_mode", AK_TIMESTAMP_MODE },
	{ "name", AK_NAME },
	{ "var", AK_VAR },
	{ "inet", AK_INET },
	/* sized spellings accept any integer */
	{ "u8", AK_INT },
	{ "u16", AK_INT },
	{ "u32", AK_INT },
	{ "u64", AK_INT },
	{ "s8", AK_INT },
	{ "s16", AK_INT },
	{ "s32", AK_INT },
	{ "s64", AK_INT },
};

enum { MAX_ARGS = 16 };

struct cursor {
	struct arena *arena;
	const char *at;
	const char *error;
};

static void skip_space(struct cursor *c)
{
	while (isspace((u8)*c->at))
		c->at++;
}

static bool take(struct cursor *c, const char *what)
{
	skip_space(c);
	if (!starts_with(c->at, what))
		return false;
	c->at += strlen(what);
	return true;
}

static const char *take_word(struct cursor *c)
{
	skip_space(c);
	const char *start = c->at;

	while (isalnum((u8)*c->at) || *c->at == '_')
		c->at++;
	return arena_strndup(c->arena, start, (size_t)(c->at - start));
}

static bool fail(struct cursor *c, const char *error)
{
	c->error = error;
	return false;
}

static bool take_kind(struct cursor *c, struct sig_arg *arg, bool *is_lit)
{
	const char *word = take_word(c);

	if (streq(word, "lit")) {
		*is_lit = true;
		word = take_word(c);
	}
	for (u32 i = 0; i < ARRAY_SIZE(kind_rows); i++)
		if (streq(kind_rows[i].name, word)) {
			arg->kinds |= kind_rows[i].kind;
			if (*is_lit)
				arg->lit_kinds |= kind_rows[i].kind;
			return true;
		}
	return fail(c, "unknown kind of argument");
}

/* Text up to the ',' or ')' that ends the argument; quotes and parentheses may hold both. */
static const char *take_default(struct cursor *c)
{
	skip_space(c);
	const char *start = c->at;
	bool quoted = false;
	u32 depth = 0;

	for (; *c->at; c->at++) {
		if (*c->at == '\\' && quoted && c->at[1])
			c->at++;
		else if (*c->at == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*c->at == '(')
			depth++;
		else if (*c->at == ')' && depth)
			depth--;
		else if (*c->at == ',' || *c->at == ')')
			break;
	}
	const char *end = c->at;

	while (end > start && isspace((u8)end[-1]))
		end--;
	return arena_strndup(c->arena, start, (size_t)(end - start));
}

static bool take_arg(struct cursor *c, struct sig *sig)
{
	struct sig_arg *arg = &sig->args[sig->n_args];
	bool is_lit = false;

	if (take(c, "...")) {
		sig->is_variadic = true;
		return true;
	}
	if (sig->n_args == MAX_ARGS)
		return fail(c, "too many arguments");
	arg->name = take_word(c);
	if (!*arg->name)
		return fail(c, "an argument needs a name");
	if (!take(c, ":"))
		return fail(c, "an argument needs ':' and a kind");
	do
		if (!take_kind(c, arg, &is_lit))
			return false;
	while (take(c, "|"));
	if (take(c, "=")) {
		arg->has_default = true;
		arg->dflt = take_default(c);
	} else if (sig->n_required == sig->n_args) {
		sig->n_required++;
	} else {
		return fail(c, "an argument without default after one with");
	}
	sig->n_args++;
	return true;
}

static bool take_args(struct cursor *c, struct sig *sig)
{
	if (take(c, ")"))
		return true;
	do {
		if (sig->is_variadic)
			return fail(c, "nothing may follow '...'");
		if (!take_arg(c, sig))
			return false;
	} while (take(c, ","));
	return take(c, ")") || fail(c, "expected ',' or ')'");
}

static bool parse(struct cursor *c, struct sig *sig)
{
	if (!*take_word(c))
		return fail(c, "expected a name");
	sig->has_parens = take(c, "(");
	if (sig->has_parens && !take_args(c, sig))
		return false;
	if (take(c, "->")) {
		skip_space(c);
		sig->result = arena_strdup(c->arena, c->at);
		return *sig->result || fail(c, "expected a type after '->'");
	}
	skip_space(c);
	return !*c->at || fail(c, "unexpected text at the end");
}

bool sig_parse(struct arena *a, const char *text, struct sig *sig, const char **error)
{
	struct cursor c = { a, text, NULL };

	*sig = (struct sig){ .result = "" };
	sig->args = arena_array(a, struct sig_arg, MAX_ARGS + 1);
	if (parse(&c, sig))
		return true;
	*error = c.error;
	return false;
}

const char *sig_kinds_text(struct arena *a, u32 kinds)
{
	const char *text = "";

	for (u32 i = 0; i < ARRAY_SIZE(kind_rows); i++) {
		if (!(kinds & kind_rows[i].kind))
			continue;
		kinds &= ~kind_rows[i].kind;
		text = *text ? arena_printf(a, "%s or %s", text, kind_rows[i].name) :
			       kind_rows[i].name;
	}
	return text;
}
