/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements. In: the list of a block. Out: variables declared, types of variables and maps grown
 * by assignments, and warnings about dead code and unused values. A branch that a constant
 * condition excludes is removed at the end: until then it makes maps and their types, as the rest
 * does. Where the condition says that it is for another kernel or other parameters it is not
 * checked.
 */
#include "lang/check_internal.h"
#include "lang/noted.h"

/* ---- assignment */

static bool is_agg_call(const struct check *c, const struct node *n)
{
	const struct builtin *row = n->kind == N_CALL ? env_builtin(c->env, n->name) : NULL;

	return row && (row->flags & BI_AGGREGATE) && !hash_gets(&c->s->functions, n->name);
}

/*
 * The call at the end of a block or macro: @m = { $x = f(); sum($x) }. Its expansion is known here.
 */
static const struct node *last_value(const struct node *n)
{
	while (n->kind == N_BLOCK_EXPR && n->b)
		n = n->b;
	return n;
}

/* The null pointer is written 0. */
static bool is_null(const struct type *target, const struct node *value)
{
	return target->kind == TY_POINTER && node_is_const_int(value) && !value->value;
}

/* The type of a value to be stored; reports aggregations, which cannot be. */
static const struct type *judge_stored(struct check *c, struct node *value, const struct type *t)
{
	if (type_is_moot(t) || type_is_storable(t))
		return t;
	if (type_is_agg(t) && value->kind == N_MAP)
		return diag_type(c, value->span, D_AGG_USE,
				 value->map ? value->map->name : type_text(c, t));
	return diag_type(c, value->span, type_is_agg(t) ? D_AGG_USE : D_BAD_VALUE, type_text(c, t));
}

static const struct type *stored_value(struct check *c, struct node *value)
{
	return judge_stored(c, value, check_value(c, value));
}

/* Whether a variable of type `to` holds every value of type t. */
static bool holds_all(const struct type *to, const struct type *t)
{
	if (to->kind != TY_INT || t->kind != TY_INT)
		return true;
	return to->is_signed == t->is_signed ? to->size >= t->size :
					       to->is_signed && to->size > t->size;
}

/* A literal must be in the range of the declared type; other values are converted. */
static void assign_fixed_int(struct check *c, const struct var *v, const struct node *value,
			     const struct type *t)
{
	if (!node_is_const_int(value) || value->kind == N_CAST) {
		if (!holds_all(v->type, t))
			check_report(c, value->span, D_SIGN_MIX, type_text(c, t),
				     type_text(c, v->type));
		return;
	}
	if (!int_fits(value->value, t, v->type))
		diag_help(c->diags,
			  check_report(c, value->span, D_LITERAL_RANGE, var_text(c, v->name),
				       type_text(c, t), type_text(c, v->type)),
			  "%lld does not fit type %s", (long long)value->value,
			  type_text(c, v->type));
}

static void assign_fixed(struct check *c, struct var *v, const struct node *value,
			 const struct type *t)
{
	bool mixed = false;

	if (type_is_moot(t) || type_is_moot(v->type))
		return;
	if (type_is_integer(t) && type_is_integer(v->type)) {
		assign_fixed_int(c, v, value, t);
		return;
	}
	const struct type *joined = type_join(c, v->type, t, &mixed);

	if (joined && (v->type->kind == TY_POINTER || type_equal(joined, v->type)))
		return;
	struct diag *d = check_report(c, value->span, D_ASSIGN_TYPE, var_text(c, v->name),
				      type_text(c, v->type), type_text(c, t), "variable");

	diag_note(c->diags, d, v->decl, "declared here");
}

static void grow_var(struct check *c, struct var *v, const struct node *value, const struct type *t)
{
	v->assigned = v->has_value = true;
	v->is_awaited |= check_is_awaited(value);
	if (is_null(v->type, value))
		return;
	if (v->has_fixed_type)
		assign_fixed(c, v, value, t);
	else
		check_unify_var(c, v, t, value->span);
}

static struct var *target_var(struct check *c, struct node *target)
{
	struct var *v = check_find_var(c, target->name);

	if (!v) {
		v = target->var ? target->var : check_new_var(c, target->name, target->span);
		v->in_branch = !c->s->n_bare;
		check_show_var(c, v);
	}
	v->captured |= v->for_depth < c->s->for_depth;
	target->var = v;
	return v;
}

static void assign_var(struct check *c, struct node *n)
{
	const struct type *t = stored_value(c, n->b);
	/* flexible literals stay flexible: the sign is open until another assignment */
	struct var *v = target_var(c, n->a);

	grow_var(c, v, n->b, t);
	n->a->type = type_rigid(v->type);
}

static const struct type *copied_agg(struct check *c, struct node *value)
{
	struct diag *d = check_report(c, value->span, D_AGG_USE, value->map->name);

	diag_help(c->diags, d, "to keep its current value as an integer: (int64)%s",
		  value->map->name);
	return &ty_error;
}

static void assign_map(struct check *c, struct node *n)
{
	struct map *m = check_map(c, n->a);
	const struct type *t;

	c->s->wants_type = false;
	c->s->agg_call = n->b;
	t = check_expr(c, n->b);
	if (!is_agg_call(c, last_value(n->b))) {
		t = judge_stored(c, n->b, check_used(c, n->b, t));
		if (n->b->kind == N_MAP && n->b->type && type_is_agg(n->b->type) &&
		    !type_is_moot(t))
			t = copied_agg(c, n->b);
	}
	if (n->a->map)
		n->a->map->written = true; /* even if its key is wrong */
	if (!m)
		return;
	if (!is_null(m->value, n->b))
		check_unify_map_value(c, m, t, n->span);
	n->a->type = type_rigid(m->value);
}

/* x op= e: applies the operator to x and e and stores the result in x. */
static void assign_op(struct check *c, struct node *n)
{
	struct node *target = n->a;
	const struct type *a, *b, *t;

	if (target->kind == N_MAP) {
		struct map *m = check_map(c, target);

		b = check_value(c, n->b);
		if (!m)
			return;
		m->read = m->written = true;
		a = type_rigid(m->value);
	} else {
		struct var *v = check_find_var(c, target->name);

		b = check_value(c, n->b);
		if (!v)
			v = check_old_scope(c, target);
		if (!v) {
			check_undefined_var(c, target);
			return;
		}
		target->var = v;
		v->captured |= v->for_depth < c->s->for_depth;
		v->used = v->assigned = v->has_value = true;
		a = type_rigid(v->type);
	}
	target->type = a;
	if (a->kind == TY_UNKNOWN && type_is_integer(b))
		a = b; /* @x += 1 creates @x */
	if (type_is_agg(a)) {
		check_report(c, n->span, D_AGG_USE, target->map->name);
		return;
	}
	t = check_operator(c, n, a, b);
	if (type_is_moot(t))
		return;
	if (target->map)
		check_unify_map_value(c, target->map, t, n->span);
	else if (!target->var->has_fixed_type)
		check_unify_var(c, target->var, t, n->span);
	target->type = type_rigid(target->map ? target->map->value : target->var->type);
	fold_warn_shift(c, n, n->b);
	if ((n->op == OP_DIV || n->op == OP_MOD) && node_is_const_int(n->b) && !n->b->value)
		check_report(c, n->span, D_DIV_ZERO, op_text(n->op),
			     n->op == OP_MOD ? "the left operand" : "0");
}

static void check_assign(struct check *c, struct node *n)
{
	if (n->a->kind != N_VAR && n->a->kind != N_MAP)
		check_report(c, n->a->span, D_ASSIGN_TARGET);
	else if (n->op != OP_NONE)
		assign_op(c, n);
	else if (n->a->kind == N_MAP)
		assign_map(c, n);
	else
		assign_var(c, n);
}

static struct var *declare(struct check *c, struct node *n)
{
	struct var *v = check_find_var(c, n->name);

	if (v) {
		struct diag *d = check_report(c, n->span, D_REDECLARED_VAR, var_text(c, n->name));

		diag_note(c->diags, d, v->decl,
			  v->is_declared ? "declared here" : "first assigned here");
		return v;
	}
	v = n->var ? n->var : check_new_var(c, n->name, n->span);
	n->var = v;
	v->is_declared = true;
	check_show_var(c, v);
	return v;
}

static void check_let(struct check *c, struct node *n)
{
	const struct type *t = n->b ? stored_value(c, n->b) : NULL;
	struct var *v = declare(c, n->a);

	if (n->aux == LET_OLD_SCOPE)
		check_report(c, n->span, D_OLD_SCOPE, var_text(c, v->name));
	v->has_value |= n->aux != 0;
	if (n->tref && !v->has_fixed_type) {
		const struct type *fixed = check_resolve_type(c, n->tref);

		if (fixed->kind != TY_ERROR && fixed->kind != TY_UNKNOWN &&
		    !type_is_storable(fixed))
			fixed = diag_type(c, n->tref->span, D_BAD_VAR_TYPE, type_text(c, fixed));
		v->type = fixed;
		/* the last pass finds an error again */
		v->has_fixed_type = fixed->kind != TY_UNKNOWN && fixed->kind != TY_ERROR;
		if (fixed->kind == TY_POINTER)
			v->type =
				type_in_space(c->arena, fixed,
					      fixed->space ? fixed->space : check_default_space(c));
	}
	if (t)
		grow_var(c, v, n->b, t);
	n->a->type = type_rigid(v->type);
	n->type = n->a->type;
}

/* ---- control flow */

static void check_branch(struct check *c, struct node *n)
{
	if (n->kind == N_BLOCK)
		check_block(c, n);
	else
		check_statements(c, n);
}

static void check_if(struct check *c, struct node *n)
{
	u32 n_options = c->s->n_options;

	check_condition(c, n->a);
	if (c->s->n_options != n_options && n->a->kind != N_COMPTIME)
		n->aux = IF_BY_OPTION;
	if (n->a->kind == N_COMPTIME && n->a->type->kind == TY_UNKNOWN && !c->final)
		return;
	bool one = node_is_const_int(n->a) && n->aux != IF_BY_OPTION && check_is_for_one(n->a);

	if (!one || n->a->value)
		check_block(c, n->b);
	if (n->c && (!one || !n->a->value))
		check_branch(c, n->c);
}

static void check_while(struct check *c, struct node *n)
{
	check_condition(c, n->a);
	c->loop_depth++;
	check_block(c, n->b);
	c->loop_depth--;
}

enum { MAX_UNROLL = 100 };

static void check_unroll(struct check *c, struct node *n)
{
	const struct type *t = check_value(c, n->a);

	if (!type_is_moot(t) && !node_is_const_int(n->a))
		check_report(c, n->a->span, D_UNROLL_VALUE);
	else if (!type_is_moot(t) && n->a->value < 1)
		check_report(c, n->a->span, D_UNROLL_COUNT, "minimum", 1);
	else if (!type_is_moot(t) && n->a->value > MAX_UNROLL)
		check_report(c, n->a->span, D_UNROLL_COUNT, "maximum", MAX_UNROLL);
	c->loop_depth++;
	check_block(c, n->b);
	c->loop_depth--;
}

static bool can_loop_over_maps(struct check *c, struct node *n)
{
	if (!c->env->features || feature_has(c->env->features, FEAT_FOR_EACH_MAP))
		return true;
	struct diag *d = check_report(c, n->a->span, D_MISSING_FEATURE, "a loop over a map",
				      feature_rows[FEAT_FOR_EACH_MAP].text);

	diag_help(c->diags, d, "it exists since Linux %s", feature_rows[FEAT_FOR_EACH_MAP].since);
	return false;
}

static const struct type *pair_type(struct check *c, struct node *n)
{
	struct map *m;

	n->a->aux = MAP_BY_NAME;
	n->a->type = &ty_map;
	const struct sig_arg arg = { .kinds = AK_MAP };
	const struct type *t = check_map_by_name(c, n->a, &arg);

	m = n->a->map;
	if (t->kind == TY_ERROR || !can_loop_over_maps(c, n))
		return &ty_error;
	if (m->keyed_known && !m->is_keyed)
		return diag_type(c, n->a->span, D_FOR_KEYLESS, m->name);
	if (type_is_moot(m->key) || type_is_moot(m->value))
		return moot(m->key, m->value);
	const struct type *pair[] = { type_rigid(m->key), check_value_type(type_rigid(m->value)) };

	/* hist and the like cannot be copied: only the key is usable */
	if (!type_is_storable(pair[1]))
		pair[1] = &ty_s64;
	return type_tuple(c->arena, pair, 2);
}

/* The join of its bounds. */
static const struct type *range_type(struct check *c, struct node *n)
{
	struct node *bounds[] = { n->a, n->d };
	const struct type *t[2];
	bool mixed = false;

	for (u32 i = 0; i < 2; i++) {
		t[i] = check_value(c, bounds[i]);
		if (type_is_moot(t[i]) || (type_is_integer(t[i]) && t[i]->kind != TY_BOOL))
			continue;
		diag_help(c->diags,
			  check_report(c, bounds[i]->span, D_RANGE_TYPE, i ? "end" : "start"),
			  "this is of type %s", type_text(c, t[i]));
		return &ty_error;
	}
	return type_is_moot(t[0]) || type_is_moot(t[1]) ? moot(t[0], t[1]) :
							  type_join(c, t[0], t[1], &mixed);
}

static void check_for(struct check *c, struct node *n)
{
	bool over_map = !n->d && n->a->kind == N_MAP;
	const struct type *t = over_map ? pair_type(c, n) : range_type(c, n);
	bool in_callback = c->in_callback;
	u32 mark;

	check_scope_begin(c, &mark);
	c->s->for_depth += over_map;
	struct var *v = check_find_var(c, n->c->name);

	if (v) {
		struct diag *d =
			check_report(c, n->c->span, D_REDECLARED_VAR, var_text(c, n->c->name));

		diag_note(c->diags, d, v->decl, "first declared here");
	} else {
		v = n->c->var ? n->c->var : check_new_var(c, n->c->name, n->c->span);
		n->c->var = v;
		check_show_var(c, v);
	}
	v->assigned = v->has_value = true;
	v->key_only = over_map && n->a->map && !type_is_moot(n->a->map->value) &&
				      !type_is_storable(check_value_type(n->a->map->value)) ?
			      n->a->map :
			      NULL;
	if (v == n->c->var && !type_is_moot(t))
		check_unify_var(c, v, t, n->c->span);
	else if (v == n->c->var && t->kind == TY_ERROR)
		v->type = t; /* already reported */
	n->c->type = v->type;
	c->in_callback |= over_map;
	c->loop_depth++;
	check_block(c, n->b);
	c->loop_depth--;
	c->in_callback = in_callback;
	c->s->for_depth -= over_map;
	check_scope_end(c, mark);
}

/* Who reads a macro's call sees no jump: those of its body stay in it. */
static bool leaves_macro(struct check *c, const struct node *n, const char *word)
{
	const struct expansion *e = c->s->expansion;

	if (!e || !e->macro || e->macro->is_std ||
	    (n->kind != N_RETURN && c->loop_depth > c->outer_loops))
		return false;
	check_report(c, n->span, D_MACRO_JUMP, word);
	return true;
}

static void check_return(struct check *c, struct node *n)
{
	const struct type *wanted = c->s->fn ? check_resolve_type(c, c->s->fn->result) : &ty_s64;
	const struct type *t = n->a ? check_value(c, n->a) : &ty_void;
	bool mixed = false;

	if (leaves_macro(c, n, "return"))
		return;
	if (type_is_moot(t) || type_is_moot(wanted) || (!c->s->fn && !n->a))
		return;
	if (type_is_integer(t) && type_is_integer(wanted))
		return;
	if (wanted->kind != TY_INT && wanted->kind == t->kind && type_join(c, wanted, t, &mixed))
		return;
	if (c->s->fn)
		check_report(c, n->span, D_FN_RETURN_TYPE, c->s->fn->name, type_text(c, wanted),
			     type_text(c, t));
	else
		check_report(c, n->span, D_RETURN_TYPE, type_text(c, t));
}

static void check_jump(struct check *c, struct node *n)
{
	const char *word = n->kind == N_BREAK ? "break" : "continue";

	if (leaves_macro(c, n, word))
		return;
	if (!c->loop_depth)
		diag_help(c->diags, check_report(c, n->span, D_OUTSIDE_LOOP, word),
			  "\"%s\" needs a loop around it%s", word,
			  n->kind == N_BREAK ? "; return leaves the probe" : "");
	c->s->terminated_by = word;
}

/* ---- unused values */

static bool is_worth_a_warning(const struct node *n)
{
	switch (n->kind) {
	case N_INCDEC:
	case N_COND:
	case N_BLOCK_EXPR: return false;
	case N_CALL:
		return !n->builtin || !(n->builtin->flags & (BI_STATEMENT | BI_NO_DISCARD_WARNING));
	default: return true;
	}
}

static void check_expr_statement(struct check *c, struct node *n)
{
	n->discards_value = n->a->discards_value = true;
	const struct type *t = check_expr(c, n->a);

	if (n->a->kind == N_BLOCK_EXPR && n->a->b)
		n->a->b->discards_value = true;
	n->a->discards_value = true; /* the node may have been replaced */
	if (n->a->kind == N_CALL && n->a->builtin && n->a->builtin == c->s->exit_row)
		c->s->terminated_by = "exit()";
	if (type_is_moot(t) || t->kind == TY_VOID || !is_worth_a_warning(n->a))
		return;
	struct diag *d = check_report(c, n->span, D_DISCARDED);

	diag_help(c->diags, d, "write _ = ...; if it is intended");
}

static void check_bare(struct check *c, struct node *n)
{
	c->s->n_bare++;
	check_block(c, n);
	c->s->n_bare--;
}

static void check_statement(struct check *c, struct node *n)
{
	switch (n->kind) {
	case N_EXPR: check_expr_statement(c, n); return;
	case N_ASSIGN: check_assign(c, n); return;
	case N_LET: check_let(c, n); return;
	case N_DISCARD: check_value(c, n->a); return;
	case N_IF: check_if(c, n); return;
	case N_WHILE: check_while(c, n); return;
	case N_UNROLL: check_unroll(c, n); return;
	case N_FOR: check_for(c, n); return;
	case N_BREAK:
	case N_CONTINUE: check_jump(c, n); return;
	case N_RETURN:
		check_return(c, n);
		c->s->terminated_by = "return";
		return;
	case N_BLOCK: check_bare(c, n); return;
	case N_IMPORT: return; /* lang_prepare() did it */
	default: check_expr(c, n); return;
	}
}

void check_statements(struct check *c, struct node *list)
{
	const char *was = c->s->terminated_by;
	bool warned = false;

	if (c->s->depth >= MAX_NESTING) {
		if (list)
			check_report(c, list->span, D_NESTING);
		return;
	}
	c->s->depth++;
	c->s->terminated_by = NULL;
	for (struct node *n = list; n; n = n->next) {
		if (c->s->terminated_by && !warned) {
			struct diag *d = check_report(c, n->span, D_UNREACHABLE);

			diag_help(c->diags, d, "nothing runs after %s", c->s->terminated_by);
			warned = true;
		}
		check_statement(c, n);
		if (n->kind == N_IF && !node_is_const_int(n->a) && !c->s->terminated_by &&
		    check_leaves(c, n))
			c->s->terminated_by = "an if whose branches all exit";
	}
	c->s->terminated_by = was;
	c->s->depth--;
}

void check_block(struct check *c, struct node *block)
{
	u32 mark;

	check_scope_begin(c, &mark);
	check_statements(c, block->a);
	check_scope_end(c, mark);
}

/* ---- after the last pass: constants and dead branches as lowering expects them */

static void settle_const(struct node *n)
{
	struct node keep = *n;

	if (keep.type->kind == TY_STRING)
		node_make_str(n, keep.str, keep.str_len, type_rigid(keep.type));
	else
		node_make_int(n, keep.value, type_rigid(keep.type));
	n->discards_value = keep.discards_value;
}

static void settle_if(struct check *c, struct node *n)
{
	struct node **dead = n->a->value ? &n->c : &n->b;

	if (*dead)
		*dead = dead == &n->b ? node_new(c->arena, N_BLOCK, n->span) : NULL;
}

/* The conditional becomes its live branch; in print(1 ? @m : 0) it is the value, not the map. */
static void settle_cond(struct check *c, struct node *n)
{
	struct node *live = n->a->value ? n->b : n->c;
	bool discards = n->discards_value;

	if (live->kind == N_MAP) {
		n->kind = N_BLOCK_EXPR;
		n->a = n->c = NULL;
		n->b = live;
	} else {
		node_copy_over(n, live);
		noting_move(c, n, live);
	}
	n->discards_value = discards;
}

/* A constant picks a branch, which has the type of the whole: see check_expr.c,
 * other_is_wider(). */
static bool is_settled_cond(const struct node *n)
{
	const struct node *live = n->a->value ? n->b : n->c;

	return !n->is_elvis && n->a->is_const && live &&
	       !(type_is_integer(n->type) && live->type && !type_equal(n->type, live->type));
}

static void settle_typeinfo(struct check *c, struct node *n)
{
	const char *values[] = { n->data, n->str };
	struct node **at = &n->a;
	const struct type *t = n->type;

	n->kind = N_RECORD;
	for (u32 i = 0; i < 2; i++, at = &(*at)->next) {
		struct node *member = node_new(c->arena, N_NAMED, n->span);
		struct node *value = node_new(c->arena, N_STR, n->span);

		node_make_str(value, values[i], (u32)strlen(values[i]), t->fields[i].type);
		member->name = t->fields[i].name;
		member->a = value;
		member->type = value->type;
		*at = member;
	}
}

void check_settle(struct check *c, struct node *n)
{
	for (; n; n = n->next) {
		while (n->kind == N_COND && is_settled_cond(n))
			settle_cond(c, n);
		if (n->is_const && n->kind < N_EXPR && n->type) {
			settle_const(n);
			continue;
		}
		if (n->kind == N_IF && n->a->is_const)
			settle_if(c, n);
		if (n->kind == N_TYPEINFO) {
			settle_typeinfo(c, n);
			continue;
		}
		if (n->type && type_is_flexible(n->type))
			n->type = type_rigid(n->type);
		if (node_has_path(n))
			continue;
		check_settle(c, n->a);
		check_settle(c, n->b);
		check_settle(c, n->c);
		check_settle(c, n->d);
	}
}
