/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How maps are used: with the running thread as their key (a row with BI_THREAD), or in a way that
 * needs the whole map in the kernel. In: checked instances. Out: counts for each map, added to
 * those of earlier instances.
 *
 *	@s[tid] = 1	@s[tid]		delete(@s[tid])		print(@s)	thread uses
 *	@s[1]		@s[tid]++	for ($kv : @s)		len(@s)		other uses
 */
#include "lang/check_internal.h"

static bool is_thread(const struct node *n)
{
	return n && n->kind == N_CALL && n->builtin && n->builtin->flags & BI_THREAD;
}

/* A map passed by name: to an action, which the reader runs, or followed by a key. */
static bool needs_whole_map(const struct node *call)
{
	if (!call->a || call->a->kind != N_MAP || call->a->a)
		return false;
	return !call->builtin || (!call->builtin->action && !is_thread(call->a->next));
}

/* The child that a node uses otherwise than by reading it; NULL: none. */
static const struct node *other_use(const struct node *n)
{
	switch ((int)n->kind) {
	case N_CALL: return needs_whole_map(n) ? n->a : NULL;
	case N_FOR:
	case N_INCDEC: return n->a;
	case N_ASSIGN: return n->op == OP_NONE ? NULL : n->a;
	case N_UNARY: return n->op == OP_ADDR ? n->a : NULL;
	case N_MAP: return n->a && (n->a->next || !is_thread(n->a)) ? n : NULL;
	default: return NULL;
	}
}

static bool is_assignment(const struct node *n)
{
	return n->kind == N_ASSIGN && n->op != OP_ADD && n->op != OP_SUB && n->a->kind == N_MAP &&
	       n->a->map;
}

static bool count_use(struct node *n, void *ctx)
{
	const struct node *other = other_use(n);

	if (is_assignment(n))
		n->a->map->assignments++;

	if (other && other->kind == N_MAP && other->map)
		other->map->other_uses++;
	if (n->kind == N_MAP && n->map)
		n->map->thread_uses++;
	return true;
}

void check_map_uses(struct instance **instances, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		if (instances[i]->unseen)
			continue;
		ast_walk(instances[i]->predicate, count_use, NULL);
		ast_walk(instances[i]->body, count_use, NULL);
	}
}
