/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --report: calls and time of each function. --graph: of each call path. */
#include <stdlib.h>
#include "cli/flow/flow.h"

/* ---- the path of a call */

static struct flow_node *node_of(struct flow *f, struct flow_node *caller, u32 function)
{
	struct flow_node **at = &caller->inner;

	while (*at && (*at)->function != function)
		at = &(*at)->next;
	if (!*at) {
		*at = arena_new(&f->t.c->line.arena, struct flow_node);
		(*at)->function = function;
	}
	return *at;
}

void flow_sum_enter(struct flow *f, struct flow_thread *th)
{
	struct flow_frame *top = &th->open.v[th->open.n - 1];

	f->known.v[top->function - 1].sum.calls++;
	if (f->shows.graph) {
		top->node = node_of(f, th->open.n > 1 ? top[-1].node : &f->root, top->function);
		top->node->calls++;
	}
}

/* The time of a function within itself is part of the outer call. */
static bool is_within_itself(const struct flow_thread *th)
{
	for (u32 i = 0; i + 1 < th->open.n; i++)
		if (th->open.v[i].function == th->open.v[th->open.n - 1].function)
			return true;
	return false;
}

void flow_sum_end(struct flow *f, struct flow_thread *th, u64 ns)
{
	struct flow_frame *top = &th->open.v[th->open.n - 1];
	struct flow_sum *sum = &f->known.v[top->function - 1].sum;
	u64 took = ns - top->ns;

	sum->self_ns += took - MIN(took, top->inner_ns);
	if (!is_within_itself(th))
		sum->ns += took;
	if (top->node)
		top->node->ns += took;
}

/* ---- --report */

struct row {
	u32 function;
	struct flow_sum sum;
};

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->sum.ns != y->sum.ns)
		return x->sum.ns < y->sum.ns ? 1 : -1;
	return x->function < y->function ? -1 : x->function > y->function;
}

void flow_put_report(struct flow *f, struct buf *b)
{
	struct row *rows = xcalloc(f->known.n + 1, sizeof *rows);
	u32 n = 0;

	for (u32 i = 0; i < f->known.n; i++)
		if (f->known.v[i].sum.calls)
			rows[n++] = (struct row){ i + 1, f->known.v[i].sum };
	qsort(rows, n, sizeof *rows, by_time);
	if (!f->is_json)
		buf_puts(b, "  TOTAL TIME     SELF TIME     CALLS  FUNCTION\n");
	for (u32 i = 0; i < n; i++) {
		if (f->is_json) {
			flow_json_sum(b, flow_name(f, rows[i].function), &rows[i].sum);
			continue;
		}
		flow_put_time(b, rows[i].sum.ns);
		buf_puts(b, "  ");
		flow_put_time(b, rows[i].sum.self_ns);
		buf_printf(b, " %9llu  %s\n", (unsigned long long)rows[i].sum.calls,
			   flow_name(f, rows[i].function));
	}
	free(rows);
}

/* ---- --graph */

static void put_node(struct flow *f, struct buf *b, const struct flow_node *node, u32 depth)
{
	if (f->is_json) {
		flow_json_node(b, flow_name(f, node->function), node, depth);
	} else {
		flow_put_time(b, node->ns);
		buf_puts(b, " : ");
		buf_pad(b, ' ', 2 * depth);
		buf_printf(b, "(%llu) %s\n", (unsigned long long)node->calls,
			   flow_name(f, node->function));
	}
	for (const struct flow_node *n = node->inner; n; n = n->next)
		put_node(f, b, n, depth + 1);
}

void flow_put_graph(struct flow *f, struct buf *b)
{
	if (!f->is_json)
		buf_puts(b, "  TOTAL TIME : (CALLS) FUNCTION\n");
	for (const struct flow_node *n = f->root.inner; n; n = n->next)
		put_node(f, b, n, 0);
}
