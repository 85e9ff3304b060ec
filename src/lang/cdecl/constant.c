/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constant expressions of C text: sizes of arrays, enumerators, widths, conditions of #if. They are
 * parsed as expressions of the language, whose operators are those of C, and computed in 64 bits.
 */
#include "lang/cdecl/cdecl.h"
#include "lang/parse.h"

/* Limits for macros defined by other macros; A (B + B), B (C + C) ... doubles at every level. */
enum { MAX_DEPTH = 60, MAX_STEPS = 100000 };

struct eval {
	struct cdecl *c;
	bool in_if;
	u32 depth, steps;
};

static bool eval(struct eval *e, const struct node *n, s64 *value);

static bool eval_name(struct eval *e, const struct node *n, s64 *value)
{
	const struct world *w = &e->c->lang->env->world;
	const struct node *body = hash_gets(&e->c->lang->constants, n->name);
	bool good;

	if (body && e->depth < MAX_DEPTH) {
		e->depth++;
		good = eval(e, body, value);
		e->depth--;
		return good;
	}
	if (!e->in_if && w->constant &&
	    w->constant(w->ctx, n->name, value, &(const struct type *){ NULL }))
		return true;
	*value = 0;
	return e->in_if;
}

/* The version of a kernel as one number, as in linux/version.h. */
static bool eval_version(struct eval *e, const struct node *n, s64 *value)
{
	s64 part[3];
	const struct node *arg = n->a;

	for (u32 i = 0; i < 3; i++, arg = arg->next)
		if (!arg || !eval(e, arg, &part[i]))
			return false;
	*value = (part[0] << 16) + (part[1] << 8) + MIN(part[2], 255);
	return !arg;
}

static bool eval_call(struct eval *e, const struct node *n, s64 *value)
{
	if (streq(n->name, "defined") && n->a && n->a->kind == N_IDENT) {
		*value = cdecl_is_defined(e->c, n->a->name);
		return e->in_if;
	}
	if (streq(n->name, "KERNEL_VERSION"))
		return eval_version(e, n, value);
	return false;
}

static bool eval_unary(struct eval *e, const struct node *n, s64 *value)
{
	s64 v;

	if (!eval(e, n->a, &v))
		return false;
	switch ((int)n->op) {
	case OP_NEG: *value = (s64)(0 - (u64)v); return true;
	case OP_NOT: *value = ~v; return true;
	case OP_LNOT: *value = !v; return true;
	default: return false;
	}
}

static bool divide(enum op op, s64 a, s64 b, s64 *value)
{
	if (!b || (a == INT64_MIN && b == -1))
		return false;
	*value = op == OP_DIV ? a / b : a % b;
	return true;
}

static bool apply(enum op op, s64 a, s64 b, s64 *value)
{
	switch ((int)op) {
	case OP_ADD: *value = (s64)((u64)a + (u64)b); return true;
	case OP_SUB: *value = (s64)((u64)a - (u64)b); return true;
	case OP_MUL: *value = (s64)((u64)a * (u64)b); return true;
	case OP_DIV:
	case OP_MOD: return divide(op, a, b, value);
	case OP_AND: *value = a & b; return true;
	case OP_OR: *value = a | b; return true;
	case OP_XOR: *value = a ^ b; return true;
	case OP_SHL: *value = (s64)((u64)a << (b & 63)); return true;
	case OP_SHR: *value = a >> (b & 63); return true;
	case OP_EQ: *value = a == b; return true;
	case OP_NE: *value = a != b; return true;
	case OP_LT: *value = a < b; return true;
	case OP_GT: *value = a > b; return true;
	case OP_LE: *value = a <= b; return true;
	case OP_GE: *value = a >= b; return true;
	default: return false;
	}
}

/* && and || evaluate their right side only if needed. */
static bool eval_logic(struct eval *e, const struct node *n, s64 *value)
{
	if (!eval(e, n->a, value))
		return false;
	*value = *value != 0;
	if (*value == (n->op == OP_LOR))
		return true;
	if (!eval(e, n->b, value))
		return false;
	*value = *value != 0;
	return true;
}

static bool eval_binary(struct eval *e, const struct node *n, s64 *value)
{
	s64 a, b;

	if (n->op == OP_LAND || n->op == OP_LOR)
		return eval_logic(e, n, value);
	return eval(e, n->a, &a) && eval(e, n->b, &b) && apply(n->op, a, b, value);
}

static bool eval_choice(struct eval *e, const struct node *n, s64 *value)
{
	if (!eval(e, n->a, value))
		return false;
	if (n->is_elvis && *value)
		return true;
	return eval(e, *value ? n->b : n->c, value);
}

/* Integers by name; structs and typedefs of this script. */
static const struct type *type_named(struct eval *e, const struct type_ref *t)
{
	static const struct {
		const char *name;
		u8 size;
		bool is_signed;
	} rows[] = {
		{ "int8", 1, true },    { "int16", 2, true },   { "int32", 4, true },
		{ "int64", 8, true },   { "uint8", 1, false },  { "uint16", 2, false },
		{ "uint32", 4, false }, { "uint64", 8, false },
	};
	const char *tag = t->tag == 's' ? "struct " :
			  t->tag == 'u' ? "union " :
			  t->tag == 'e' ? "enum " :
					  "";
	const struct world *w = &e->c->lang->env->world;
	const struct type *found;

	if (!t->name)
		return NULL;
	for (u32 i = 0; !t->tag && i < ARRAY_SIZE(rows); i++)
		if (streq(rows[i].name, t->name))
			return type_int(rows[i].size, rows[i].is_signed);
	found = hash_gets(&e->c->lang->types, arena_printf(e->c->arena, "%s%s", tag, t->name));
	return found || !w->type ? found : w->type(w->ctx, t->tag, t->name);
}

static bool eval_sizeof(struct eval *e, const struct type_ref *t, s64 *value)
{
	const struct type *type;
	s64 n = 1;

	if (!t)
		return false;
	type = type_named(e, t);
	for (u32 i = t->suffix.n; i-- > 0;) {
		if (t->suffix.v[i] == -1) {
			*value = 8 * n;
			return true;
		}
		n *= MIN(MAX(t->suffix.v[i], 0), INT32_MAX) & 0xffffff;
		n &= INT32_MAX;
	}
	if (!type)
		return false;
	*value = type_complete(type)->size * n;
	return true;
}

static bool eval_cast(struct eval *e, const struct node *n, s64 *value)
{
	const struct type *t = n->tref->suffix.n ? NULL : type_named(e, n->tref);

	if (!t || !type_is_integer(t) || !eval(e, n->a, value))
		return false;
	if (t->size < 8) {
		u32 shift = 64 - t->size * 8;

		*value = (s64)((u64)*value << shift);
		*value = t->is_signed ? *value >> shift : (s64)((u64)*value >> shift);
	}
	return true;
}

/* $1, as a number of the language; $#. */
static bool eval_param(struct eval *e, const struct node *n, s64 *value)
{
	const struct env *env = e->c->lang->env;

	*value = env->request->script.n_params;
	if (!n->value)
		return true;
	if (n->value > (s64)env->request->script.n_params)
		return false;
	return lex_parse_param(env->request->script.params[n->value - 1], value);
}

static bool eval(struct eval *e, const struct node *n, s64 *value)
{
	if (++e->steps > MAX_STEPS)
		return false;
	switch ((int)n->kind) {
	case N_INT:
	case N_BOOL: *value = n->value; return true;
	case N_IDENT: return eval_name(e, n, value);
	case N_PARAM: return eval_param(e, n, value);
	case N_CALL: return eval_call(e, n, value);
	case N_UNARY: return eval_unary(e, n, value);
	case N_BINARY: return eval_binary(e, n, value);
	case N_COND: return eval_choice(e, n, value);
	case N_SIZEOF: return eval_sizeof(e, n->tref, value);
	case N_CAST: return eval_cast(e, n, value);
	default: return false;
	}
}

bool ceval(struct cdecl *c, const struct node *n, bool in_if, s64 *value)
{
	struct eval e = { .c = c, .in_if = in_if };

	return eval(&e, n, value);
}

/*
 * __has_include(<NAME>) is not an expression of the language: 1 or 0 in its place, and spaces, so
 * that positions remain.
 */
static struct source *resolve_has_include(struct cdecl *c, u32 from, u32 to, struct source *patched)
{
	static const char word[] = "__has_include";
	const char *at = memmem(c->src->text + from, to - from, word, sizeof word - 1);
	char *text;

	if (!at)
		return c->src;
	*patched = *c->src;
	patched->text = text = arena_strndup(c->arena, c->src->text, c->src->len);
	for (u32 i = (u32)(at - c->src->text); i < to; i++) {
		u32 n = i + sizeof word - 1, end;

		if (!starts_with(text + i, word))
			continue;
		n += (u32)strspn(text + n, " \t");
		if (text[n] != '(')
			continue;
		n += 1 + (u32)strspn(text + n + 1, " \t");
		end = n + 1;
		while (end < to && text[end] != (text[n] == '<' ? '>' : '"'))
			end++;
		if ((text[n] != '<' && text[n] != '"') || end >= to)
			continue;
		bool has = cdecl_has_include(c, arena_strndup(c->arena, text + n + 1, end - n - 1),
					     text[n] == '"');

		end += 1 + (u32)strspn(text + end + 1, " \t");
		if (end >= to || text[end] != ')')
			continue;
		memset(text + i, ' ', end - i + 1);
		text[i] = has ? '1' : '0';
	}
	return patched;
}

bool ceval_range(struct cdecl *c, u32 from, u32 to, bool in_if, s64 *value)
{
	struct span span = { c->src->base + from, to - from };
	struct diags *diags = c->lang->diags;
	struct source patched;
	bool muted = diags->muted;

	diags->muted |= c->foreign;
	struct source *src = in_if ? resolve_has_include(c, from, to, &patched) : c->src;
	const struct node *n = parse_expression_range(c->lang, src, from, to);

	diags->muted = muted;
	if (n && ceval(c, n, in_if, value))
		return true;
	c->failed |= !c->foreign;
	if (n && !c->foreign)
		diag_report(diags, span, D_C_NOT_CONSTANT);
	return false;
}
