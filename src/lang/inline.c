/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of fn: the function is inlined at the call, so engines need not support calls. In: a call
 * with its arguments. Out: the same node as a block with a value:
 *
 *	fn f($a: T): R { ...; return e; }	{ let $a#1: T = (T)arg; ...; (R)e }
 *
 * A return elsewhere than at the end breaks out of a loop with one iteration, through the enclosing
 * loops:
 *
 *	{ let $a#1: T = (T)arg; let $ret#1: R; let $done#1: bool;
 *	  unroll (1) {
 *		if ... { $ret#1 = (R)e; $done#1 = 1; break; }
 *		while ... { ... } if ($done#1) { break; }
 *	  }
 *	  $ret#1 }
 *
 * Variables are renamed as in macros; maps are global. Recursion is refused.
 */
#include "lang/check_internal.h"

struct inlined {
	struct check *c;
	struct function *f;
	struct span span;
	bool has_result;
};

static struct node *make(const struct inlined *in, enum node_kind kind)
{
	return node_new(in->c->arena, kind, in->span);
}

static struct node *make_var(const struct inlined *in, const char *name)
{
	struct node *n = make(in, N_VAR);

	n->name = name;
	return n;
}

/* Integers are truncated to the declared type, as in C; other values must have it. */
static struct node *converted(const struct inlined *in, struct type_ref *to, struct node *value,
			      u32 why)
{
	struct node *cast;

	if (!to->type || !type_is_integer(to->type))
		return value;
	cast = make(in, N_CAST);
	cast->span = value->span;
	cast->tref = arena_dup(in->c->arena, to, sizeof *to);
	cast->aux = why;
	cast->a = value;
	return cast;
}

static struct node *make_let(const struct inlined *in, const char *name, struct type_ref *t,
			     struct node *value)
{
	struct node *let = make(in, N_LET);

	let->a = make_var(in, name);
	let->tref = arena_dup(in->c->arena, t, sizeof *t);
	let->b = value;
	return let;
}

static struct node *make_set(const struct inlined *in, const char *name, struct node *value)
{
	struct node *set = make(in, N_ASSIGN);

	set->a = make_var(in, name);
	set->b = value;
	return set;
}

static struct node *make_one(const struct inlined *in)
{
	struct node *one = make(in, N_INT);

	one->value = 1;
	return one;
}

static bool is_loop(const struct node *n)
{
	return n->kind == N_WHILE || n->kind == N_UNROLL || n->kind == N_FOR;
}

static u32 count_returns(const struct node *n)
{
	u32 sum = 0;

	for (; n; n = n->next)
		sum += (n->kind == N_RETURN) + count_returns(n->a) + count_returns(n->b) +
		       count_returns(n->c) + count_returns(n->d);
	return sum;
}

/* return e  ->  { $ret = e; $done = 1; break; } */
static void leave(const struct inlined *in, struct node *n)
{
	struct node *list = make(in, N_BREAK), *value = n->a;
	struct node *done = make_set(in, "done", make_one(in));

	done->next = list;
	list = done;
	if (value && in->has_result) {
		struct node *set =
			make_set(in, "ret", converted(in, in->f->result, value, CAST_RESULT));

		set->next = list;
		list = set;
	}
	struct node block = { .kind = N_BLOCK, .span = n->span, .a = list };

	node_copy_over(n, &block);
}

/* After a loop that a return may have left: leaves the enclosing one too. */
static void pass_on(const struct inlined *in, struct node *loop)
{
	struct node *test = make(in, N_IF);

	test->a = make_var(in, "done");
	test->b = make(in, N_BLOCK);
	test->b->a = make(in, N_BREAK);
	test->next = loop->next;
	loop->next = test;
}

static void rewrite(const struct inlined *in, struct node *n)
{
	for (; n; n = n->next) {
		if (n->kind == N_RETURN) {
			leave(in, n);
			continue;
		}
		bool leaves = is_loop(n) && count_returns(n->b);

		rewrite(in, n->a);
		rewrite(in, n->b);
		rewrite(in, n->c);
		rewrite(in, n->d);
		if (leaves)
			pass_on(in, n);
	}
}

static struct node *last_of(struct node *list)
{
	while (list && list->next)
		list = list->next;
	return list;
}

/* The body ends in its only return: no loop is needed. */
static void paste_simple(const struct inlined *in, struct node *block, struct node *body)
{
	struct node **link = &body->a;

	while (*link && (*link)->kind != N_RETURN)
		link = &(*link)->next;
	struct node *value = *link ? (*link)->a : NULL;

	*link = NULL;
	block->a = body->a;
	if (value && in->has_result)
		block->b = converted(in, in->f->result, value, CAST_RESULT);
}

static void paste_general(const struct inlined *in, struct node *block, struct node *body)
{
	static const struct type_ref truth = { .name = "bool" };
	struct type_ref *t = arena_dup(in->c->arena, &truth, sizeof truth);
	struct node *once = make(in, N_UNROLL), *done = make_let(in, "done", t, make(in, N_BOOL));

	rewrite(in, body->a);
	once->a = make_one(in);
	once->b = body;
	done->next = once;
	block->a = done;
	if (!in->has_result)
		return;
	struct node *ret = make_let(in, "ret", in->f->result, NULL);

	ret->next = done;
	block->a = ret;
	block->b = make_var(in, "ret");
}

static bool is_recursive(struct check *c, const struct node *call, const struct function *f)
{
	bool found = c->s->fn == f;

	for (const struct expansion *e = c->s->expansion; e; e = e->up)
		found |= e->fn == f;
	if (found)
		check_report(c, call->span, D_RECURSIVE_FN, f->name);
	return found;
}

/* Arguments keep the caller's names: they are added after the renaming. */
static void put_params(const struct inlined *in, struct node *block, struct node *args, u32 mark)
{
	struct node *lets = NULL, **end = &lets;

	for (u32 i = 0; i < in->f->params.n; i++) {
		const struct node *param = in->f->params.v[i];
		struct node *arg = args;

		args = args->next;
		arg->next = NULL;
		struct node *let = make_let(in, param->a->name, param->tref, NULL);

		macro_rename(in->c, let, mark);
		let->b = converted(in, param->tref, arg, CAST_ARG);
		*end = let;
		end = &let->next;
	}
	*end = block->a;
	block->a = lets;
}

bool inline_call(struct check *c, struct node *n, struct function *f)
{
	struct inlined in = { c, f, n->span, f->result->type && f->result->type->kind != TY_VOID };
	struct expansion *e = arena_new(c->arena, struct expansion);

	if (is_recursive(c, n, f) || !macro_spend(c, f->body, n->span))
		return false;
	*e = (struct expansion){ .name = f->name, .call = n->span, .fn = f, .up = c->s->expansion };

	struct node *body = ast_clone(c->arena, f->body), *last = last_of(body->a);
	struct node *block = make(&in, N_BLOCK_EXPR), *args = n->a;
	u32 returns = count_returns(body->a), mark = ++c->s->n_names;

	if (in.has_result && !returns)
		return false; /* reported at its definition */
	if (!returns || (returns == 1 && last->kind == N_RETURN))
		paste_simple(&in, block, body);
	else
		paste_general(&in, block, body);
	macro_rename(c, block, mark);
	put_params(&in, block, args, mark);
	block->data = e;
	node_copy_over(n, block);
	return true;
}
