/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values whose types are in a file that does not exist yet. In: a clause that reads args of a probe
 * that waits for its file. Out: the clause with a number of 64 bits for each of them and for
 * whatever is reached through them, so that the rest of the script gets its types. This program is
 * never attached: session/deferred_compile.c compiles the clause for the file when it comes.
 */
#include "lang/check_internal.h"

bool check_is_awaited(const struct node *n)
{
	return n->is_awaited || (n->kind == N_VAR && n->var && n->var->is_awaited);
}

const struct type *check_awaited(struct check *c, struct node *n)
{
	struct node *number = node_new(c->arena, N_IDENT, n->span);

	number->name = "nsecs"; /* any that is no constant */
	n->kind = N_CAST;
	n->tref = arena_new(c->arena, struct type_ref);
	n->tref->span = n->span;
	n->tref->name = "int64";
	n->a = number;
	n->b = NULL;
	n->is_awaited = true;
	return check_expr(c, n);
}
