/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include "cli/report_stacks.h"
#include "trace/value.h"

enum { MOST_FUNCTIONS = 40, MOST_STACKS = 5, NAME_WIDTH = 40 };

struct function {
	const struct frame *frame;
	u64 self, total; /* events in it; in it or in what it called */
	/* the last one that was counted: once for each, however often it has the function */
	u32 stack;
};

static void count(struct function *functions, const struct framed_stack *s)
{
	for (u32 i = 0; i < s->n; i++) {
		struct function *f = &functions[s->frames[i]->number - 1];

		f->frame = s->frames[i];
		f->self += i == 0 && !f->frame->is_reason ? s->count : 0;
		f->total += f->stack != s->number ? s->count : 0;
		f->stack = s->number;
	}
}

static int by_self(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->frame->name, y->frame->name);
}

static int by_events(const void *a, const void *b)
{
	const struct framed_stack *x = *(struct framed_stack *const *)a,
				  *y = *(struct framed_stack *const *)b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) :
				      (x->number > y->number) - (x->number < y->number);
}

/* Stacks of different addresses may have the same functions: one of them gets the events of all. */
static void join_equal(struct frames *f)
{
	struct hash by_frames = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < f->stacks.n; i++) {
		struct framed_stack *s = f->stacks.v[i],
				    *same = hash_get(&by_frames, s->frames, s->n * sizeof(void *));

		if (same) {
			same->count += s->count;
			continue;
		}
		hash_put(&by_frames, s->frames, s->n * sizeof(void *), s);
		f->stacks.v[n++] = s;
	}
	f->stacks.n = n;
	hash_release(&by_frames);
}

static u64 events_of(const struct frames *f)
{
	u64 n = 0;

	for (u32 i = 0; i < f->stacks.n; i++)
		n += f->stacks.v[i]->count;
	return n;
}

static void put_rest(struct buf *b, u32 n, const char *what)
{
	if (n)
		buf_printf(b, "%u more %s: sonde export --to folded has all\n", n, what);
}

static void put_functions(struct buf *b, struct frames *f, struct function *functions, u64 events)
{
	u32 n = f->frames.n, shown = MIN(n, (u32)MOST_FUNCTIONS);

	buf_printf(b, "\n%-*s       self      total       %%  of %llu events\n", NAME_WIDTH,
		   "function", (unsigned long long)events);
	for (u32 i = 0; i < shown; i++) {
		const struct function *fn = &functions[i];
		size_t start = b->len;

		put_foreignz(b, f->names, fn->frame->name);
		if (b->len - start < NAME_WIDTH)
			buf_pad(b, ' ', NAME_WIDTH - (b->len - start));
		buf_printf(b, " %10llu %10llu %7.2f  ", (unsigned long long)fn->self,
			   (unsigned long long)fn->total, 100 * (double)fn->self / (double)events);
		put_foreignz(b, f->names, fn->frame->module);
		buf_putc(b, '\n');
	}
	put_rest(b, n - shown, "functions");
}

static void put_stacks(struct buf *b, struct frames *f, u64 events)
{
	u32 n = f->stacks.n, shown = MIN(n, (u32)MOST_STACKS);

	buf_puts(b, "\nstack\n");
	for (u32 i = 0; i < shown; i++) {
		const struct framed_stack *s = f->stacks.v[i];

		buf_printf(b, "%llu events, %.2f%%\n", (unsigned long long)s->count,
			   100 * (double)s->count / (double)events);
		for (u32 k = 0; k < s->n; k++) {
			buf_puts(b, "    ");
			put_foreignz(b, f->names, s->frames[k]->name);
			buf_putc(b, '\n');
		}
	}
	put_rest(b, n - shown, "stacks");
}

void report_put_stacks(struct buf *b, struct frames *f)
{
	struct function *functions;
	u64 events = events_of(f);

	if (!events)
		return;
	functions = xcalloc(f->frames.n, sizeof *functions);
	for (u32 i = 0; i < f->stacks.n; i++)
		count(functions, f->stacks.v[i]);
	join_equal(f);
	qsort(functions, f->frames.n, sizeof *functions, by_self);
	qsort(f->stacks.v, f->stacks.n, sizeof *f->stacks.v, by_events);
	put_functions(b, f, functions, events);
	put_stacks(b, f, events);
	free(functions);
}
