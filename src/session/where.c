/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --where EXPR: each clause of the script gets EXPR as a further condition, which is evaluated
 * first. Clauses that no process causes (begin, end, interval) stay as they are.
 *
 *	kprobe:f /arg0/ { ... }   --where 'pid > 1'   ->   kprobe:f /pid > 1 && arg0/ { ... }
 */
#include "session/compile.h"

/* An attach point that cannot be resolved is reported later. */
static bool is_filtered(const struct attach *at)
{
	const struct provider *p = provider_of(at->text);

	return !p || !p->unfiltered;
}

static bool clause_is_filtered(const struct clause *cl)
{
	for (const struct attach *at = cl->attaches; at; at = at->next)
		if (is_filtered(at))
			return true;
	return false;
}

static struct node *both(struct arena *a, struct node *first, struct node *second)
{
	struct node *n;

	if (!second)
		return first;
	n = node_new(a, N_BINARY, first->span);
	n->op = OP_LAND;
	n->a = first;
	n->b = second;
	return n;
}

bool where_add(struct compiled *c, const char *where)
{
	struct source *src;
	struct node *n;

	if (!where)
		return true;
	src = sources_add(&c->sources, "--where", where, strlen(where));
	n = parse_expression(&c->lang, src);
	if (!n)
		return false;
	for (struct clause *cl = c->lang.script->clauses; cl; cl = cl->next)
		if (clause_is_filtered(cl))
			cl->predicate = both(&c->arena, ast_clone(&c->arena, n), cl->predicate);
	return true;
}
