/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expansion of macros and constants of C text. In: a call or bare name in the tree of one instance.
 * Out: the same node, now a copy of the macro's body (N_BLOCK_EXPR) or of the constant's
 * expression.
 *
 * Hygiene: variables of the body get names that no script can contain ("x#3"), parameters are
 * replaced by the arguments, maps must be parameters. Arguments are expanded before they are
 * inserted, so the chain of expansions is as in the text: a macro that occurs in its own chain is
 * recursive. Nested calls multiply; a budget of nodes bounds memory.
 */
#include <ctype.h>

#include "lang/check_internal.h"

struct macro_set {
	VEC(struct macro *) v;
};

static bool same_signature(const struct macro *a, const struct macro *b)
{
	if (a->params.n != b->params.n)
		return false;
	for (u32 i = 0; i < a->params.n; i++)
		if (a->params.v[i].kind != b->params.v[i].kind)
			return false;
	return true;
}

static void add(struct check *c, struct macro *m)
{
	struct macro_set *set = hash_gets(&c->s->macros, m->name);

	if (!set) {
		set = arena_new(c->arena, struct macro_set);
		hash_puts(&c->s->macros, m->name, set);
	}
	for (u32 i = 0; i < set->v.n; i++) {
		struct macro *other = set->v.v[i];

		if (!same_signature(other, m) || other->is_std != m->is_std)
			continue;
		struct diag *d = check_report(c, m->span, D_REDEFINED, "macro", m->name);

		diag_note(c->diags, d, other->span, "first defined here");
	}
	vec_push(c->arena, &set->v, m);
}

void macro_index(struct check *c)
{
	for (struct macro *m = c->lang->script->macros; m; m = m->next)
		add(c, m);
}

bool macro_exists(struct check *c, const char *name)
{
	return hash_gets(&c->s->macros, name) != NULL;
}

void macro_near(struct check *c, struct near *near)
{
	for (u32 i = 0; i < c->s->macros.cap; i++)
		if (c->s->macros.slot[i].key)
			near_try(near, c->s->macros.slot[i].key);
}

/* ---- choosing a definition */

static bool arg_fits(const struct macro_param *p, const struct node *arg)
{
	if (p->kind == N_VAR)
		return arg->kind == N_VAR;
	if (p->kind == N_MAP)
		return arg->kind == N_MAP && !arg->a;
	return true;
}

/* How well the arguments fit: -1 not at all; more for each variable or map demanded by kind. */
static int fit(const struct macro *m, const struct node *args, u32 n_args)
{
	int score = m->is_std ? 0 : 1;

	if (m->params.n != n_args)
		return -1;
	for (u32 i = 0; i < n_args; i++, args = args->next) {
		if (!arg_fits(&m->params.v[i], args))
			return -1;
		score += m->params.v[i].kind == N_IDENT ? 0 : 2;
	}
	return score;
}

static struct macro *choose(const struct macro_set *set, const struct node *args, u32 n_args)
{
	struct macro *best = NULL;
	int best_score = -1;

	for (u32 i = 0; i < set->v.n; i++) {
		int score = fit(set->v.v[i], args, n_args);

		if (score > best_score) {
			best_score = score;
			best = set->v.v[i];
		}
	}
	return best;
}

static const char *param_text(struct check *c, const struct macro_param *p)
{
	const char *sigil = p->kind == N_VAR ? "$" : p->kind == N_MAP ? "@" : "";

	return arena_printf(c->arena, "%s%s", sigil, p->name);
}

static const char *signature(struct check *c, const struct macro *m)
{
	const char *text = arena_printf(c->arena, "%s(", m->name);

	for (u32 i = 0; i < m->params.n; i++)
		text = arena_printf(c->arena, "%s%s%s", text, i ? ", " : "",
				    param_text(c, &m->params.v[i]));
	return arena_printf(c->arena, "%s)", text);
}

/* If one definition fails only by the kind of an argument: reports that argument. */
static bool report_arg(struct check *c, const struct macro *m, struct node *args, u32 n_args)
{
	if (m->params.n != n_args)
		return false;
	for (u32 i = 0; i < n_args; i++, args = args->next) {
		const struct macro_param *p = &m->params.v[i];

		if (arg_fits(p, args))
			continue;
		diag_help(c->diags,
			  check_report(c, args->span, D_MACRO_ARG, m->name,
				       p->kind == N_MAP ? "map" : "variable", param_text(c, p)),
			  "a parameter without \"%c\" takes any expression",
			  p->kind == N_MAP ? '@' : '$');
		return true;
	}
	return false;
}

static int no_match(struct check *c, struct node *n, const struct macro_set *set, u32 n_args)
{
	if (set->v.n == 1 && report_arg(c, set->v.v[0], n->a, n_args))
		return -1;
	struct diag *d = check_report(c, n->span, D_MACRO_NO_MATCH, n->name);

	for (u32 i = 0; i < set->v.n; i++)
		diag_note(c->diags, d, set->v.v[i]->span, "candidate: %s",
			  signature(c, set->v.v[i]));
	return -1;
}

/* ---- expansion */

struct paste {
	struct check *c;
	const struct macro *macro;
	struct node *args;
	u32 mark; /* makes the body's variables unique */
	bool failed;
};

static struct node *arg_at(const struct paste *p, u32 i)
{
	struct node *n = p->args;

	for (; i; i--)
		n = n->next;
	return n;
}

static struct node *find_param(const struct paste *p, enum node_kind kind, const char *name)
{
	for (u32 i = 0; p->macro && i < p->macro->params.n; i++) {
		const struct macro_param *param = &p->macro->params.v[i];

		if (param->kind == kind && streq(param->name, name))
			return arg_at(p, i);
	}
	return NULL;
}

/* Adds the number of nodes of a list to *count; returns its height. */
static u32 measure(const struct node *n, u32 *count)
{
	u32 height = 0;

	for (; n; n = n->next) {
		const struct node *below[] = { n->a, n->b, n->c, n->d };

		++*count;
		for (u32 i = 0; i < ARRAY_SIZE(below); i++) {
			u32 h = below[i] ? measure(below[i], count) : 0;

			height = MAX(height, h);
		}
	}
	return height + 1;
}

bool macro_spend(struct check *c, const struct node *n, struct span span)
{
	const struct node alone = { .a = n->a, .b = n->b, .c = n->c, .d = n->d };
	u32 height = measure(&alone, &c->s->n_expanded);

	if (c->s->n_expanded <= MAX_EXPANDED_NODES && height <= MAX_EXPANDED_HEIGHT)
		return true;
	check_report(c, span, D_MACRO_LIMIT);
	return false;
}

static struct node *clone_one(struct check *c, const struct node *n)
{
	struct node alone = *n;

	alone.next = NULL;
	return ast_clone(c->arena, &alone);
}

static void paste_list(struct paste *p, struct node *n);

static void paste_var(struct paste *p, struct node *n)
{
	struct node *arg = find_param(p, N_VAR, n->name);

	if (arg) {
		n->name = arg->name;
		return;
	}
	const char *name = arena_printf(p->c->arena, "%s#%u", n->name, p->mark);

	n->name = interns(p->c->lang->names, name);
}

static void paste_map(struct paste *p, struct node *n)
{
	if (!p->macro)
		return; /* a fn uses global maps */
	struct node *arg = find_param(p, N_MAP, n->name);

	if (arg) {
		n->name = arg->name;
		return;
	}
	struct diag *d = check_report(p->c, n->span, D_UNHYGIENIC_MAP,
				      arena_printf(p->c->arena, "@%s", n->name));

	diag_help(p->c->diags, d, "pass the map to the macro as an argument");
	p->failed = true;
}

static void paste_ident(struct paste *p, struct node *n)
{
	struct node *arg = find_param(p, N_IDENT, n->name);

	if (!arg)
		return;
	if (p->failed || !macro_spend(p->c, arg, n->span)) {
		p->failed = true;
		return;
	}
	node_copy_over(n, clone_one(p->c, arg));
}

/* A type may be a parameter, given as an expression or as typeof(). */
static struct type_ref *paste_type(struct paste *p, struct type_ref *ref)
{
	struct type_ref *copy = arena_dup(p->c->arena, ref, sizeof *ref);
	struct node *arg = ref->name && !ref->tag ? find_param(p, N_IDENT, ref->name) : NULL;

	copy->type = NULL;
	if (ref->of) {
		copy->of = clone_one(p->c, ref->of);
		paste_list(p, copy->of);
	}
	if (ref->of_type)
		copy->of_type = paste_type(p, ref->of_type);
	if (!arg)
		return copy;
	copy->name = NULL;
	if (arg->kind == N_TYPE)
		copy->of_type = arg->tref;
	else
		copy->of = clone_one(p->c, arg);
	return copy;
}

static void paste_list(struct paste *p, struct node *n)
{
	for (; n && !p->failed; n = n->next) {
		if (n->kind == N_IDENT) {
			/* the replacement is the caller's code: not expanded here */
			paste_ident(p, n);
			continue;
		}
		if (n->tref)
			n->tref = paste_type(p, n->tref);
		if (n->kind == N_VAR)
			paste_var(p, n);
		if (n->kind == N_MAP)
			paste_map(p, n);
		paste_list(p, n->a);
		/* names in the path of offsetof() are not resolved */
		if (!node_has_path(n))
			paste_list(p, n->b);
		paste_list(p, n->c);
		paste_list(p, n->d);
	}
}

/* Macros inside arguments belong to the caller: they are expanded in its chain. */
static bool expand_below(struct check *c, struct node *n)
{
	for (; n; n = n->next) {
		if ((n->kind == N_CALL || n->kind == N_IDENT) && !n->builtin &&
		    macro_expand(c, n) < 0)
			return false;
		/* an expansion: its body is expanded when checked */
		if (n->kind == N_BLOCK_EXPR && n->data)
			continue;
		if (!expand_below(c, n->a) || (!node_has_path(n) && !expand_below(c, n->b)) ||
		    !expand_below(c, n->c) || !expand_below(c, n->d))
			return false;
	}
	return true;
}

static const char *chain_text(struct check *c, const struct expansion *e, const char *name)
{
	const char *text = name;

	for (; e; e = e->up)
		text = arena_printf(c->arena, "%s > %s", e->name, text);
	return text;
}

static bool is_recursive(struct check *c, const struct node *n, const struct macro *m)
{
	for (const struct expansion *e = c->s->expansion; e; e = e->up) {
		if (e->macro != m)
			continue;
		check_report(c, n->span, D_RECURSIVE_MACRO,
			     chain_text(c, c->s->expansion, m->name));
		return true;
	}
	return false;
}

static struct expansion *expansion_new(struct check *c, struct node *n, const struct macro *m)
{
	struct expansion *e = arena_new(c->arena, struct expansion);

	*e = (struct expansion){
		.name = n->name, .call = n->span, .macro = m, .up = c->s->expansion
	};
	return e;
}

static int paste(struct check *c, struct node *n, struct macro *m)
{
	struct expansion *e = expansion_new(c, n, m);
	struct node *args = n->kind == N_CALL ? n->a : NULL;

	if (is_recursive(c, n, m) || !macro_spend(c, m->body, n->span) || !expand_below(c, args))
		return -1;
	struct paste p = { c, m, args, ++c->s->n_names, false };
	struct node *body = clone_one(c, m->body);
	const struct expansion *up = c->s->expansion;

	c->s->expansion = e;
	paste_list(&p, body->a);
	paste_list(&p, body->b);
	c->s->expansion = up;
	if (p.failed)
		return -1;
	body->data = e;
	body->span = n->span;
	node_copy_over(n, body);
	return 1;
}

void macro_rename(struct check *c, struct node *list, u32 mark)
{
	struct paste p = { .c = c, .mark = mark };

	paste_list(&p, list);
}

int macro_expand(struct check *c, struct node *n)
{
	const struct macro_set *set = hash_gets(&c->s->macros, n->name);
	u32 n_args = 0;

	if (!set)
		return 0;
	for (struct node *arg = n->kind == N_CALL ? n->a : NULL; arg; arg = arg->next)
		n_args++;
	struct macro *m = choose(set, n->kind == N_CALL ? n->a : NULL, n_args);

	if (m)
		return paste(c, n, m);
	/* a builtin of the same name may accept what no macro does */
	if (env_builtin(c->env, n->name) || hash_gets(&c->s->functions, n->name))
		return 0;
	return no_match(c, n, set, n_args);
}

/* ---- constants of C text */

static const char *trimmed(struct check *c, const char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len && isspace((u8)s[len - 1]))
		len--;
	return arena_strndup(c->arena, s, len);
}

int macro_misfit(struct check *c, const struct node *n)
{
	const struct node *def = hash_gets(&c->lang->constants, n->name);
	struct diag *d;

	if (!def || def->kind != N_MISFIT)
		return 0;
	const char *body = trimmed(c, def->str);

	if (def->value) {
		d = check_report(c, n->span, D_C_MACRO_FUNCTION, n->name);
		diag_help(c->diags, d, "write \"macro %s(a) { ... }\" after the C text", n->name);
	} else {
		d = check_report(c, n->span, D_C_MACRO_BODY, *body ? body : "it is empty");
	}
	diag_note(c->diags, d, def->span, "defined here");
	return -1;
}

int macro_constant(struct check *c, struct node *n)
{
	struct node *value = hash_gets(&c->lang->constants, n->name);
	const struct expansion *up = c->s->expansion;

	if (!value || value->kind == N_MISFIT)
		return macro_misfit(c, n);
	for (const struct expansion *e = up; e; e = e->up)
		if (!e->macro && !e->fn && streq(e->name, n->name)) {
			check_report(c, e->call, D_RECURSIVE_CONSTANT, n->name);
			return -1;
		}
	if (!macro_spend(c, value, n->span))
		return -1;
	struct expansion *e = expansion_new(c, n, NULL);
	struct node *copy = clone_one(c, value);
	struct span span = n->span;

	c->s->expansion = e;
	bool good = expand_below(c, copy);

	c->s->expansion = up;
	if (!good)
		return -1;
	node_copy_over(n, copy);
	/* stored as a block, so that names inside see the chain */
	if (n->kind != N_INT && n->kind != N_STR) {
		struct node *inner = arena_dup(c->arena, n, sizeof *n);

		inner->next = NULL;
		node_copy_over(n, &(struct node){ .kind = N_BLOCK_EXPR, .b = inner, .data = e });
	}
	n->span = span;
	return 1;
}
