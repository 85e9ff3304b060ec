/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the tree: allocation, copies, walks. Children a, b, c, d may each be the head of a list;
 * lists are walked in a loop and only depth recurses, which the parser bounds.
 */
#include "lang/ast.h"

struct node *node_new(struct arena *a, enum node_kind kind, struct span span)
{
	struct node *n = arena_new(a, struct node);

	n->kind = kind;
	n->span = span;
	return n;
}

static struct type_ref *clone_tref(struct arena *a, const struct type_ref *t)
{
	struct type_ref *copy;

	if (!t)
		return NULL;
	copy = arena_dup(a, t, sizeof *t);
	copy->of = ast_clone(a, t->of);
	copy->of_type = clone_tref(a, t->of_type);
	return copy;
}

struct node *ast_clone(struct arena *a, const struct node *n)
{
	struct node *list = NULL, **end = &list;

	for (; n; n = n->next) {
		struct node *copy = arena_dup(a, n, sizeof *n);

		copy->a = ast_clone(a, n->a);
		copy->b = ast_clone(a, n->b);
		copy->c = ast_clone(a, n->c);
		copy->d = ast_clone(a, n->d);
		copy->tref = clone_tref(a, n->tref);
		copy->next = NULL;
		*end = copy;
		end = &copy->next;
	}
	return list;
}

static void walk_list(struct node *n, bool (*f)(struct node *n, void *ctx), void *ctx)
{
	struct node *next;

	for (; n; n = next) {
		next = n->next;
		ast_walk(n, f, ctx);
	}
}

static void walk_tref(struct type_ref *t, bool (*f)(struct node *n, void *ctx), void *ctx)
{
	for (; t; t = t->of_type)
		walk_list(t->of, f, ctx);
}

void ast_walk(struct node *n, bool (*f)(struct node *n, void *ctx), void *ctx)
{
	if (!n || !f(n, ctx))
		return;
	walk_tref(n->tref, f, ctx);
	walk_list(n->a, f, ctx);
	walk_list(n->b, f, ctx);
	walk_list(n->c, f, ctx);
	walk_list(n->d, f, ctx);
}

const char *op_text(enum op op)
{
	switch (op) {
	case OP_NONE: return "";
	case OP_ADD: return "+";
	case OP_SUB: return "-";
	case OP_MUL: return "*";
	case OP_DIV: return "/";
	case OP_MOD: return "%";
	case OP_AND: return "&";
	case OP_OR: return "|";
	case OP_XOR: return "^";
	case OP_SHL: return "<<";
	case OP_SHR: return ">>";
	case OP_EQ: return "==";
	case OP_NE: return "!=";
	case OP_LT: return "<";
	case OP_GT: return ">";
	case OP_LE: return "<=";
	case OP_GE: return ">=";
	case OP_LAND: return "&&";
	case OP_LOR: return "||";
	case OP_NEG: return "-";
	case OP_NOT: return "~";
	case OP_LNOT: return "!";
	case OP_DEREF: return "*";
	case OP_ADDR: return "&";
	case OP_INC: return "++";
	case OP_DEC: return "--";
	}
	return "?";
}
