/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls: resolved to macros first, then functions of the script, then builtin rows. In: an N_CALL
 * node. Out: its row and its type; calls of functions are inlined (inline.c). The row's signature
 * determines counts and kinds of arguments; the row's own check runs only once all their types are
 * known.
 */
#include "lang/check_internal.h"
#include "dialect/hints.h"

static const struct sig *sig_of(struct check *c, const struct builtin *row, struct span span)
{
	struct sig *sig = hash_gets(&c->s->sigs, row->sig);
	const char *error;

	if (sig)
		return sig;
	sig = arena_new(c->arena, struct sig);
	if (!sig_parse(c->arena, row->sig, sig, &error)) {
		check_report(c, span, D_BAD_ROW, row->name, error);
		return NULL;
	}
	hash_puts(&c->s->sigs, row->sig, sig);
	return sig;
}

/* ---- counts */

static const char *count_text(struct check *c, const struct sig *sig, u32 n)
{
	bool exact = sig->n_required == sig->n_args && !sig->is_variadic;

	if (exact && sig->n_args < 2)
		return sig->n_args ? "requires one argument" : "requires no arguments";
	if (exact)
		return arena_printf(c->arena, "requires %u arguments", sig->n_args);
	if (n < sig->n_required)
		return sig->n_required == 1 ?
			       "requires at least one argument" :
			       arena_printf(c->arena, "requires at least %u arguments",
					    sig->n_required);
	return sig->n_args == 1 ? "takes up to one argument" :
				  arena_printf(c->arena, "takes up to %u arguments", sig->n_args);
}

static bool check_count(struct check *c, struct node *n, const struct builtin *row,
			const struct sig *sig)
{
	u32 n_args = call_n_args(n);

	if (n_args >= sig->n_required && (n_args <= sig->n_args || sig->is_variadic))
		return true;
	struct diag *d =
		check_report(c, n->span, D_ARG_COUNT, n->name, count_text(c, sig, n_args), n_args);

	diag_help(c->diags, d, "%s", row->sig);
	return false;
}

static bool check_keywords(struct check *c, struct node *n, const struct builtin *row)
{
	bool seen = false;

	for (struct node *a = n->a; a; a = a->next) {
		if (a->kind == N_NAMED && !(row->flags & BI_KEYWORDS)) {
			check_report(c, a->span, D_NO_KEYWORDS, n->name);
			return false;
		}
		if (seen && a->kind != N_NAMED) {
			check_report(c, a->span, D_KEYWORD_FIRST, n->name);
			return false;
		}
		seen |= a->kind == N_NAMED;
	}
	return true;
}

/* ---- kinds */

static u32 kinds_of(const struct type *t)
{
	switch (t->kind) {
	case TY_BOOL:
	case TY_INT:
	case TY_ENUM: return AK_INT | AK_UINT | AK_BOOL | (t->kind == TY_ENUM ? AK_ENUM : 0);
	case TY_FLOAT: return AK_FLOAT;
	case TY_STRING: return AK_STRING;
	case TY_BUFFER: return AK_BUFFER;
	case TY_INET: return AK_INET;
	case TY_POINTER: return t->is_word ? AK_PTR | AK_INT | AK_UINT : AK_PTR;
	case TY_ARRAY: return AK_ARRAY;
	case TY_STRUCT: return AK_STRUCT;
	case TY_TUPLE:
	case TY_RECORD: return AK_TUPLE;
	case TY_KSTACK:
	case TY_USTACK:
	case TY_FULLSTACK: return AK_STACK;
	case TY_STACK_MODE: return AK_STACK_MODE;
	case TY_TIMESTAMP_MODE: return AK_TIMESTAMP_MODE;
	case TY_MAP: return AK_MAP | AK_SCALAR_MAP;
	case TY_ERROR:
	case TY_UNKNOWN:
	case TY_VOID:
	case TY_FUNC:
	case TY_COUNT:
	case TY_SUM:
	case TY_MIN:
	case TY_MAX:
	case TY_AVG:
	case TY_STATS:
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST:
	case TY_TSERIES:
	case TY_SAMPLES:
	case TY_CALL:
	case TY_KSYM:
	case TY_USYM:
	case TY_USERNAME:
	case TY_TIMESTAMP:
	case TY_MACADDR:
	case TY_EVENT:
	case TY_CGROUP_PATH:
	case TY_PROBE:
	case N_TYPE_KINDS: break;
	}
	return 0;
}

static const char *kind_word(struct check *c, const struct type *t)
{
	u32 kinds = kinds_of(t);

	if (kinds & AK_ENUM)
		return "enum";
	if (kinds & AK_INT)
		return t->kind == TY_BOOL ? "bool" : "int";
	return kinds ? sig_kinds_text(c->arena, kinds & ~(u32)AK_SCALAR_MAP) : type_text(c, t);
}

static bool kind_fits(const struct sig_arg *arg, const struct node *n, const struct type *t)
{
	if ((arg->kinds & AK_VAR) && n->kind == N_VAR)
		return true;
	if ((arg->kinds & AK_TYPE) && n->kind == N_TYPE)
		return true;
	if (arg->kinds & AK_ANY)
		return t->kind != TY_VOID;
	if (n->aux == MAP_BY_NAME && n->kind == N_MAP && (arg->kinds & (AK_MAP | AK_SCALAR_MAP)))
		return true;
	return arg->kinds & kinds_of(check_value_type(t));
}

static const struct type *wrong_kind(struct check *c, struct node *call, const struct sig_arg *arg,
				     struct node *n, const struct type *t)
{
	if (!(arg->kinds & ~(u32)(AK_MAP | AK_SCALAR_MAP)))
		return diag_type(c, n->span, D_ARG_MAP, call->name,
				 n->kind == N_MAP && n->a ? ", not a value in it" : "");
	if (arg->kinds == AK_VAR)
		return diag_type(c, n->span, D_ARG_VAR, call->name);
	if (t->kind == TY_VOID)
		return diag_type(c, n->span, D_NO_VALUE);
	bool is_literal = arg->lit_kinds == arg->kinds && !(arg->kinds & (AK_MAP | AK_SCALAR_MAP));
	struct diag *d = check_report(c, n->span, is_literal ? D_ARG_LITERAL : D_ARG_KIND,
				      call->name, sig_kinds_text(c->arena, arg->kinds),
				      kind_word(c, t));

	if ((arg->kinds & AK_STRING) && !(arg->kinds & AK_INT) && type_is_integer(t))
		diag_help(c->diags, d,
			  is_literal ? "write the text in double quotes" :
				       "str() reads a string at an address");
	if ((arg->kinds & AK_INT) && t->kind == TY_POINTER)
		diag_help(c->diags, d, "cast the pointer: (uint64)");
	if (!d->help.n && call->builtin)
		diag_help(c->diags, d, "%s", call->builtin->sig);
	return &ty_error;
}

static const struct type *check_literal_arg(struct check *c, struct node *call,
					    const struct sig_arg *arg, struct node *n,
					    const struct type *t)
{
	bool is_number = (arg->lit_kinds & AK_INT) && !(arg->lit_kinds & AK_BOOL);
	bool constant = n->is_const && !(is_number && t->kind == TY_BOOL);

	for (const struct node *e = n->kind == N_TUPLE ? n->a : NULL; e; e = e->next)
		constant = e->is_const && (e == n->a || constant);
	if (constant || !arg->lit_kinds || (arg->kinds & ~arg->lit_kinds & kinds_of(t)))
		return t;
	struct diag *d = check_report(
		c, n->span, D_ARG_LITERAL, call->name,
		sig_kinds_text(c->arena, arg->kinds & ~(u32)(AK_MAP | AK_SCALAR_MAP)),
		arena_printf(c->arena, "%s%s",
			     !n->is_const && (arg->kinds & kinds_of(t)) ? "non-constant " : "",
			     kind_word(c, t)));

	if (call->builtin && n != call->a)
		diag_help(c->diags, d, "%s; lit: a value that is written in the script",
			  call->builtin->sig);
	return &ty_error;
}

/* ---- arguments */

/* A variable that the call sets; it may be new here. */
static const struct type *check_var_arg(struct check *c, struct node *n)
{
	struct var *v = check_find_var(c, n->name);

	if (!v) {
		v = n->var ? n->var : check_new_var(c, n->name, n->span);
		check_show_var(c, v);
	}
	n->var = v;
	v->assigned = v->has_value = v->used = true;
	return n->type = v->type;
}

static const struct type *arg_type(struct check *c, struct node *n, const struct sig_arg *arg)
{
	bool wanted = c->s->wants_string;
	const struct type *t;

	if ((arg->kinds & AK_NAME) && n->kind == N_IDENT)
		return n->type = &ty_void;
	if ((arg->kinds & AK_VAR) && n->kind == N_VAR)
		return check_var_arg(c, n);
	if ((arg->kinds & (AK_MAP | AK_SCALAR_MAP)) && n->kind == N_MAP && !n->a)
		return n->type = check_map_by_name(c, n, arg);
	c->s->wants_string = arg->kinds & AK_STRING;
	c->s->wants_type = arg->kinds & AK_TYPE;
	t = check_expr(c, n);
	c->s->wants_string = wanted;
	if (n->kind == N_PARAM && (arg->kinds & AK_STRING) && !(arg->kinds & (AK_INT | AK_ANY)))
		return check_param_text(c, n);
	return t;
}

/*
 * The name of the probe in a string context: probe becomes (string)probe, which has room for the
 * longest.
 */
const struct type *check_name_as_text(struct check *c, struct node *n)
{
	struct node *probe = arena_dup(c->arena, n, sizeof *n), *next = n->next;

	*n = (struct node){ .kind = N_CAST, .span = probe->span, .a = probe, .next = next };
	probe->next = NULL;
	n->tref = arena_new(c->arena, struct type_ref);
	n->tref->span = n->span;
	n->tref->name = "string";
	return check_expr(c, n);
}

static const struct type *check_arg(struct check *c, struct node *call, struct node *n,
				    const struct sig_arg *arg)
{
	const struct type *t = arg_type(c, n, arg);

	if (((arg->kinds & AK_NAME) && n->kind == N_IDENT) ||
	    ((arg->kinds & AK_VAR) && n->kind == N_VAR))
		return &ty_void;
	if (t->kind == TY_PROBE && !t->is_func && (arg->kinds & AK_STRING) &&
	    !(arg->kinds & AK_ANY))
		t = check_name_as_text(c, n);
	if (type_is_moot(t))
		return t;
	if (type_is_agg(check_value_type(t)) && n->kind != N_MAP && !(arg->kinds & AK_TYPE))
		return diag_type(c, n->span, D_AGG_USE, type_text(c, t));
	if (!kind_fits(arg, n, t))
		return wrong_kind(c, call, arg, n, t);
	return check_literal_arg(c, call, arg, n, t);
}

/* &ty_error, &ty_unknown, or &ty_void on success. */
static const struct type *check_args(struct check *c, struct node *n, const struct builtin *row,
				     const struct sig *sig)
{
	static const struct sig_arg anything = { .kinds = AK_ANY };
	const struct type *state = &ty_void;
	u32 i = 0;

	if (!check_count(c, n, row, sig) || !check_keywords(c, n, row))
		return &ty_error;
	for (struct node *a = n->a; a; a = a->next) {
		bool named = a->kind == N_NAMED;
		const struct sig_arg *arg = !named && i < sig->n_args ? &sig->args[i++] : &anything;
		const struct type *t = check_arg(c, n, named ? a->a : a, arg);

		a->type = named ? t : a->type;
		if (t->kind == TY_ERROR || (t->kind == TY_UNKNOWN && state->kind != TY_ERROR))
			state = t;
	}
	return state;
}

/* ---- rows */

static const struct builtin *current_row(struct check *c, struct node *n, const struct builtin *row)
{
	if (!row->alias_of)
		return row;
	const struct builtin *now = env_builtin(c->env, row->alias_of);

	check_report(c, n->span, D_OLD_SPELLING, n->name, row->alias_of);
	return now && !row->check && !row->lower && !row->lower_update ? now : row;
}

static bool is_available(struct check *c, struct node *n, const struct builtin *row)
{
	if ((row->flags & BI_UNSAFE) && !c->env->request->compile.unsafe) {
		struct diag *d = check_report(c, n->span, D_UNSAFE, n->name);

		diag_help(c->diags, d, "allow it with --unsafe");
		return false;
	}
	if (row->action && !(row->flags & BI_SEQ) && c->inst && c->inst->profile &&
	    c->inst->profile->iterator.pinned) {
		diag_help(c->diags, check_report(c, n->span, D_PINNED_CALL, n->name),
			  "only printf() writes into the pinned file");
		return false;
	}
	if (!row->feature || !c->env->features)
		return true;
	enum feature id = (enum feature)(row->feature - 1);

	if (feature_has(c->env->features, id))
		return true;
	struct diag *d =
		check_report(c, n->span, D_MISSING_FEATURE, n->name, feature_rows[id].text);

	diag_help(c->diags, d, "it exists since Linux %s", feature_rows[id].since);
	return false;
}

static const struct type *result_type(struct check *c, const struct builtin *row,
				      const struct sig *sig)
{
	const struct type *t;

	if ((row->flags & BI_STATEMENT) || !*sig->result)
		return &ty_void;
	t = check_named_type(c, sig->result);
	return t ? t : &ty_void;
}

/* An old spelling may be a name only; the current row has the signature. */
static const struct type *check_row(struct check *c, struct node *n, const struct builtin *row)
{
	row = current_row(c, n, row);
	const struct sig *sig = row->sig ? sig_of(c, row, n->span) : NULL;
	s64 number = env_builtin_number(row, n->name);

	if (!sig)
		return &ty_error;
	n->builtin = row;
	n->is_const = false;
	n->str = NULL;
	if (number >= 0)
		n->value = number;
	if (!is_available(c, n, row))
		return &ty_error;
	if ((row->flags & BI_AGGREGATE) && c->s->agg_call != n) {
		struct diag *d = check_report(c, n->span, D_AGG_ASSIGN, n->name);

		diag_help(c->diags, d, "write @name = %s(...);", n->name);
		return &ty_error;
	}
	const struct type *state = check_args(c, n, row, sig);

	if (state->kind == TY_ERROR)
		return state;
	c->s->n_options += (row->flags & BI_OPTION) != 0;
	if (!row->check)
		return result_type(c, row, sig);
	return state->kind == TY_UNKNOWN ? state : row->check(c, n);
}

/* ---- functions of the script */

static bool check_fn_arg(struct check *c, struct node *call, struct node *param, struct node *arg)
{
	const struct type *t = check_value(c, arg), *wanted = check_resolve_type(c, param->tref);
	bool mixed = false;

	if (type_is_moot(t) || type_is_moot(wanted))
		return t->kind != TY_ERROR && wanted->kind != TY_ERROR;
	if ((type_is_integer(t) && type_is_integer(wanted)) || type_join(c, wanted, t, &mixed))
		return true;
	check_report(c, arg->span, D_FN_ARG, var_text(c, param->a->name), call->name,
		     type_text(c, wanted), type_text(c, t));
	return false;
}

static const struct type *check_fn_call(struct check *c, struct node *n, struct function *f)
{
	u32 n_args = call_n_args(n), i = 0;
	const struct sig sig = { .n_args = f->params.n, .n_required = f->params.n };

	bool good = true;

	if (!c->s->fn)
		f->caller = c->inst;
	if (n_args != f->params.n) {
		struct diag *d = check_report(c, n->span, D_ARG_COUNT, n->name,
					      count_text(c, &sig, n_args), n_args);

		diag_note(c->diags, d, f->span, "defined here");
		return &ty_error;
	}
	for (struct node *a = n->a; a; a = a->next)
		good &= check_fn_arg(c, n, f->params.v[i++], a);
	if (!good || check_resolve_type(c, f->result)->kind == TY_ERROR || !inline_call(c, n, f))
		return &ty_error;
	return check_expr(c, n);
}

/* ---- names */

static const struct type *unknown_function(struct check *c, struct node *n)
{
	struct diag *d = check_report(c, n->span, D_UNKNOWN_FUNCTION, n->name);
	const struct hash *h[] = { &c->env->builtins, &c->s->functions };
	struct near near;

	if (!c->final)
		return &ty_error;
	near_init(&near, n->name);
	macro_near(c, &near);
	for (u32 t = 0; t < ARRAY_SIZE(h); t++)
		for (u32 i = 0; i < h[t]->cap; i++)
			if (h[t]->slot[i].key)
				near_try(&near, h[t]->slot[i].key);
	if (foreign_word(n->name))
		diag_help(c->diags, d, "%s", foreign_word(n->name));
	else if (near_best(&near))
		diag_help(c->diags, d, "did you mean \"%s\"?", near_best(&near));
	return &ty_error;
}

const struct type *check_call(struct check *c, struct node *n)
{
	if (n->builtin) /* look it up again: an old spelling is noted in the last pass too */
		return check_row(c, n, env_builtin(c->env, n->name));
	int made = macro_expand(c, n);

	if (made)
		return made < 0 ? &ty_error : check_expr(c, n);
	struct function *f = hash_gets(&c->s->functions, n->name);

	if (f)
		return check_fn_call(c, n, f);
	const struct builtin *row = env_builtin(c->env, n->name);

	if (row)
		return check_row(c, n, row);
	return macro_misfit(c, n) ? &ty_error : unknown_function(c, n);
}
