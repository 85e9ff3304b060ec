/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph of the range between the markers, else of what the picture shows: of samples, if
 * there are some, else of all events; or of the time off the CPU. A child process prints folded
 * lines (export/folded.c). A row is a depth, the outermost at the top; each frame is as wide as its
 * share, from a bar to the end of its dots, so that it needs no color:
 *
 *	|all.................................................................
 *	|make.............................................|sh................
 *	|sched:sched_process_fork.....|sched:sched_switch.|sched:sched_switch
 */
#include <stdlib.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/visible.h"
#include "cli/tui/tui.h"
#include "export/export.h"

enum { HEAD_ROWS = 2, FOOT_ROWS = 2 };

/* ---- the child */

static int print_folded(struct job *j, void *ctx)
{
	struct tui *t = ctx;
	const struct export_job job = { .store = t->r->store,
					.tables = t->r->tables,
					.names = &t->r->names,
					.stack_names = t->r->stack_names,
					.arena = &t->r->arena };
	struct buf lines = { 0 };

	timeline_range(&t->timeline, t->flame.from, t->flame.to);
	put_folded(&job, t->flame.off_cpu, &lines);
	write_all(STDOUT_FILENO, lines.s ? lines.s : "", lines.len);
	return 0;
}

void tui_show_flame(struct tui *t, bool off_cpu)
{
	struct tui_flame *f = &t->flame;
	bool is_marked = t->a && t->b;

	f->off_cpu = off_cpu;
	f->from = is_marked ? MIN(t->a, t->b) : t->from;
	f->to = is_marked ? MAX(t->a, t->b) : t->to;
	if (!job_start(&t->chart, 0, print_folded, t)) {
		tui_say(t, "no process for it");
		return;
	}
	t->awaits_chart = f->is_awaited = true;
}

/* ---- the tree */

static struct flame_node *node(struct tui_flame *f, u32 i)
{
	return &f->nodes.v[i];
}

static u32 add_node(struct tui_flame *f, u32 parent, const char *name, size_t len)
{
	struct buf visible = { 0 };
	u32 i = f->nodes.n;

	buf_add(&visible, name, len);
	buf_puts(&visible, "");
	buf_visible(&visible, 0, VISIBLE_NAME);
	vec_push(&f->arena, &f->nodes,
		 (struct flame_node){ .parent = parent,
				      .depth = i ? node(f, parent)->depth + 1 : 0,
				      .raw = arena_strndup(&f->arena, name, len),
				      .name = arena_strdup(&f->arena, visible.s) });
	buf_release(&visible);
	if (i) {
		node(f, i)->next = node(f, parent)->child;
		node(f, parent)->child = i;
	}
	return i;
}

/* Lines are sorted, so what two have in common is in the last children. */
static void add_line(struct tui_flame *f, const char *line, size_t len, u64 n)
{
	u32 at = 0;

	node(f, 0)->n += n;
	for (size_t i = 0, part; i < len; i += part + 1) {
		const char *name = line + i, *end = memchr(name, ';', len - i);
		u32 last = node(f, at)->child;

		part = end ? (size_t)(end - name) : len - i;
		if (!last || strncmp(node(f, last)->raw, name, part) || node(f, last)->raw[part])
			last = add_node(f, at, name, part);
		at = last;
		node(f, at)->n += n;
	}
}

/* "cpu-clock" and "cycles" say what runs; other events only where they happened. */
static bool is_sample(const char *event, size_t len)
{
	return memmem(event, len, "clock", 5) || memmem(event, len, "cycles", 6);
}

/* The number of lines that are in the tree. */
static u32 read_lines(struct tui_flame *f, const char *said, bool only_samples)
{
	u32 n = 0;

	for (const char *line = said, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		const char *space = memrchr(line, ' ', (size_t)(end - line)), *event;

		event = space ? memchr(line, ';', (size_t)(space - line)) : NULL;
		if (!event)
			continue;
		event++;
		if (only_samples && !is_sample(event, strcspn(event, ";\n")))
			continue;
		add_line(f, line, (size_t)(space - line), strtoull(space + 1, NULL, 10));
		n++;
	}
	f->of = f->off_cpu ? "us off the CPU" : only_samples ? "samples" : "events";
	return n;
}

static const struct tui_flame *sorted; /* qsort() passes nothing on */

static int by_share(const void *a, const void *b)
{
	const struct flame_node *x = &sorted->nodes.v[*(const u32 *)a],
				*y = &sorted->nodes.v[*(const u32 *)b];

	return x->n != y->n ? (x->n > y->n ? 1 : -1) : -strcmp(x->raw, y->raw);
}

/* The widest first, as in sonde view: linked from the narrowest on. */
static void sort_children(struct tui_flame *f)
{
	u32 n = f->nodes.n, *all = xcalloc(n, sizeof *all);

	for (u32 i = 0; i < n; i++) {
		all[i] = i;
		node(f, i)->child = 0;
	}
	sorted = f;
	qsort(all, n, sizeof *all, by_share);
	for (u32 i = 0; i < n; i++) {
		struct flame_node *at = node(f, all[i]);

		if (!all[i])
			continue;
		at->next = node(f, at->parent)->child;
		node(f, at->parent)->child = all[i];
	}
	free(all);
}

void tui_flame_done(struct tui *t)
{
	struct tui_flame *f = &t->flame;
	const char *said = t->chart.said.s ? t->chart.said.s : "";

	t->awaits_chart = f->is_awaited = false;
	arena_release(&f->arena);
	*f = (struct tui_flame){ .from = f->from, .to = f->to, .off_cpu = f->off_cpu };
	arena_init(&f->arena);
	add_node(f, 0, "all", 3);
	if (f->off_cpu || !read_lines(f, said, true))
		read_lines(f, said, false);
	if (!node(f, 0)->n) {
		tui_say(t,
			f->off_cpu ?
				"no wait begins and ends here: sonde record -g -e sched:sched_switch records them" :
				"no event here");
		t->view = t->view == VIEW_FLAME ? VIEW_TABLE : t->view;
		return;
	}
	sort_children(f);
	t->view = VIEW_FLAME;
}

/* ---- the picture */

/* Columns of each frame; of one that is narrower than a column: none. */
static void place(struct tui_flame *f, u32 columns)
{
	u64 all = node(f, f->zoom)->n;

	for (u32 i = 0; i < f->nodes.n; i++)
		node(f, i)->x0 = node(f, i)->x1 = 0;
	for (u32 i = f->zoom; i; i = node(f, i)->parent)
		node(f, i)->x1 = columns;
	node(f, 0)->x1 = columns;
	node(f, f->zoom)->left = 0;
	for (u32 i = f->zoom; i < f->nodes.n; i++) { /* a child comes after its parent */
		u64 left = node(f, i)->left;

		if (node(f, i)->x1 <= node(f, i)->x0)
			continue;
		for (u32 k = node(f, i)->child; k; k = node(f, k)->next) {
			struct flame_node *kid = node(f, k);

			kid->left = left;
			kid->x0 = (u32)(left * columns / all);
			left += kid->n;
			kid->x1 = (u32)(left * columns / all);
		}
	}
}

static bool is_drawn(struct tui_flame *f, u32 i)
{
	return node(f, i)->x1 > node(f, i)->x0;
}

static void draw_frame(struct tui *t, u32 i)
{
	struct flame_node *n = node(&t->flame, i);
	struct buf b = { 0 };
	u32 width = n->x1 - n->x0 - 1, k = 0;
	const char *s = n->name;

	buf_putc(&b, '|');
	for (; *s && k < width; k++)
		do {
			buf_putc(&b, *s++);
		} while (((u8)*s & 0xc0) == 0x80);
	for (; k < width; k++)
		buf_putc(&b, '.');
	terminal_pad(&t->terminal, STYLE_PLAIN, n->x0);
	terminal_put(&t->terminal, i == t->flame.at ? STYLE_CHOSEN : STYLE_PLAIN, b.s);
	buf_release(&b);
}

/* Drawn frames of a depth, from left to right. */
static void row_of(struct tui_flame *f, u32 depth)
{
	f->row.n = 0;
	vec_push(&f->arena, &f->row, 0);
	for (u32 d = 0; d < depth; d++) {
		u32 n = f->row.n;

		for (u32 i = 0; i < n; i++)
			for (u32 k = node(f, f->row.v[i])->child; k; k = node(f, k)->next)
				if (is_drawn(f, k))
					vec_push(&f->arena, &f->row, k);
		f->row.n -= n;
		memmove(f->row.v, f->row.v + n, f->row.n * sizeof *f->row.v);
	}
}

static void say_chosen(struct tui *t)
{
	struct tui_flame *f = &t->flame;
	const struct flame_node *n = node(f, f->at);
	u64 self = n->n;

	for (u32 k = n->child; k; k = node(f, k)->next)
		self -= node(f, k)->n;
	tui_say(t, "%s: %llu %s, %.2f%%, %llu of them in it", n->name, (unsigned long long)n->n,
		f->of, 100 * (double)n->n / (double)node(f, 0)->n, (unsigned long long)self);
}

void tui_draw_flame(struct tui *t)
{
	struct tui_flame *f = &t->flame;
	struct terminal *s = &t->terminal;
	u32 room = MAX(s->rows, HEAD_ROWS + FOOT_ROWS + 1u) - HEAD_ROWS - FOOT_ROWS;
	u32 depth = node(f, f->at)->depth;
	char span[32];

	place(f, s->columns);
	if (depth < f->top || depth >= f->top + room)
		f->top = depth < f->top ? depth : depth - room + 1;
	terminal_line(s, 1);
	terminal_printf(s, STYLE_BOLD, "Flame graph: %llu %s, %s",
			(unsigned long long)node(f, 0)->n, f->of,
			tui_span(f->to - f->from, span, sizeof span));
	terminal_printf(s, STYLE_PLAIN, " from %llu.%06llu s",
			(unsigned long long)f->from / 1000000000,
			(unsigned long long)f->from / 1000 % 1000000);
	terminal_end_line(s);
	for (u32 i = 0; i < room; i++) {
		terminal_line(s, HEAD_ROWS + i);
		row_of(f, f->top + i);
		for (u32 k = 0; k < f->row.n; k++)
			draw_frame(t, f->row.v[k]);
		terminal_end_line(s);
	}
	if (!t->message[0])
		say_chosen(t);
}

/* ---- keys */

void tui_flame_outwards(struct tui *t)
{
	t->flame.at = node(&t->flame, t->flame.at)->parent;
}

/* To the widest. */
void tui_flame_inwards(struct tui *t)
{
	struct tui_flame *f = &t->flame;

	for (u32 k = node(f, f->at)->child; k; k = node(f, k)->next)
		if (is_drawn(f, k)) {
			f->at = k;
			return;
		}
}

void tui_flame_beside(struct tui *t, int by)
{
	struct tui_flame *f = &t->flame;

	row_of(f, node(f, f->at)->depth);
	for (u32 i = 0; i < f->row.n; i++)
		if (f->row.v[i] == f->at && (by < 0 ? i > 0 : i + 1 < f->row.n)) {
			f->at = f->row.v[by < 0 ? i - 1 : i + 1];
			return;
		}
}

void tui_flame_zoom(struct tui *t)
{
	t->flame.zoom = t->flame.at;
}

bool tui_flame_unzoom(struct tui *t)
{
	bool was = t->flame.zoom;

	t->flame.zoom = 0;
	return was;
}

void tui_release_flame(struct tui *t)
{
	arena_release(&t->flame.arena);
}
