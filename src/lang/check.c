/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type checker's driver. In: the instances of all probes, each with its own clone of a body.
 * Out: every expression typed, every name resolved, macros expanded, constants folded.
 *
 * Types of variables and maps only grow (check_type.c), so the program is walked with diagnostics
 * muted to a fixpoint; types that are still unknown then become int64; a last walk reports. Each
 * walk resolves names again: the scopes are rebuilt, the struct var of a declaring node persists.
 */
#include "lang/check_internal.h"
#include "lang/noted.h"

const struct type ty_map = { .kind = TY_MAP, .size = 8, .align = 8 };

/* ---- reports */

static struct diag *vreport(struct check *c, struct span span, enum diag_id id, va_list ap)
{
	struct diag *d = diag_vreport(c->diags, span, id, ap);
	u32 shown = 0;

	if (!c->final)
		return d;
	for (const struct expansion *e = c->s->expansion; e && shown < 4; e = e->up, shown++)
		diag_note(c->diags, d, e->call, "expanded from %s here", e->name);
	return d;
}

struct diag *check_report(struct check *c, struct span span, enum diag_id id, ...)
{
	va_list ap;

	va_start(ap, id);
	struct diag *d = vreport(c, span, id, ap);

	va_end(ap);
	return d;
}

const struct type *diag_type(struct check *c, struct span span, enum diag_id id, ...)
{
	va_list ap;

	va_start(ap, id);
	vreport(c, span, id, ap);
	va_end(ap);
	return &ty_error;
}

/* ---- what builtin rows use */

struct node *call_arg(const struct node *call, u32 i)
{
	for (struct node *n = call->a; n; n = n->next) {
		if (n->kind == N_NAMED)
			continue;
		if (!i--)
			return n;
	}
	return NULL;
}

u32 call_n_args(const struct node *call)
{
	u32 n_args = 0;

	for (const struct node *n = call->a; n; n = n->next)
		n_args += n->kind != N_NAMED;
	return n_args;
}

struct node *call_keyword(const struct node *call, const char *name)
{
	for (struct node *n = call->a; n; n = n->next)
		if (n->kind == N_NAMED && streq(n->name, name))
			return n->a;
	return NULL;
}

s64 call_int(const struct node *call, u32 i, s64 dflt)
{
	const struct node *n = call_arg(call, i);

	return n && n->is_const && n->type->kind != TY_STRING ? n->value : dflt;
}

const char *call_str(const struct node *call, u32 i)
{
	const struct node *n = call_arg(call, i);

	return n && n->is_const && n->type->kind == TY_STRING ? n->str : NULL;
}

enum space check_default_space(const struct check *c)
{
	const struct profile *p = c->inst ? c->inst->profile : NULL;

	return p && p->default_space != SPACE_NONE ? p->default_space : SPACE_KERNEL;
}

struct node *node_copy_over(struct node *n, const struct node *from)
{
	struct node *next = n->next;

	*n = *from;
	n->next = next;
	return n;
}

static void make_const(struct node *n, enum node_kind kind, const struct type *t)
{
	*n = (struct node){
		.kind = kind, .span = n->span, .next = n->next, .type = t, .is_const = true
	};
}

void node_make_int(struct node *n, s64 value, const struct type *t)
{
	make_const(n, t->kind == TY_BOOL ? N_BOOL : N_INT, t);
	n->value = value;
}

void node_make_str(struct node *n, const char *s, u32 len, const struct type *t)
{
	make_const(n, N_STR, t);
	n->str = s;
	n->str_len = len;
}

const struct type *node_fold_int(struct node *call, s64 value, const struct type *t)
{
	call->is_const = true;
	call->value = value;
	call->str = NULL;
	return t;
}

const struct type *node_fold_str(struct node *call, const char *s, u32 len, const struct type *t)
{
	call->is_const = true;
	call->str = s;
	call->str_len = len;
	return t;
}

/* ---- variables */

static struct var no_var; /* the value of a name that is out of scope */

const char *var_text(struct check *c, const char *name)
{
	return arena_printf(c->arena, "$%.*s", (int)strcspn(name, "#"), name);
}

void check_scope_begin(struct check *c, u32 *mark)
{
	*mark = c->s->scope.n;
}

void check_scope_end(struct check *c, u32 mark)
{
	while (c->s->scope.n > mark) {
		struct var *v = c->s->scope.v[--c->s->scope.n];

		v->is_left = true;
		hash_puts(&c->s->visible, v->name, &no_var);
	}
}

struct var *check_find_var(struct check *c, const char *name)
{
	struct var *v = hash_gets(&c->s->visible, name);

	return v == &no_var ? NULL : v;
}

void check_show_var(struct check *c, struct var *v)
{
	vec_push(c->arena, &c->s->scope, v);
	hash_puts(&c->s->visible, v->name, v);
}

struct var *check_new_var(struct check *c, const char *name, struct span span)
{
	struct var *v = arena_new(c->arena, struct var);

	v->name = name;
	v->type = &ty_unknown;
	v->decl = span;
	v->for_depth = c->s->for_depth;
	v->loop_depth = c->loop_depth;
	vec_push(c->arena, &c->inst->vars, v);
	return v;
}

const struct type *check_undefined_var(struct check *c, struct node *n)
{
	struct diag *d = check_report(c, n->span, D_UNDEFINED_VAR, var_text(c, n->name));
	struct near near;

	near_init(&near, n->name);
	for (u32 i = 0; i < c->s->scope.n; i++)
		near_try(&near, c->s->scope.v[i]->name);
	if (near_best(&near))
		diag_help(c->diags, d, "did you mean \"%s\"?", var_text(c, near_best(&near)));
	else if (c->inst->provider && streq(c->inst->provider, "uprobe"))
		diag_help(
			c->diags, d,
			"a variable of the program is vars.%s; one of the script is assigned first: let %s;",
			n->name, var_text(c, n->name));
	else
		diag_help(c->diags, d, "assign to it first, or declare it: let %s;",
			  var_text(c, n->name));
	return &ty_error;
}

/*
 * In older bpftrace releases variables belonged to the whole probe: `if (a) { $x = 1; }
 * print($x);`. The declaration moves from the branch to the probe: a let before all other
 * statements, which the next pass sees. (Blocks that are no branch came together with scopes.)
 */
static void declare_in_probe(struct check *c, const struct var *v)
{
	struct node *let;

	for (const struct node *n = c->inst->body->a; n && n->aux == LET_OLD_SCOPE; n = n->next)
		if (n->a->name == v->name)
			return;
	let = node_new(c->arena, N_LET, v->decl);
	let->a = node_new(c->arena, N_VAR, v->decl);
	let->a->name = v->name;
	let->aux = LET_OLD_SCOPE;
	let->next = c->inst->body->a;
	c->inst->body->a = let;
	c->changed = true;
}

struct var *check_old_scope(struct check *c, const struct node *n)
{
	if (c->final || c->s->fn || strchr(n->name, '#'))
		return NULL;
	for (u32 i = 0; i < c->inst->vars.n; i++) {
		struct var *v = c->inst->vars.v[i];

		if (v->name == n->name && v->in_branch && v->is_left) {
			declare_in_probe(c, v);
			return v;
		}
	}
	return NULL;
}

/* ---- passes */

void instance_init(struct lang *l, struct instance *in, struct clause *clause)
{
	in->clause = clause;
	in->predicate = clause->predicate ? ast_clone(l->arena, clause->predicate) : NULL;
	in->body = ast_clone(l->arena, clause->body);
}

static void begin(struct check *c, struct instance *in)
{
	check_scope_end(c, 0);
	c->inst = in;
	c->loop_depth = 0;
	c->in_callback = false;
	c->s->for_depth = 0;
	c->s->n_bare = 0;
	c->s->depth = 0;
	c->s->expansion = NULL;
	c->s->terminated_by = NULL;
	for (u32 i = 0; i < in->vars.n; i++)
		in->vars.v[i]->is_left = in->vars.v[i]->has_value = false;
}

static void check_instance(struct check *c, struct instance *in)
{
	bool muted = c->diags->muted;

	c->diags->muted |= in->unseen;
	begin(c, in);
	if (in->predicate)
		check_condition(c, in->predicate);
	check_block(c, in->body);
	c->diags->muted = muted;
}

static bool always_leaves(const struct check *c, const struct node *list);

bool check_leaves(const struct check *c, const struct node *n)
{
	switch (n->kind) {
	case N_RETURN: return true;
	case N_EXPR:
		return n->a->kind == N_CALL && n->a->builtin && n->a->builtin == c->s->exit_row;
	case N_BLOCK: return always_leaves(c, n->a);
	case N_IF:
		if (node_is_const_int(n->a))
			return n->a->value ? check_leaves(c, n->b) : n->c && check_leaves(c, n->c);
		return n->c && check_leaves(c, n->b) && check_leaves(c, n->c);
	default: return false;
	}
}

static bool always_leaves(const struct check *c, const struct node *list)
{
	for (; list; list = list->next)
		if (check_leaves(c, list))
			return true;
	return false;
}

/* A called function may use the context of its caller's probe. */
static void borrow_context(struct instance *home, const struct instance *caller)
{
	home->profile = caller->profile;
	home->provider = caller->provider;
	home->name = caller->name;
	home->clause = caller->clause;
	home->sites.v = caller->sites.v;
	home->sites.n = caller->sites.n;
}

static void check_fn(struct check *c, struct function *f, struct instance *home)
{
	if (f->caller)
		borrow_context(home, f->caller);
	begin(c, home);
	c->s->fn = f;
	check_resolve_type(c, f->result);
	for (u32 i = 0; i < f->params.n; i++) {
		struct node *param = f->params.v[i], *next = param->next;

		param->next = NULL;
		check_statements(c, param);
		param->next = next;
		if (param->a->var)
			param->a->var->assigned = param->a->var->has_value = true;
	}
	check_block(c, home->body);
	if (f->result->type && !type_is_moot(f->result->type) && f->result->type->kind != TY_VOID &&
	    !always_leaves(c, home->body->a))
		diag_help(c->diags,
			  check_report(c, f->result->span, D_FN_NO_RETURN, f->name,
				       type_text(c, f->result->type)),
			  "it can end without a return statement");
	c->s->fn = NULL;
}

bool check_is_slow(const struct check *c)
{
	return c->s->n_passes > LONG_PASSES;
}

static void pass(struct check *c, struct instance **instances, u32 n)
{
	u32 i = 0;

	c->s->n_passes++;
	c->changed = false;
	for (struct function *f = c->lang->script->functions; f; f = f->next)
		check_fn(c, f, &c->s->fns[i++]);
	for (i = 0; i < n; i++)
		check_instance(c, instances[i]);
}

static void walk_to_fixpoint(struct check *c, struct instance **instances, u32 n)
{
	u32 passes = 0;

	do
		pass(c, instances, n);
	while (c->changed && ++passes < MAX_PASSES);
}

static void default_vars(struct check *c, struct instance *in)
{
	for (u32 i = 0; i < in->vars.n; i++) {
		struct var *v = in->vars.v[i];

		if (v->type->kind != TY_UNKNOWN)
			continue;
		v->type = &ty_s64;
		c->changed = true;
	}
}

/* Maps first: the type of a loop's variable follows from its map. */
static void default_types(struct check *c, struct instance **instances, u32 n, u32 n_fns)
{
	c->changed = false;
	check_maps_default(c);
	if (c->changed)
		return;
	for (u32 i = 0; i < n; i++)
		default_vars(c, instances[i]);
	for (u32 i = 0; i < n_fns; i++)
		default_vars(c, &c->s->fns[i]);
}

static void infer(struct check *c, struct instance **instances, u32 n, u32 n_fns)
{
	walk_to_fixpoint(c, instances, n);
	for (u32 tries = 0; tries < 4; tries++) {
		default_types(c, instances, n, n_fns);
		if (!c->changed)
			break;
		walk_to_fixpoint(c, instances, n);
	}
}

/* ---- functions of the script */

static u32 index_functions(struct check *c)
{
	static struct profile nothing;
	u32 n = 0;

	for (struct function *f = c->lang->script->functions; f; f = f->next, n++) {
		struct function *other = hash_puts(&c->s->functions, f->name, f);

		if (other)
			check_report(c, f->span, D_REDEFINED, "function", f->name);
	}
	c->s->fns = arena_array(c->arena, struct instance, n);
	n = 0;
	for (struct function *f = c->lang->script->functions; f; f = f->next, n++) {
		/* calls inline the body as it was written: this checks a copy */
		c->s->fns[n].body = ast_clone(c->arena, f->body);
		c->s->fns[n].profile = &nothing;
		c->s->fns[n].name = c->s->fns[n].provider = "fn";
	}
	return n;
}

/* ---- whole */

static void warn_vars(struct check *c, struct instance *in)
{
	for (u32 i = 0; i < in->vars.n; i++) {
		const struct var *v = in->vars.v[i];

		if (v->is_declared && !v->assigned && !v->address_taken &&
		    v->type->kind != TY_ERROR)
			check_report(c, v->decl, D_NEVER_ASSIGNED, var_text(c, v->name));
	}
}

static void finish(struct check *c, struct instance **instances, u32 n, u32 n_fns, bool good)
{
	c->s->expansion = NULL;
	check_maps_finish(c);
	for (u32 j = 0; j < n; j++)
		if (!instances[j]->unseen)
			warn_vars(c, instances[j]);
	for (u32 j = 0; j < n_fns; j++)
		warn_vars(c, &c->s->fns[j]);
	if (!good)
		return;
	for (u32 i = 0; i < n; i++) {
		check_settle(c, instances[i]->predicate);
		check_settle(c, instances[i]->body);
	}
	check_map_uses(instances, n);
}

static void release(struct check_state *s)
{
	hash_release(&s->visible);
	hash_release(&s->macros);
	hash_release(&s->functions);
	hash_release(&s->sigs);
}

bool lang_check(struct lang *l, struct instance **instances, u32 n)
{
	struct check_state state = { 0 };
	struct check c = {
		.lang = l, .arena = l->arena, .diags = l->diags, .env = l->env, .s = &state
	};
	u32 errors = l->diags->n_errors;
	bool muted = l->diags->muted;

	state.exit_row = env_builtin(l->env, "exit");
	macro_index(&c);
	u32 n_fns = index_functions(&c);

	l->diags->muted = true;
	infer(&c, instances, n, n_fns);
	l->diags->muted = muted;
	if (c.env->noting) {
		noting_rewrite(&c, instances, n);
		l->diags->muted = true;
		infer(&c, instances, n, n_fns);
		l->diags->muted = muted;
	}
	c.final = true;
	pass(&c, instances, n);
	check_scope_end(&c, 0);
	finish(&c, instances, n, n_fns, l->diags->n_errors == errors);
	release(&state);
	return l->diags->n_errors == errors;
}
