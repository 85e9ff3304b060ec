/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by samples, live. A script counts samples by stacks; at each update of its map, the
 * tree of the stacks is rebuilt and a view of it drawn:
 *
 *	functions		by samples in themselves, with callees, or by name
 *	callers of f < g	the callers of g where g calls f, up to the process
 *
 * A row is identified by its text across updates, so the selection persists. Keys arrive through
 * struct beside.
 */
#include <stdlib.h>
#include <unistd.h>
#include "base/visible.h"
#include "cli/top.h"
#include "cli/tui/terminal.h"
#include "output/none.h"
#include "output/notice.h"
#include "output/stacks.h"

enum { MOST_PATH = 64, HEAD_ROWS = 2, FOOT_ROWS = 1, NO_NODE = -1 };

enum order { BY_SELF, BY_TOTAL, BY_NAME, N_ORDERS };

static const char *const order_names[] = { "own samples", "samples with callees", "name" };

struct row {
	const char *text;
	u64 self, total; /* in views of callers only total */
};

struct live {
	struct cli *c;
	struct terminal terminal;
	struct arena arena; /* of the tree and the rows */
	struct tree tree;   /* arena 0: none yet */
	VEC(struct row) rows;
	enum order order;
	char *path[MOST_PATH]; /* a function, a caller of it, a caller of that */
	u32 n_path;
	char *chosen; /* text of a row; NULL: the first */
	u32 at, top;
	char message[160];
	bool is_paused, shows_keys;
};

static const char script[] =
	"config = { max_map_keys = 32768; unstable_dw_ustack = enable; print_maps_on_exit = false }\n"
	"profile:hz:99 /pid(init) != 0/ { @samples[(leader_comm, pid), dw_ustack, kstack] = count(); }\n";

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static u64 n_samples(const struct live *v)
{
	return v->tree.arena ? v->tree.nodes.v[0].total : 0;
}

/* ---- rows */

static const char *text_of(struct live *v, u32 frame)
{
	struct buf b = { 0 };
	const char *text;

	put_frame(&b, &v->tree.frames.v[frame]);
	buf_visible(&b, 0, VISIBLE_NAME);
	text = arena_strdup(&v->arena, b.s ? b.s : "");
	buf_release(&b);
	return text;
}

static void add_row(struct live *v, u32 frame, u64 self, u64 total)
{
	vec_push(&v->arena, &v->rows, (struct row){ text_of(v, frame), self, total });
}

static void list_functions(struct live *v)
{
	const struct tree_function *all = tree_functions(&v->tree, &v->arena);

	for (u32 i = 0; i < v->tree.frames.n; i++)
		if (frame_is_function(&v->tree.frames.v[i]))
			add_row(v, i, all[i].self, all[i].total);
}

/* The indexes of the path's frames; false: one of them is in no stack now. */
static bool find_path(struct live *v, u32 *frames)
{
	u32 n = 0;

	for (u32 k = 0; k < v->n_path; k++)
		for (u32 i = 0; i < v->tree.frames.n; i++)
			if (streq(text_of(v, i), v->path[k])) {
				frames[k] = i;
				n++;
				break;
			}
	return n == v->n_path;
}

/* The node above the path that ends at `node`; 0: the path begins there; NO_NODE: it does not end
 * there. */
static s64 above_path(const struct live *v, const u32 *frames, u32 node)
{
	const struct tree_node *nodes = v->tree.nodes.v;

	for (u32 k = 0; k < v->n_path; k++, node = nodes[node].parent)
		if (!node || nodes[node].frame != frames[k])
			return NO_NODE;
	return node;
}

/* A function that calls itself counts once. */
static bool is_outermost(const struct live *v, u32 node)
{
	const struct tree_node *nodes = v->tree.nodes.v;

	for (u32 up = nodes[node].parent; up; up = nodes[up].parent)
		if (nodes[up].frame == nodes[node].frame)
			return false;
	return true;
}

/* For functions by their own samples, the stacks that end in them; else all. */
static void list_callers(struct live *v)
{
	const struct tree *t = &v->tree;
	u64 *sums = arena_array(&v->arena, u64, t->frames.n + 1);
	u32 frames[MOST_PATH];

	if (!find_path(v, frames))
		return;
	for (u32 i = 1; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.v[i];
		s64 up = above_path(v, frames, i);

		if (up > 0 && (v->order != BY_TOTAL || is_outermost(v, i)))
			sums[t->nodes.v[up].frame] += v->order == BY_TOTAL ? n->total : n->self;
	}
	for (u32 i = 0; i < t->frames.n; i++)
		if (sums[i])
			add_row(v, i, 0, sums[i]);
}

static enum order compared; /* of qsort's comparison */

static int by_order(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (compared == BY_SELF && x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (compared != BY_NAME && x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (compared != BY_NAME && x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return strcmp(x->text, y->text);
}

/* Selects the same row again; if it has disappeared, the next one. */
static void find_chosen(struct live *v)
{
	u32 i = 0;

	while (v->chosen && i < v->rows.n && !streq(v->rows.v[i].text, v->chosen))
		i++;
	v->at = !v->chosen ? 0 : i < v->rows.n ? i : MIN(v->at, v->rows.n ? v->rows.n - 1 : 0);
}

static void list(struct live *v)
{
	v->rows.n = 0;
	if (!v->tree.arena)
		return;
	if (v->n_path)
		list_callers(v);
	else
		list_functions(v);
	compared = v->n_path && v->order == BY_SELF ? BY_TOTAL : v->order;
	if (v->rows.n)
		qsort(v->rows.v, v->rows.n, sizeof *v->rows.v, by_order);
	find_chosen(v);
}

static void choose(struct live *v, s64 at)
{
	v->at = v->rows.n ? (u32)MIN(MAX(at, 0), (s64)v->rows.n - 1) : 0;
	free(v->chosen);
	v->chosen = v->at && v->rows.n ? xstrdup(v->rows.v[v->at].text) : NULL;
}

/* ---- the screen */

static u32 most_rows(const struct live *v)
{
	u32 other = HEAD_ROWS + FOOT_ROWS;

	return v->terminal.rows > other ? v->terminal.rows - other : 1;
}

/* Of a text that is too long, the end. */
static void draw_path(struct live *v)
{
	struct terminal *t = &v->terminal;
	size_t len = strlen("callers of ... < ");
	u32 i = v->n_path;

	while (i > 0 && (len += strlen(v->path[i - 1]) + strlen(" < ")) <= t->columns)
		i--;
	i = MIN(i, v->n_path - 1);
	terminal_printf(t, STYLE_BOLD, "callers of %s%s", i ? "... < " : "", v->path[i]);
	while (++i < v->n_path)
		terminal_printf(t, STYLE_BOLD, " < %s", v->path[i]);
}

static void draw_title(struct live *v)
{
	struct terminal *t = &v->terminal;

	terminal_line(t, 0);
	terminal_printf(t, STYLE_BOLD, "%llu samples", (unsigned long long)n_samples(v));
	terminal_printf(t, STYLE_PLAIN, "%s  by %s",
			v->c->request.redraw.anew ? " since the last update" : "",
			order_names[v->order]);
	if (v->is_paused)
		terminal_put(t, STYLE_BAD, "  paused");
	if (v->message[0])
		terminal_printf(t, STYLE_BAD, "  %s", v->message);
	terminal_end_line(t);
	terminal_line(t, 1);
	if (!v->n_path)
		terminal_put(t, STYLE_BOLD, "    SELF      %   TOTAL      %  FUNCTION");
	else
		draw_path(v);
	terminal_end_line(t);
}

static void draw_row(struct live *v, u32 i)
{
	const struct row *r = &v->rows.v[i];
	enum style style = i == v->at ? STYLE_CHOSEN : STYLE_PLAIN;
	u64 all = n_samples(v);

	if (!v->n_path)
		terminal_printf(&v->terminal, style, "%8llu %6.1f", (unsigned long long)r->self,
				percent(r->self, all));
	terminal_printf(&v->terminal, style, "%8llu %6.1f  %s", (unsigned long long)r->total,
			percent(r->total, all), r->text);
}

static void draw_rows(struct live *v)
{
	u32 most = most_rows(v);

	if (v->at < v->top || v->at >= v->top + most)
		v->top = v->at < v->top ? v->at : v->at - most + 1;
	for (u32 i = 0; i < most; i++) {
		terminal_line(&v->terminal, HEAD_ROWS + i);
		if (v->top + i < v->rows.n)
			draw_row(v, v->top + i);
		terminal_end_line(&v->terminal);
	}
}

static void draw_keys(struct live *v);

static void draw(struct live *v)
{
	struct terminal *t = &v->terminal;

	if (!t->is_open)
		return;
	draw_title(v);
	if (v->shows_keys)
		draw_keys(v);
	else
		draw_rows(v);
	terminal_line(t, t->rows - 1);
	terminal_put(t, STYLE_DIM,
		     v->n_path ? "? keys  Enter their callers  Esc back  q quit" :
				 "? keys  Enter callers  s sort  p pause  a anew  q quit");
	terminal_end_line(t);
	terminal_flush(t);
}

/* ---- keys */

static void do_up(struct live *v)
{
	choose(v, (s64)v->at - 1);
}

static void do_down(struct live *v)
{
	choose(v, (s64)v->at + 1);
}

static void do_page_up(struct live *v)
{
	choose(v, (s64)v->at - most_rows(v));
}

static void do_page_down(struct live *v)
{
	choose(v, (s64)v->at + most_rows(v));
}

static void do_first(struct live *v)
{
	choose(v, 0);
}

static void do_last(struct live *v)
{
	choose(v, v->rows.n);
}

static void do_callers(struct live *v)
{
	if (v->n_path == MOST_PATH || v->at >= v->rows.n)
		return;
	v->path[v->n_path++] = xstrdup(v->rows.v[v->at].text);
	v->top = 0;
	choose(v, 0);
}

/* Selects the function that was entered. */
static void do_back(struct live *v)
{
	if (v->shows_keys || !v->n_path)
		return;
	free(v->chosen);
	v->chosen = v->path[--v->n_path];
}

static void do_sort(struct live *v)
{
	v->order = (v->order + 1) % N_ORDERS;
}

static void do_pause(struct live *v)
{
	v->is_paused = !v->is_paused;
}

static void do_anew(struct live *v)
{
	v->c->request.redraw.anew = !v->c->request.redraw.anew;
}

static void do_keys(struct live *v)
{
	v->shows_keys = true;
}

static void do_quit(struct live *v)
{
	v->c->sink.is_done = true;
}

static const struct {
	u32 key;
	void (*act)(struct live *v);
	const char *name, *brief; /* NULL: see the row above */
} keys[] = {
	{ KEY_UP, do_up, "arrows, PgUp, PgDn", "choose; Home, End: the first, the last" },
	{ KEY_DOWN, do_down, NULL, NULL },
	{ KEY_PAGE_UP, do_page_up, NULL, NULL },
	{ KEY_PAGE_DOWN, do_page_down, NULL, NULL },
	{ KEY_HOME, do_first, NULL, NULL },
	{ KEY_END, do_last, NULL, NULL },
	{ KEY_ENTER, do_callers, "Enter, right", "the callers of what is chosen" },
	{ KEY_RIGHT, do_callers, NULL, NULL },
	{ KEY_ESCAPE, do_back, "Esc, left", "back" },
	{ KEY_LEFT, do_back, NULL, NULL },
	{ KEY_BACKSPACE, do_back, NULL, NULL },
	{ 's', do_sort, "s", "sort by own samples, by those with callees, by name" },
	{ 'p', do_pause, "p", "pause; go on" },
	{ 'a', do_anew, "a", "samples since the last update only; all" },
	{ '?', do_keys, "?", "this list; any key leaves it" },
	{ 'q', do_quit, "q, Ctrl-C", "quit" },
	{ 'C' & 31, do_quit, NULL, NULL },
	{ KEY_CLOSED, do_quit, NULL, NULL },
};

static void draw_keys(struct live *v)
{
	u32 row = HEAD_ROWS;

	for (u32 i = 0; i < ARRAY_SIZE(keys) && row < HEAD_ROWS + most_rows(v); i++) {
		if (!keys[i].name)
			continue;
		terminal_line(&v->terminal, row++);
		terminal_printf(&v->terminal, STYLE_PLAIN, "  %-20s %s", keys[i].name,
				keys[i].brief);
		terminal_end_line(&v->terminal);
	}
	terminal_clear_from(&v->terminal, row);
}

static void take_key(struct live *v, u32 key)
{
	bool leaves = v->shows_keys;

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].key == key && (!leaves || keys[i].act == do_quit))
			keys[i].act(v);
	if (leaves)
		v->shows_keys = false;
}

/* ---- the run */

static int begin(void *ctx, s32 child, struct err *err)
{
	struct live *v = ctx;
	int ret = terminal_open(&v->terminal, color_wanted(STDOUT_FILENO), err);

	draw(v);
	return ret;
}

static void over(void *ctx)
{
	struct live *v = ctx;

	terminal_close(&v->terminal);
}

static void ready(void *ctx)
{
	struct live *v = ctx;

	do {
		u32 key = terminal_key(&v->terminal, 0);

		if (key)
			take_key(v, key);
		else if (!v->terminal.n_typed)
			break;
	} while (!v->c->sink.is_done);
	list(v);
	draw(v);
}

static void forget(struct live *v)
{
	if (v->tree.arena)
		tree_release(&v->tree);
	arena_release(&v->arena);
	arena_init(&v->arena);
	v->tree = (struct tree){ .arena = NULL };
	v->rows.v = NULL;
	v->rows.n = v->rows.cap = 0;
}

static void table(struct sink *s, const struct table *t)
{
	struct live *v = s->state;

	if (v->is_paused || !v->terminal.is_open || !stacks_are_keys(t))
		return;
	forget(v);
	tree_init(&v->tree, &v->arena, s->names, t, FRAMES_BY_FUNCTION);
	list(v);
	draw(v);
}

static void lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct live *v = s->state;
	struct buf b = { 0 };

	buf_printf(&b, "lost %llu: ", (unsigned long long)count);
	put_loss_reason(&b, loss);
	snprintf(v->message, sizeof v->message, "%s", b.s);
	buf_release(&b);
}

static void tick(struct sink *s)
{
	struct live *v = s->state;

	if (v->terminal.is_open && terminal_fit(&v->terminal))
		draw(v);
}

static const struct output output_live = {
	.name = "live",
	.attached = none_attached,
	.text = none_text,
	.value = none_value,
	.table = table,
	.event = none_event,
	.lost = lost,
	.message = none_message,
	.end = none_end,
	.tick = tick,
};

bool top_is_live(const struct cli *c)
{
	const char *kind = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !c->output.file &&
	       !c->sink.output && kind && *kind && !streq(kind, "dumb");
}

int top_live(struct cli *c)
{
	struct live v = { .c = c };
	const struct beside beside = { .ctx = &v,
				       .begin = begin,
				       .over = over,
				       .fd = STDIN_FILENO,
				       .ready = ready,
				       .keeps_maps = true };
	int ret;

	arena_init(&v.arena);
	c->request.script.text = script;
	c->sink.output = &output_live;
	c->sink.state = &v;
	c->host.beside = &beside;
	ret = run_script(c);
	terminal_close(&v.terminal);
	forget(&v);
	arena_release(&v.arena);
	while (v.n_path)
		free(v.path[--v.n_path]);
	free(v.chosen);
	return ret;
}
