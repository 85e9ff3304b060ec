/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout is that of ui/stdio/hist.c of Linux's tools/perf:
 *
 *            |
 *            ---main
 *               |
 *               |--76.00%--heavy
 *               |          spin
 *               |
 *                --24.00%--light
 *                          spin
 */
#include <stdlib.h>
#include "cli/report_chain.h"
#include "trace/value.h"

enum { MARGIN = 12, STEP = 10 };

bool chain_style_read(struct chain_style *style, const char *text)
{
	static const char *const taken[] = { "function", "percent", "sort_key" };
	bool has_least = false;

	for (const char *s = text, *end; *s; s = *end ? end + 1 : end) {
		char word[16] = { 0 }, *rest;
		double n = strtod(s, &rest);
		u32 i = 0;

		end = strchrnul(s, ',');
		memcpy(word, s, MIN((size_t)(end - s), sizeof word - 1));
		while (i < ARRAY_SIZE(taken) && !streq(taken[i], word))
			i++;
		if (rest == end && end != s)
			style->least = has_least ? style->least : n, has_least = true;
		else if (streq(word, "none"))
			style->how = CHAIN_NONE;
		else if (streq(word, "graph"))
			style->how = CHAIN_GRAPH;
		else if (streq(word, "folded"))
			style->how = CHAIN_FOLDED;
		else if (streq(word, "caller") || streq(word, "callee"))
			style->callers_first = streq(word, "caller"), style->order_given = true;
		else if (i == ARRAY_SIZE(taken))
			return false;
	}
	return true;
}

static struct chain_node *child_of(struct chain_node *n, struct arena *a,
				   const struct chain_frame *frame)
{
	struct chain_node *child = n->children;

	while (child && child->frame != frame)
		child = child->next;
	if (child)
		return child;
	child = arena_new(a, struct chain_node);
	*child = (struct chain_node){ .frame = frame, .next = n->children };
	n->children = child;
	n->n_children++;
	return child;
}

void chain_add(struct chain_node *root, struct arena *a, const struct chain_step *v, u32 n, int by,
	       u64 period)
{
	struct chain_node *node = root;

	node->sum += period;
	for (; n; n--, v += by) {
		node = child_of(node, a, v->frame);
		node->sum += period;
	}
	node->hits += period;
}

/* ---- the order of the branches: the largest first */

static int by_sum(const void *a, const void *b)
{
	const struct chain_node *x = *(struct chain_node *const *)a,
				*y = *(struct chain_node *const *)b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->frame->symbol, y->frame->symbol);
}

/* The children that are large enough, as a list. total: of all samples. */
static struct chain_node *shown_children(struct chain_node *n, const struct chain_style *style,
					 u64 total)
{
	struct chain_node **v = xcalloc(n->n_children + 1, sizeof *v), *first;
	double least = style->least / 100 * (double)total;
	u32 k = 0;

	for (struct chain_node *child = n->children; child; child = child->next)
		if ((double)child->sum >= least)
			v[k++] = child;
	if (k)
		qsort(v, k, sizeof(struct chain_node *), by_sum);
	for (u32 i = 0; i + 1 < k; i++)
		v[i]->next = v[i + 1];
	if (k)
		v[k - 1]->next = NULL;
	first = k ? v[0] : NULL;
	free(v);
	return first;
}

struct drawing {
	struct buf *b;
	const struct names *names;
	const struct chain_style *style;
	u32 margin;
};

/* The only branch goes on with this function. */
static struct chain_node *next_in_line(const struct chain_node *n)
{
	return !n->hits && n->n_children == 1 ? n->children : NULL;
}

static void put_line(const struct drawing *d, const struct chain_node *n)
{
	put_foreignz(d->b, d->names, n->frame->symbol);
	buf_putc(d->b, '\n');
}

/* The pipes of the levels that go on. pipes: bits by level, from 0 on. */
static void put_pipes(const struct drawing *d, u64 pipes, u32 levels)
{
	buf_pad(d->b, ' ', d->margin);
	for (u32 i = 0; i < levels; i++) {
		buf_putc(d->b, pipes >> i & 1 ? '|' : ' ');
		buf_pad(d->b, ' ', STEP);
	}
}

static void draw_branches(const struct drawing *d, struct chain_node *first, u64 total, u32 level,
			  u64 pipes);

static void draw_branch(const struct drawing *d, struct chain_node *n, u64 total, u32 level,
			u64 pipes)
{
	const u64 bit = 1ull << MIN(level, 63u);
	bool is_last = !n->next;

	put_pipes(d, pipes | bit, level + 1);
	buf_trim_end(d->b);
	buf_putc(d->b, '\n');
	if (is_last)
		pipes &= ~bit;
	put_pipes(d, pipes, level);
	buf_printf(d->b, "%c--%.2f%%--", is_last ? ' ' : '|', 100 * (double)n->sum / (double)total);
	put_line(d, n);
	for (struct chain_node *next = next_in_line(n); next; next = next_in_line(n)) {
		n = next;
		put_pipes(d, is_last ? pipes : pipes | bit, level + 1);
		put_line(d, n);
	}
	draw_branches(d, shown_children(n, d->style, total), total, level + 1,
		      is_last ? pipes : pipes | bit);
}

/* Recursive as the chains are deep, which the recorder limits. */
static void draw_branches(const struct drawing *d, struct chain_node *first, u64 total, u32 level,
			  u64 pipes)
{
	for (struct chain_node *n = first, *next; n; n = next) {
		next = n->next;
		draw_branch(d, n, total, level, pipes);
	}
}

/* What all chains have in common. Returns the last function of it. */
static struct chain_node *draw_trunk(struct drawing *d, struct chain_node *n)
{
	bool is_hidden = d->style->hides_first, begun = false;

	for (struct chain_node *next = n; next; next = next_in_line(n)) {
		n = next;
		if (is_hidden) {
			is_hidden = false;
			continue;
		}
		if (!begun) {
			buf_pad(d->b, ' ', d->margin);
			buf_puts(d->b, "|\n");
		}
		buf_pad(d->b, ' ', d->margin);
		buf_puts(d->b, begun ? "" : "---");
		d->margin += begun ? 0 : 3;
		begun = true;
		put_line(d, n);
	}
	return n;
}

static void draw(struct drawing *d, struct chain_node *root, u64 total, u64 own)
{
	struct chain_node *first = shown_children(root, d->style, total);

	if (!first)
		return;
	if (!first->next && first->sum == own)
		first = shown_children(draw_trunk(d, first), d->style, total);
	draw_branches(d, first, total, 0, 0);
	buf_putc(d->b, '\n');
}

/* ---- a line for each chain: "96.67% spin;main" */

struct path {
	const struct chain_frame *frame;
	const struct path *before;
};

static void put_path(const struct drawing *d, const struct path *p)
{
	if (p->before) {
		put_path(d, p->before);
		buf_putc(d->b, ';');
	}
	put_foreignz(d->b, d->names, p->frame->symbol);
}

static void put_folded(const struct drawing *d, const struct chain_node *n,
		       const struct path *before, u64 total)
{
	for (const struct chain_node *child = n->children; child; child = child->next) {
		struct path p = { child->frame, before };

		if (child->hits && 100 * (double)child->hits >= d->style->least * (double)total) {
			buf_printf(d->b, "%.2f%% ", 100 * (double)child->hits / (double)total);
			put_path(d, &p);
			buf_putc(d->b, '\n');
		}
		put_folded(d, child, &p, total);
	}
}

void chain_put(struct buf *b, const struct names *names, struct chain_node *root,
	       const struct chain_style *style, u64 total, u64 own)
{
	struct drawing d = { b, names, style, MARGIN };

	if (!root->n_children || !total || style->how == CHAIN_NONE)
		return;
	if (style->how == CHAIN_FOLDED)
		put_folded(&d, root, NULL, total);
	else
		draw(&d, root, total, own);
}
