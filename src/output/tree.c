/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps keyed by stacks for people: a table by function, then the call tree from the outermost
 * frames.
 *
 *	@samples: 412 samples
 *
 *	    SELF    %      TOTAL    %  FUNCTION
 *	     300  72.8       411  99.8  longest_match (gzip)
 *
 *	100.0%  gzip 4711
 *	100.0%  main (gzip)
 *	-  72.8%  longest_match (gzip)
 *	-  27.2%  fill_window (gzip)
 *	   20.1%  read (libc.so.6)
 *
 * A callee is below its caller at the same indentation, unless several callees are shown: each of
 * them has a mark then. Everything else is as in text.
 */
#include <stdlib.h>
#include "output/notice.h"
#include "output/output.h"
#include "output/stacks.h"

enum {
	MOST_FUNCTIONS = 25,
	SHOWN = 100, /* branches of less than 1/SHOWN of the map are summed up */
	MOST_INDENT = 24,
};

/* ---- the table by function */

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int by_self(const void *a, const void *b)
{
	const struct tree_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static u32 keep_functions(const struct tree *t, struct tree_function *all)
{
	u32 n = 0;

	for (u32 i = 0; i < t->frames.n; i++)
		if (frame_is_function(&t->frames.v[all[i].frame]))
			all[n++] = all[i];
	qsort(all, n, sizeof *all, by_self);
	return n;
}

static void put_functions(struct buf *b, const struct tree *t)
{
	struct tree_function *all = tree_functions(t, t->arena);
	u32 n = keep_functions(t, all);
	u64 whole = t->nodes.v[0].total;

	buf_puts(b, "\n        SELF      %       TOTAL      %  FUNCTION\n");
	for (u32 i = 0; i < MIN(n, (u32)MOST_FUNCTIONS); i++) {
		buf_printf(b, "%12llu %6.1f%12llu %6.1f  ", (unsigned long long)all[i].self,
			   percent(all[i].self, whole), (unsigned long long)all[i].total,
			   percent(all[i].total, whole));
		put_frame(b, &t->frames.v[all[i].frame]);
		buf_putc(b, '\n');
	}
	if (n > MOST_FUNCTIONS)
		buf_printf(b, "%40s  and %u more functions\n", "", n - MOST_FUNCTIONS);
}

/* Stacks that end with a reason: "incomplete user stacks: 12 (2.9%) stack page not resident". */
static void put_reasons(struct buf *b, const struct tree *t)
{
	const struct tree_function *all = tree_functions(t, t->arena);

	for (u32 i = 0; i < t->frames.n; i++)
		if (t->frames.v[i].kind == FRAME_REASON)
			buf_printf(b, "incomplete stacks: %.1f%% %s\n",
				   percent(all[i].total, t->nodes.v[0].total), t->frames.v[i].name);
	if (t->n_left_out)
		buf_printf(b, "left out: %u stacks whose number is negative\n", t->n_left_out);
}

/* ---- the call tree */

struct forest {
	struct buf *out;
	const struct tree *tree;
	/* children of node i: child[first[i]] up to child[first[i + 1]], the largest first */
	u32 *first, *child;
};

static const struct tree *sorted_tree; /* of qsort's comparison */

static int by_total(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 m = sorted_tree->nodes.v[x].total, n = sorted_tree->nodes.v[y].total;

	return m != n ? (m < n ? 1 : -1) : x < y ? -1 : x > y;
}

static void list_children(struct forest *f)
{
	const struct tree *t = f->tree;
	u32 n = t->nodes.n;
	u32 *at = arena_array(t->arena, u32, n);

	f->first = arena_array(t->arena, u32, n + 1);
	f->child = arena_array(t->arena, u32, n);
	for (u32 i = 1; i < n; i++)
		f->first[t->nodes.v[i].parent + 1]++;
	for (u32 i = 0; i < n; i++)
		f->first[i + 1] += f->first[i];
	for (u32 i = 1; i < n; i++) {
		u32 parent = t->nodes.v[i].parent;

		f->child[f->first[parent] + at[parent]++] = i;
	}
	sorted_tree = t;
	for (u32 i = 0; i < n; i++)
		qsort(f->child + f->first[i], at[i], sizeof *f->child, by_total);
}

/* How many of a node's children are large enough. */
static u32 n_shown(const struct forest *f, u32 node)
{
	u64 whole = f->tree->nodes.v[0].total;
	u32 n = 0;

	while (f->first[node] + n < f->first[node + 1] &&
	       f->tree->nodes.v[f->child[f->first[node] + n]].total * SHOWN >= whole)
		n++;
	return n;
}

static void put_branch(const struct forest *f, u32 depth, bool marked, u64 part)
{
	buf_pad(f->out, ' ', 2 * MIN(depth, (u32)MOST_INDENT));
	buf_printf(f->out, "%s%5.1f%%  ", marked ? "- " : "",
		   percent(part, f->tree->nodes.v[0].total));
}

static void put_rest(const struct forest *f, u32 node, u32 shown, u32 depth)
{
	u32 first = f->first[node] + shown, n = f->first[node + 1] - first;
	u64 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += f->tree->nodes.v[f->child[first + i]].total;
	if (!sum || sum * SHOWN < f->tree->nodes.v[0].total)
		return;
	put_branch(f, depth, true, sum);
	buf_printf(f->out, "(%u more)\n", n);
}

/* What a node took itself is the difference to its children. */
static void put_children(const struct forest *f, u32 node, u32 depth)
{
	u32 n = n_shown(f, node), n_all = f->first[node + 1] - f->first[node];

	for (u32 i = 0; i < n; i++) {
		u32 child = f->child[f->first[node] + i];
		const struct tree_node *c = &f->tree->nodes.v[child];

		put_branch(f, depth, n_all > 1, c->total);
		put_frame(f->out, &f->tree->frames.v[c->frame]);
		buf_putc(f->out, '\n');
		put_children(f, child, depth + (n_all > 1));
	}
	if (n_all > n)
		put_rest(f, node, n, depth);
}

static void put_tree(struct sink *s, const struct tree *t)
{
	struct forest f = { .out = &s->out, .tree = t };

	list_children(&f);
	buf_putc(&s->out, '\n');
	put_children(&f, 0, 0);
}

static void table(struct sink *s, const struct table *table)
{
	struct arena a;
	struct tree t;

	if (!stacks_are_keys(table)) {
		output_text.table(s, table);
		return;
	}
	arena_init(&a);
	tree_init(&t, &a, s->names, table, FRAMES_BY_FUNCTION);
	buf_printf(&s->out, "%s: %llu", t.name, (unsigned long long)t.nodes.v[0].total);
	buf_printf(&s->out, " in %u stacks\n", table->rows.n);
	put_reasons(&s->out, &t);
	if (t.nodes.v[0].total) {
		put_functions(&s->out, &t);
		put_tree(s, &t);
	}
	tree_release(&t);
	arena_release(&a);
	sink_item(s);
}

const struct output output_tree = {
	.name = "tree",
	.brief = "stack-keyed maps as a table by function and a call tree",
	.doc = "A map whose key has a stack prints its functions by what they took themselves, "
	       "without their "
	       "callees, then the tree of calls from the outermost frame; branches of less than 1 % are "
	       "summed up. Everything else is text.",
	.example = "sonde -f tree -e 'profile:hz:99 { @[ustack, kstack] = count(); }'",
	TEXT_HOOKS,
	.table = table,
	.end = sink_item,
};
