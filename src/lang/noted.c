/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A script over events that another run recorded for it. In: a node before it is checked,
 * "str($p)". Out: the field that has its value, (cast)args.str_p.
 */
#include "lang/noted.h"

static const struct noted_reads *reads_of(const struct check *c)
{
	return c->inst && c->inst->profile ? c->inst->profile->noted : NULL;
}

static bool is_of_args(struct check *c, const struct node *query)
{
	struct node name = { .kind = N_IDENT, .name = query->tref ? query->tref->name : NULL };
	const struct node *of = query->a ? query->a : &name;

	return of->name && noted_is_args(c, of);
}

int noted_has_arg(struct check *c, const struct node *query)
{
	const struct noted_reads *r = reads_of(c);
	const char *name = query->b && !query->b->a ? query->b->name : NULL, *all;
	size_t n = name ? strlen(name) : 0;

	if (!r || !r->args || !n || query->kind != N_FIELD_EXISTS || !is_of_args(c, query))
		return -1;
	for (all = r->args; *all; all += strcspn(all, " ") + 1)
		if (!strncmp(all, name, n) && all[n] == ' ')
			return 1;
	return 0;
}

static const struct noted_read *find(const struct noted_reads *r, const char *key)
{
	for (u32 i = 0; i < r->n; i++)
		if (streq(r->v[i].key, key))
			return &r->v[i];
	return NULL;
}

static const struct noted_read *read_of(struct check *c, const struct noted_text *t)
{
	const struct noted_reads *r = reads_of(c);
	const struct noted_read *found = t->is_bound ? NULL : find(r, t->key);

	return !found && r->script && r->script == c->env->script_id ? find(r, t->bound) : found;
}

/* args.FIELD, which is no read of the script. */
static struct node *field(struct check *c, struct span span, const char *name)
{
	struct node *n = node_new(c->arena, N_FIELD, span);
	struct node **key = arena_dup(c->arena, &n, sizeof n);

	n->name = name;
	n->a = node_new(c->arena, N_IDENT, span);
	n->a->name = "args";
	hash_put(&c->env->noted_texts, key, sizeof n, key);
	key = arena_dup(c->arena, &n->a, sizeof n);
	hash_put(&c->env->noted_texts, key, sizeof n, key);
	return n;
}

/* The type of a pointer may be unknown here; what it points to was recorded with it. */
static const struct type *cast_type(struct check *c, const char *text)
{
	const struct type *t;

	if (!*text || *text == NOTED_LAYOUT || starts_with(text, "buffer[")) /* the field's own */
		return NULL;
	t = check_named_type(c, text);

	return !t && ends_with(text, "*") ? &ty_void_ptr : t;
}

static void replace(struct check *c, struct node *n, const struct noted_read *r)
{
	const struct type *t = cast_type(c, r->type);
	struct node *with = field(c, n->span, r->field), *cast;

	if (!*r->field) { /* a structure of which fields alone are read */
		node_make_int(n, 0, &ty_u64);
		return;
	}
	if (!t) {
		with->next = n->next;
		*n = *with;
		struct node **key = arena_dup(c->arena, &n, sizeof n);
		hash_put(&c->env->noted_texts, key, sizeof n, key);
		return;
	}
	cast = node_new(c->arena, N_CAST, n->span);
	cast->a = with;
	cast->next = n->next;
	cast->tref = arena_new(c->arena, struct type_ref);
	cast->tref->span = n->span;
	cast->tref->type = t;
	*n = *cast;
}

static const char *recorded(struct check *c)
{
	const struct noted_reads *r = reads_of(c);
	const char *text = "";

	for (u32 i = 0; i < r->n; i++)
		if (!strchr(r->v[i].key, '@'))
			text = arena_printf(c->arena, "%s%s%s", text, *text ? ", " : "",
					    r->v[i].key);
	return text;
}

static bool refuse(struct check *c, struct node *n, const struct noted_text *t)
{
	struct diag *d = check_report(c, n->span, D_READ_NOT_RECORDED, t->key, c->inst->name);
	const char *all = c->final ? recorded(c) : "";

	if (!c->final)
		return false;
	if (*all)
		diag_help(c->diags, d, "for this probe the recording has %s", all);
	diag_help(c->diags, d, "\"sonde record SCRIPT -- CMD\" keeps all that SCRIPT reads");
	return false;
}

static bool is_statement(struct check *c, const struct node *call)
{
	const struct builtin *row = env_builtin(c->env, call->name);

	return row && row->noted_as && call->a;
}

/* Of a statement what it prints was recorded: join(P) is join(args.join_P). */
static void replace_argument(struct check *c, struct node *call, const struct noted_read *r)
{
	struct node **key = arena_dup(c->arena, &call, sizeof call), *with;

	with = field(c, call->a->span, r->field);
	with->next = call->a->next;
	call->a = with;
	hash_put(&c->env->noted_texts, key, sizeof call, key);
}

bool noted_replace(struct check *c, struct node *n)
{
	bool is_call = n->kind == N_CALL || n->kind == N_IDENT;
	const struct noted_read *r;
	struct noted_text t;

	if (!reads_of(c) || (n->type && n->type->kind != TY_ERROR) ||
	    hash_get(&c->env->noted_texts, &n, sizeof n))
		return true;
	t = noted_text_of(c, n);
	r = read_of(c, &t);
	if (r && is_call && is_statement(c, n))
		replace_argument(c, n, r);
	else if (r)
		replace(c, n, r);
	else if (t.is_arg || (is_call && noted_is_asked(env_builtin(c->env, n->name), n)))
		return refuse(c, n, &t);
	return true;
}
