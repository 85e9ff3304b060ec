/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions: literals, names, conditionals, tuples; operators are in check_operator.c. In: a
 * node. Out: its type, what it refers to, and its value if it is constant. An error in a
 * subexpression gives &ty_error, which all enclosing expressions accept without a further report;
 * &ty_unknown does the same in passes before the last one.
 */
#include "lang/check_internal.h"
#include "dialect/hints.h"
#include "lang/lexer.h"
#include "lang/noted.h"
#include "type/agg.h"

/* ---- literals and parameters */

static const struct type *check_literal(struct check *c, struct node *n)
{
	n->is_const = true;
	if (n->kind == N_BOOL)
		return &ty_bool;
	if (n->kind == N_STR)
		return n->type && n->type->kind == TY_STRING ?
			       n->type :
			       type_known_text(c->arena, n->str_len);
	if (n->type && !type_is_moot(n->type)) /* made by folding */
		return n->type;
	return n->value < 0 ? &ty_u64 : type_literal(n->value);
}

/* Sets aux to the number, name to the given text, value or str to the constant. */
static const struct type *check_param(struct check *c, struct node *n)
{
	s64 value = 0;

	if (!n->name) {
		n->aux = (u32)n->value;
		n->name = "";
		if (n->aux && n->aux <= c->env->request->script.n_params)
			n->name = c->env->request->script.params[n->aux - 1];
	}
	n->is_const = true;
	c->s->n_options++;
	if (!n->aux) {
		n->value = c->env->request->script.n_params;
		n->name = arena_printf(c->arena, "%lld", (long long)n->value);
		return type_literal(n->value);
	}
	if (n->aux > c->env->request->script.n_params && !c->s->wants_string)
		check_report(c, n->span, D_PARAM_UNSET, (long long)n->aux);
	if (!*n->name || lex_parse_param(n->name, &value)) {
		n->value = value;
		return *n->name == '-' || value >= 0 ? type_literal(value) : &ty_u64;
	}
	n->str = n->name;
	n->str_len = (u32)strlen(n->name);
	return type_known_text(c->arena, n->str_len);
}

const struct type *check_param_text(struct check *c, struct node *n)
{
	n->str = n->name;
	n->str_len = (u32)strlen(n->name);
	return n->type = type_known_text(c->arena, n->str_len);
}

/* ---- names */

static const struct word {
	const char *name;
	const struct type *type;
	s64 value;
} words[] = {
#define M(id, name) { #name, &ty_stack_mode, STACK_MODE_##id },
	STACK_MODES(M)
#undef M
		{ "sonde", &ty_stack_mode, STACK_MODE_SONDE },
	{ "boot", &ty_timestamp_mode, TS_BOOT },
	{ "monotonic", &ty_timestamp_mode, TS_MONOTONIC },
	{ "tai", &ty_timestamp_mode, TS_TAI },
	{ "sw_tai", &ty_timestamp_mode, TS_TAI },
};

static bool try_word(struct node *n)
{
	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (streq(words[i].name, n->name)) {
			node_make_int(n, words[i].value, words[i].type);
			return true;
		}
	return false;
}

static bool try_world(struct check *c, struct node *n)
{
	const struct world *w = &c->env->world;
	const struct type *t = NULL;
	s64 value;

	if (!w->constant || !w->constant(w->ctx, n->name, &value, &t))
		return false;
	node_make_int(n, value, t ? t : type_literal(value));
	return true;
}

static const struct type *check_new_kind(struct check *c, struct node *n)
{
	return check_expr(c, n);
}

const struct type *check_try_ident(struct check *c, struct node *n)
{
	int made = macro_expand(c, n);
	const struct builtin *row = made ? NULL : env_builtin(c->env, n->name);

	if (row && row->flags & BI_RECORD && c->inst && c->inst->profile &&
	    c->inst->profile->missing.awaits_file)
		return check_awaited(c, n);
	if (row && (row->flags & BI_VARIABLE)) {
		n->kind = N_CALL;
		n->a = NULL;
		return check_new_kind(c, n);
	}
	if (!made)
		made = macro_constant(c, n);
	if (made < 0)
		return &ty_error;
	if (made || try_world(c, n) || try_word(n))
		return check_new_kind(c, n);
	return NULL;
}

static void near_constants(struct check *c, struct near *near)
{
	const struct hash *h[] = { &c->lang->constants, &c->env->builtins };

	macro_near(c, near);
	for (u32 t = 0; t < ARRAY_SIZE(h); t++)
		for (u32 i = 0; i < h[t]->cap; i++)
			if (h[t]->slot[i].key)
				near_try(near, h[t]->slot[i].key);
}

/* Builtins of older releases without a replacement. */
static const struct removed {
	const char *stem, *help; /* the name without the number at its end */
} removed[] = {
	{ "sarg", "arguments on the stack are read with *(uint64 *)(reg(\"sp\") + OFFSET)" },
};

static const char *removed_help(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(removed); i++) {
		size_t len = strlen(removed[i].stem);

		if (starts_with(name, removed[i].stem) && name[len] &&
		    !name[len + strspn(name + len, "0123456789")])
			return removed[i].help;
	}
	return NULL;
}

static const struct type *unknown_ident(struct check *c, struct node *n)
{
	struct near near;

	if (env_builtin(c->env, n->name) || hash_gets(&c->s->functions, n->name) ||
	    macro_exists(c, n->name)) {
		struct diag *d = check_report(c, n->span, D_NEEDS_PARENS, n->name);

		diag_help(c->diags, d, "write %s(...)", n->name);
		return &ty_error;
	}
	struct diag *d = check_report(c, n->span, D_UNKNOWN_NAME, n->name);

	if (!c->final)
		return &ty_error;
	near_init(&near, n->name);
	near_constants(c, &near);
	if (removed_help(n->name))
		diag_help(c->diags, d, "%s", removed_help(n->name));
	else if (foreign_word(n->name))
		diag_help(c->diags, d, "%s", foreign_word(n->name));
	else if (near_best(&near))
		diag_help(c->diags, d, "did you mean \"%s\"?", near_best(&near));
	else if (check_find_var(c, n->name))
		diag_help(c->diags, d, "variables are written with a dollar sign: $%s", n->name);
	return &ty_error;
}

static const struct type *check_ident(struct check *c, struct node *n)
{
	const struct type *t = check_try_ident(c, n);

	if (t)
		return t;
	struct type_ref ref = { .span = n->span, .name = n->name };

	t = check_try_type(c, &ref);
	if (!t)
		return unknown_ident(c, n);
	n->kind = N_TYPE;
	n->tref = arena_dup(c->arena, &ref, sizeof ref);
	return check_expr(c, n);
}

/* A previous iteration of a loop may have assigned it. */
static void check_use(struct check *c, struct var *v, struct span span)
{
	v->used = true;
	if (!v->has_value && v->assigned && !v->address_taken && v->loop_depth == c->loop_depth)
		check_report(c, span, D_UNSET_VAR, var_text(c, v->name));
	v->has_value = true; /* reported once */
}

static const struct type *no_values(struct check *c, struct node *n, const struct map *m)
{
	struct diag *d = check_report(c, n->span, D_AGG_USE, m->name);

	diag_help(c->diags, d,
		  "in a loop over %s only the key can be used: %s.0; print(%s[%s.0]) "
		  "prints the element",
		  m->name, var_text(c, n->name), m->name, var_text(c, n->name));
	return &ty_error;
}

const struct type *check_var(struct check *c, struct node *n)
{
	struct var *v = check_find_var(c, n->name);
	bool wants_key = c->s->wants_key;

	c->s->wants_key = false;
	if (!v)
		v = check_old_scope(c, n);
	if (!v)
		return check_undefined_var(c, n);
	n->var = v;
	check_use(c, v, n->span);
	if (v->key_only && !wants_key)
		return no_values(c, n, v->key_only);
	v->captured |= v->for_depth < c->s->for_depth;
	return v->type;
}

/* ---- values */

const struct type *check_value_type(const struct type *t)
{
	switch (t->kind) {
	case TY_COUNT: return &ty_u64;
	case TY_SUM:
	case TY_MIN:
	case TY_MAX:
	case TY_AVG: return type_int(8, t->is_signed);
	default: return t;
	}
}

const struct type *check_used(struct check *c, struct node *n, const struct type *t)
{
	t = check_value_type(t);
	if (t->kind == TY_VOID && c->final)
		return diag_type(c, n->span, D_NO_VALUE);
	return t->kind == TY_VOID ? &ty_error : t;
}

const struct type *check_value(struct check *c, struct node *n)
{
	c->s->wants_type = false;
	return check_used(c, n, check_expr(c, n));
}

/* Known text is true if it is not "", as is the name of the probe. */
const struct type *check_as_condition(struct node *n, const struct type *t)
{
	if (t->kind != TY_PROBE && !node_is_const_str(n))
		return t;
	fold_set_bool(n, t->kind == TY_PROBE || n->str_len > 0);
	n->kind = N_BOOL;
	return &ty_bool;
}

const struct type *check_condition(struct check *c, struct node *n)
{
	const struct type *t = check_as_condition(n, check_value(c, n));

	if (type_is_condition(t))
		return t;
	return diag_type(c, n->span, D_BAD_CONDITION, type_text(c, t));
}

/* ---- conditional */

/* Integers have the type of both branches, also where a constant picks one: true ? (uint8)7 : $i is
 * as wide as $i, true ? $b == 1 : 2 an integer. */
static bool other_is_wider(struct check *c, struct node *taken, struct node *other)
{
	bool mixed = false;
	const struct type *t;

	if (!taken || !other || !type_is_integer(taken->type) || type_is_flexible(taken->type))
		return false;
	t = check_value_type(check_expr(c, other));
	if (!type_is_integer(t) || (type_is_flexible(t) && taken->type->kind != TY_BOOL))
		return false;
	t = type_join(c, taken->type, t, &mixed);
	return t && !type_equal(t, taken->type);
}

bool check_is_for_one(const struct node *cond)
{
	switch ((int)cond->kind) {
	case N_COMPTIME:
	case N_FIELD_EXISTS: return true;
	case N_UNARY: return cond->op == OP_LNOT && check_is_for_one(cond->a);
	case N_BINARY:
		return (cond->op == OP_LAND || cond->op == OP_LOR) &&
		       (check_is_for_one(cond->a) || check_is_for_one(cond->b));
	default: return false;
	}
}

static bool pick_branch(struct check *c, struct node *n)
{
	const struct node *cond = n->a;

	if (cond->kind == N_COMPTIME && cond->type->kind == TY_UNKNOWN && !c->final) {
		n->type = &ty_unknown;
		return true;
	}
	if (!node_is_const_int(cond) || n->is_elvis)
		return false;
	struct node *taken = cond->value ? n->b : n->c;

	n->type = taken ? check_expr(c, taken) : &ty_void;
	if (!check_is_for_one(cond) && other_is_wider(c, taken, cond->value ? n->c : n->b))
		return false;
	if (taken && taken->is_const) {
		n->is_const = true;
		n->value = taken->value;
		n->str = taken->str;
		n->str_len = taken->str_len;
	}
	return true;
}

static const struct type *join_branches(struct check *c, struct node *n, const struct type *a,
					const struct type *b)
{
	bool mixed = false;
	const struct type *t;

	if (type_is_moot(a) || type_is_moot(b))
		return a->kind == TY_ERROR || b->kind == TY_ERROR ? &ty_error :
		       a->kind == TY_UNKNOWN                      ? b :
								    a;
	if (a->kind == TY_POINTER && node_is_const_int(n->c) && !n->c->value)
		return a;
	if (b->kind == TY_POINTER && n->b && node_is_const_int(n->b) && !n->b->value)
		return b;
	if (a->kind == TY_VOID || b->kind == TY_VOID)
		return &ty_void;
	t = type_join(c, a, b, &mixed);
	return t ? t : diag_type(c, n->span, D_BRANCH_TYPES, type_text(c, a), type_text(c, b));
}

/* A constant before ?: picks a branch, which has any type: $1 ?: "default". Integers are joined. */
static bool pick_elvis(struct check *c, struct node *n)
{
	const struct type *a = check_value(c, n->a), *b;
	struct node *next = n->next, *taken = n->a;
	bool is_text = node_is_const_str(n->a);

	if (!is_text && !node_is_const_int(n->a))
		return false;
	b = check_value_type(check_expr(c, n->c));
	n->type = b;
	if (type_is_moot(b))
		return true;
	if (a->kind == TY_INT && b->kind == TY_INT)
		return false;
	if (is_text ? !taken->str_len : !taken->value)
		taken = n->c;
	*n = *taken;
	n->next = next;
	return true;
}

static const struct type *check_cond(struct check *c, struct node *n)
{
	if (n->is_elvis && pick_elvis(c, n))
		return n->type;
	const struct type *cond = check_condition(c, n->a);

	n->is_const = false;
	n->str = NULL;
	if (pick_branch(c, n))
		return n->type;
	const struct type *a = n->b ? check_value_type(check_expr(c, n->b)) : cond;
	const struct type *b = n->c ? check_value_type(check_expr(c, n->c)) : &ty_void;

	n->type = join_branches(c, n, a, b);
	return n->type;
}

/* ---- aggregates of values */

static const struct type *check_tuple(struct check *c, struct node *n)
{
	u32 count = 0, i = 0;
	const struct type *bad = NULL;

	for (const struct node *e = n->a; e; e = e->next)
		count++;
	const struct type **elem = arena_array(c->arena, const struct type *, count);

	for (struct node *e = n->a; e; e = e->next, i++) {
		elem[i] = check_value(c, e);
		if (type_is_moot(elem[i]))
			bad = bad && bad->kind == TY_ERROR ? bad : elem[i];
		else if (!type_is_storable(elem[i]))
			bad = diag_type(c, e->span, D_BAD_PART, type_text(c, elem[i]));
	}
	return bad ? bad : type_tuple(c->arena, elem, count);
}

static bool is_repeated(const struct node *list, const struct node *e)
{
	for (; list != e; list = list->next)
		if (streq(list->name, e->name))
			return true;
	return false;
}

static const struct type *check_record(struct check *c, struct node *n)
{
	VEC(struct field) fields = { 0 };
	const struct type *bad = NULL;

	for (struct node *e = n->a; e; e = e->next) {
		const struct type *t = e->type = check_value(c, e->a);

		if (is_repeated(n->a, e))
			bad = diag_type(c, e->span, D_DUPLICATE_FIELD, e->name);
		else if (type_is_moot(t))
			bad = bad && bad->kind == TY_ERROR ? bad : t;
		else if (!type_is_storable(t))
			bad = diag_type(c, e->span, D_BAD_PART, type_text(c, t));
		vec_push(c->arena, &fields, (struct field){ .name = e->name, .type = t });
	}
	return bad ? bad : type_record(c->arena, fields.v, fields.n);
}

/* ---- blocks */

static const struct type *check_block_expr(struct check *c, struct node *n)
{
	const struct expansion *up = c->s->expansion;
	const char *terminated_by = c->s->terminated_by;
	bool is_assigned = c->s->agg_call == n; /* then its last value is assigned */
	u32 mark, outer_loops = c->outer_loops;

	if (n->data) {
		c->s->expansion = n->data;
		c->outer_loops = c->loop_depth;
	}
	check_scope_begin(c, &mark);
	c->s->n_bare++;
	c->s->terminated_by = NULL;
	check_statements(c, n->a);
	if (is_assigned)
		c->s->agg_call = n->b;
	n->type = n->b ? check_expr(c, n->b) : &ty_void;
	c->s->n_bare--;
	c->s->terminated_by = terminated_by;
	check_scope_end(c, mark);
	c->s->expansion = up;
	c->outer_loops = outer_loops;
	n->is_const = n->b && !n->a && n->b->is_const;
	if (n->is_const) {
		n->value = n->b->value;
		n->str = n->b->str;
		n->str_len = n->b->str_len;
	}
	return n->type;
}

static const struct type *check_comptime(struct check *c, struct node *n)
{
	const struct type *t = check_value(c, n->a);

	if (!type_is_moot(t) && !n->a->is_const && fold_is_literal(n->a)) {
		struct node *next = n->next;

		*n = *n->a;
		n->next = next;
		return t;
	}
	n->is_const = n->a->is_const;
	n->value = n->a->value;
	n->str = n->a->str;
	n->str_len = n->a->str_len;
	if (type_is_moot(t) || n->is_const)
		return t;
	return c->final ? diag_type(c, n->a->span, D_NOT_CONST) : &ty_unknown;
}

/* A type as an argument of sizeof() and the like; an error anywhere else. */
static const struct type *check_type_arg(struct check *c, struct node *n, bool is_wanted)
{
	const struct type *t = check_resolve_type(c, n->tref);

	if (is_wanted || t->kind == TY_ERROR)
		return t;
	struct diag *d = check_report(c, n->span, D_TYPE_AS_VALUE, type_text(c, t));

	if (n->tref->of || n->tref->of_type)
		diag_help(c->diags, d,
			  "typeinfo() turns a type into a value, which can be compared");
	return &ty_error;
}

/* Wrapping nodes pass to their content that it may be a type. */
static bool take_wants_type(struct check *c, const struct node *n)
{
	bool wants = c->s->wants_type;

	if (n->kind != N_IDENT && n->kind != N_CALL && (n->kind != N_BLOCK_EXPR || n->a))
		c->s->wants_type = false;
	return wants;
}

static const struct type *check_kind(struct check *c, struct node *n)
{
	bool wants_type = take_wants_type(c, n);

	switch (n->kind) {
	case N_INT:
	case N_STR:
	case N_BOOL: return check_literal(c, n);
	case N_IDENT: return check_ident(c, n);
	case N_VAR: return check_var(c, n);
	case N_MAP: return check_map_read(c, n);
	case N_PARAM: return check_param(c, n);
	case N_UNARY: return check_unary(c, n);
	case N_BINARY: return check_binary(c, n);
	case N_INCDEC: return check_incdec(c, n);
	case N_COND: return check_cond(c, n);
	case N_FIELD: return check_field(c, n);
	case N_INDEX: return check_index(c, n);
	case N_CALL: return check_call(c, n);
	case N_CAST: return check_cast(c, n);
	case N_SIZEOF: return check_sizeof(c, n);
	case N_OFFSETOF:
	case N_FIELD_EXISTS: return check_offsetof(c, n);
	case N_TYPEOF:
	case N_TYPE: return check_type_arg(c, n, wants_type);
	case N_TYPEINFO: return check_typeinfo(c, n);
	case N_COMPTIME: return check_comptime(c, n);
	case N_TUPLE: return check_tuple(c, n);
	case N_RECORD: return check_record(c, n);
	case N_NAMED: return check_value(c, n->a);
	case N_BLOCK_EXPR: return check_block_expr(c, n);
	case N_EXPR:
	case N_ASSIGN:
	case N_LET:
	case N_DISCARD:
	case N_IF:
	case N_WHILE:
	case N_UNROLL:
	case N_FOR:
	case N_BREAK:
	case N_CONTINUE:
	case N_RETURN:
	case N_BLOCK:
	case N_IMPORT:
	case N_MISFIT:
	case N_NODE_KINDS: break;
	}
	BUG("node of kind %d is not an expression", n->kind);
}

const struct type *check_expr(struct check *c, struct node *n)
{
	if (c->s->depth >= MAX_NESTING)
		return n->type = diag_type(c, n->span, D_NESTING);
	if (c->env->noting && !n->type)
		noting_see(c, n);
	if (!noted_replace(c, n))
		return n->type = &ty_error;
	c->s->depth++;
	const struct type *t = check_kind(c, n);

	c->s->depth--;
	c->s->wants_type = false;
	n->type = t;
	return t;
}
