/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a predicate the kernel can decide for an engine whose events are samples: a filter of the
 * tracepoint (Documentation/trace/events.rst, "Event filtering"). The program decides all of it
 * once more, so terms that the kernel does not know are left out:
 *
 *	/args.prev_pid == 0 && comm == "sh" && @seen[tid]/	->	prev_pid == 0 && COMM == "sh"
 */
#include "engine/engine.h"
#include "session/compile.h"

static const char *comparison(enum op op)
{
	switch (op) {
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE: return op_text(op);
	default: return NULL;
	}
}

/* A field of the record that is read whole; NULL: the node is none. */
static const struct arg_desc *field_of(const struct node *n)
{
	const struct arg_desc *arg = n->kind == N_FIELD ? n->data : NULL;

	return arg && arg->loc.kind == LOC_CTX && type_is_integer(arg->type) &&
			       arg->type == n->type && arg->loc.size == arg->type->size ?
		       arg :
		       NULL;
}

/* Fields of system calls are eight bytes there, which the script reads as four. */
static const char *name_of(const struct node *n, bool is_call)
{
	if (field_of(n))
		return is_call ? NULL : n->name;
	return n->builtin && !n->a ? n->builtin->filter : NULL;
}

static bool fits(s64 value, const struct type *t)
{
	u32 bits = t->size * 8;

	if (!t->is_signed)
		return value >= 0 && (bits >= 63 || value >> bits == 0);
	return bits >= 64 || (value >= -(1ll << (bits - 1)) && value < 1ll << (bits - 1));
}

/* Equality with a number or a short text without characters that mean something to the kernel. */
static bool put_value(struct buf *to, const struct node *side, const struct node *value, enum op op)
{
	if (type_is_integer(side->type) && value->is_const && type_is_integer(value->type) &&
	    fits(value->value, side->type)) {
		buf_printf(to, "%lld", (long long)value->value);
		return true;
	}
	if (side->type != &ty_comm || value->kind != N_STR || (op != OP_EQ && op != OP_NE) ||
	    !value->str_len || value->str_len > 15 || strpbrk(value->str, "*?[]\"\\!~"))
		return false;
	buf_printf(to, "\"%s\"", value->str);
	return true;
}

static void put_term(struct buf *to, const struct node *n, bool is_call)
{
	const char *op = n->kind == N_BINARY ? comparison(n->op) : NULL;
	const char *name = op ? name_of(n->a, is_call) : NULL;
	size_t before = to->len;

	if (!name)
		return;
	buf_printf(to, "%s%s %s ", before ? " && " : "", name, op);
	if (!put_value(to, n->a, n->b, n->op))
		to->len = before;
}

static void put_terms(struct buf *to, const struct node *n, bool is_call)
{
	if (n->kind == N_BINARY && n->op == OP_LAND) {
		put_terms(to, n->a, is_call);
		put_terms(to, n->b, is_call);
	} else {
		put_term(to, n, is_call);
	}
}

/* Another clause on the same event wants its samples, too. */
static bool is_alone(const struct compiled *c, const struct site *s)
{
	u32 n = 0;

	for (u32 i = 0; i < c->sites.n; i++)
		n += c->sites.v[i].site.kind == s->kind &&
		     c->sites.v[i].site.event.config == s->event.config;
	return n == 1;
}

void kernel_filters_set(struct compiled *c)
{
	for (u32 i = 0; c->engines[0]->takes_filters && i < c->sites.n; i++) {
		struct site *s = &c->sites.v[i].site;
		struct node *predicate = c->instances.v[c->sites.v[i].func]->predicate;
		struct buf text = { 0 };

		if (s->kind != SITE_PERF_TRACEPOINT || !predicate || !is_alone(c, s))
			continue;
		put_terms(&text, predicate, s->event.call);
		s->event.filter = text.len ? arena_strndup(&c->arena, text.s, text.len) : "";
		buf_release(&text);
	}
}
