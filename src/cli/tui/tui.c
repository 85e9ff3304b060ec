/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde tui: what is drawn, what keys do, what goes on meanwhile. */
#include <stdlib.h>
#include "base/visible.h"
#include "cli/tui/tui.h"
#include "type/event_format.h"

enum { WORK_EVENTS = 100000, MOST_BYTES = 8 << 20, POLL_MS = 50, SHIFT = 16 };

/* ---- lines of an event or a text */

static const char *without(const char *s, u32 n)
{
	for (; *s && n; n--)
		do {
			s++;
		} while (((u8)*s & 0xc0) == 0x80);
	return s;
}

static void draw_lines(struct tui *t)
{
	struct tui_lines *l = &t->lines;
	struct terminal *s = &t->terminal;
	u32 most = s->rows > 4 ? s->rows - 4 : 1;

	if (t->view == VIEW_TEXT)
		l->top = MIN(l->top, l->lines.n > most ? l->lines.n - most : 0);
	else if (l->at < l->top || l->at >= l->top + most)
		l->top = l->at < l->top ? l->at : l->at - most + 1;
	terminal_line(s, 1);
	terminal_put(s, STYLE_BOLD, l->title);
	terminal_end_line(s);
	for (u32 i = 0; i < most; i++) {
		bool is_chosen = t->view == VIEW_EVENT && l->top + i == l->at;

		terminal_line(s, 2 + i);
		if (l->top + i < l->lines.n)
			terminal_put(s, is_chosen ? STYLE_CHOSEN : STYLE_PLAIN,
				     without(l->lines.v[l->top + i].text, l->left));
		terminal_end_line(s);
	}
}

/* ---- the first and the last lines */

static void draw_title(struct tui *t)
{
	struct terminal *s = &t->terminal;
	u64 n = tui_n(t);

	terminal_line(s, 0);
	terminal_put(s, STYLE_BOLD, t->r->path);
	terminal_printf(s, STYLE_PLAIN, "  %llu/%llu%s", (unsigned long long)(n ? t->at + 1 : 0),
			(unsigned long long)n, t->timeline.is_done ? "" : " reading");
	if (t->awaits_matches && t->matches.job.pid)
		terminal_put(s, STYLE_PLAIN, " searching");
	if (t->sorting.pid)
		terminal_put(s, STYLE_PLAIN, " sorting");
	if (t->awaits_chart)
		terminal_put(s, STYLE_PLAIN, " computing");
	if (t->filter[0])
		terminal_printf(s, STYLE_GOOD, "  / %s", t->filter);
	if (store_change(t->r->store) != STORE_SAME)
		terminal_put(s, STYLE_BAD,
			     store_change(t->r->store) == STORE_GROWN ? "  the file has grown" :
									"  the file has changed");
	if (store_damage(t->r->store))
		terminal_printf(s, STYLE_BAD, "  %s", store_damage(t->r->store));
	terminal_end_line(s);
}

/* Characters of UTF-8. */
static u32 n_characters(const char *s, u32 len)
{
	u32 n = 0;

	for (u32 i = 0; i < len; i++)
		n += ((u8)s[i] & 0xc0) != 0x80;
	return n;
}

/* Where the visible part of the text begins: the cursor is in it, also in a long text, and there is
 * room for an error beside the caret. */
static u32 first_visible(const struct tui *t)
{
	const struct tui_prompt *p = &t->prompt;
	u32 width = p->has_caret ? t->terminal.columns / 2 : t->terminal.columns - 1, first = 0;
	u32 room = width - MIN((u32)strlen(p->label), width);

	while (n_characters(p->text + first, p->at - first) > room)
		first++;
	while (((u8)p->text[first] & 0xc0) == 0x80)
		first++;
	return first;
}

static void draw_message(struct tui *t)
{
	const struct tui_prompt *p = &t->prompt;
	struct terminal *s = &t->terminal;
	struct buf b = { 0 };

	buf_puts(&b, t->message);
	buf_visible(&b, 0, VISIBLE_NAME);
	terminal_line(s, s->rows - 2);
	if (p->label && p->has_caret) {
		u32 first = first_visible(t);

		terminal_pad(s, STYLE_PLAIN,
			     (u32)strlen(p->label) +
				     n_characters(p->text + first, MAX(p->caret, first) - first));
		terminal_put(s, STYLE_BAD, "^ ");
	}
	terminal_put(s, p->has_caret ? STYLE_BAD : STYLE_PLAIN, b.s ? b.s : "");
	terminal_end_line(s);
	buf_release(&b);
}

/* The cursor is a reversed character. */
static void draw_prompt(struct tui *t)
{
	const struct tui_prompt *p = &t->prompt;
	struct terminal *s = &t->terminal;
	u32 n = p->at < p->len ? 1 : 0, first = first_visible(t);

	while (n && p->at + n < p->len && ((u8)p->text[p->at + n] & 0xc0) == 0x80)
		n++;
	terminal_put(s, STYLE_BOLD, p->label);
	terminal_printf(s, p->is_offer ? STYLE_CHOSEN : STYLE_PLAIN, "%.*s", (int)(p->at - first),
			p->text + first);
	terminal_printf(s, STYLE_CHOSEN, "%.*s", n ? (int)n : 1, n ? p->text + p->at : " ");
	terminal_put(s, STYLE_PLAIN, p->text + p->at + n);
}

static void draw_last(struct tui *t)
{
	static const char *const hints[N_VIEWS] = {
		"? keys  / filter  Enter event  s sort  h histogram  r sums  f flame  q quit",
		"? keys  Esc back  n p next, previous  = add to the filter  h histogram  q quit",
		"Esc back  arrows scroll  q quit",
		"? keys  arrows choose  Enter enlarge  f on the CPU  o off the CPU  Esc back",
	};

	terminal_line(&t->terminal, t->terminal.rows - 1);
	if (t->prompt.label)
		draw_prompt(t);
	else
		terminal_put(&t->terminal, STYLE_DIM, hints[t->view]);
	terminal_end_line(&t->terminal);
}

static void draw(struct tui *t)
{
	if (t->terminal.rows < 4) {
		terminal_line(&t->terminal, 0);
		terminal_put(&t->terminal, STYLE_PLAIN, "the window is too small");
		terminal_end_line(&t->terminal);
		terminal_clear_from(&t->terminal, 1);
		terminal_flush(&t->terminal);
		return;
	}
	draw_title(t);
	if (t->view == VIEW_TABLE)
		tui_draw_table(t, 1 + tui_draw_strip(t));
	else if (t->view == VIEW_FLAME)
		tui_draw_flame(t);
	else
		draw_lines(t);
	draw_message(t);
	draw_last(t);
	terminal_flush(&t->terminal);
}

/* ---- prompts */

static void ask(struct tui *t, const char *label, const char *text,
		void (*done)(struct tui *t, const char *text))
{
	struct tui_prompt *p = &t->prompt;

	*p = (struct tui_prompt){ .label = label, .done = done };
	snprintf(p->text, sizeof p->text, "%s", text);
	p->len = p->at = (u32)strlen(p->text);
	p->is_offer = p->len;
}

static void clear_prompt(struct tui_prompt *p)
{
	p->text[p->at = p->len = 0] = '\0';
}

static void remove_before(struct tui_prompt *p)
{
	u32 n = 1;

	while (n < p->at && ((u8)p->text[p->at - n] & 0xc0) == 0x80)
		n++;
	memmove(p->text + p->at - n, p->text + p->at, p->len - p->at + 1);
	p->at -= n;
	p->len -= n;
}

static void move_cursor(struct tui_prompt *p, int by)
{
	do {
		p->at += (u32)by;
	} while (p->at && p->at < p->len && ((u8)p->text[p->at] & 0xc0) == 0x80);
}

static void insert(struct tui_prompt *p, u32 c)
{
	char utf8[4] = { (char)c };
	u32 n = 1;

	if (c >= 0x80) {
		n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		for (u32 i = n - 1; i > 0; i--, c >>= 6)
			utf8[i] = (char)(0x80 | (c & 0x3f));
		utf8[0] = (char)((0xf00u >> n & 0xf0) | c);
	}
	if (p->len + n >= sizeof p->text)
		return;
	memmove(p->text + p->at + n, p->text + p->at, p->len - p->at + 1);
	memcpy(p->text + p->at, utf8, n);
	p->at += n;
	p->len += n;
}

static void prompt_done(struct tui *t)
{
	struct tui_prompt p = t->prompt;

	t->prompt.label = NULL;
	p.done(t, p.text);
}

static void prompt_key(struct tui *t, u32 key)
{
	struct tui_prompt *p = &t->prompt;

	p->has_caret = false;
	if (p->is_offer && key >= ' ' && key < KEY_UP) /* Backspace, too */
		clear_prompt(p);
	p->is_offer = false;
	if (key == KEY_ESCAPE || key == ('C' & 31))
		p->label = NULL;
	else if (key == KEY_ENTER)
		prompt_done(t);
	else if (key == KEY_TAB)
		tui_complete(t);
	else if (key == KEY_BACKSPACE && p->at)
		remove_before(p);
	else if (key == KEY_DELETE && p->at < p->len) {
		move_cursor(p, 1);
		remove_before(p);
	} else if (key == KEY_LEFT && p->at)
		move_cursor(p, -1);
	else if (key == KEY_RIGHT && p->at < p->len)
		move_cursor(p, 1);
	else if (key == KEY_HOME || key == ('A' & 31))
		p->at = 0;
	else if (key == KEY_END || key == ('E' & 31))
		p->at = p->len;
	else if (key == ('U' & 31))
		clear_prompt(p);
	else if (key >= ' ' && key < KEY_UP && key != KEY_BACKSPACE)
		insert(p, key);
}

/* ---- what keys do */

static void move(struct tui *t, s64 by)
{
	struct tui_lines *l = &t->lines;
	u64 n = t->view == VIEW_TABLE ? tui_n(t) : l->lines.n, at = t->view == VIEW_TABLE ? t->at :
								    t->view == VIEW_EVENT ? l->at :
											    l->top;

	at = by < 0 ? at - MIN(at, (u64)-by) : MIN(at + (u64)by, n ? n - 1 : 0);
	if (t->view == VIEW_TABLE)
		t->at = at;
	else
		*(t->view == VIEW_EVENT ? &l->at : &l->top) = (u32)at;
}

static s64 page(const struct tui *t)
{
	return t->view == VIEW_TABLE ? MAX(t->table_rows, 2u) - 1 : MAX(t->terminal.rows, 6u) - 5;
}

static void do_up(struct tui *t)
{
	move(t, -1);
}
static void do_down(struct tui *t)
{
	move(t, 1);
}
static void do_page_up(struct tui *t)
{
	move(t, -page(t));
}
static void do_page_down(struct tui *t)
{
	move(t, page(t));
}
static void do_first(struct tui *t)
{
	move(t, INT64_MIN + 1);
}
static void do_last(struct tui *t)
{
	move(t, INT64_MAX / 2);
}

static void go_to_time(struct tui *t, u64 time)
{
	t->at = tui_place_at(t, MIN(MAX(time, t->timeline.from), t->timeline.to));
	if (time < t->from || time > t->to) {
		u64 half = (t->to - t->from) / 2;

		t->from = MAX(time - MIN(time, half), t->timeline.from);
		t->to = t->from + 2 * half;
	}
}

/* By a column of the strip. */
static void move_time(struct tui *t, int by)
{
	u64 step = (t->to - t->from) / MAX(t->strip.columns, 1u) + 1, time = tui_time(t);

	if (t->order[0]) {
		tui_say(t, "sorted by %s: s and Enter sort by time again", t->order);
		return;
	}
	go_to_time(t, by < 0 ? time - MIN(time - MIN(time, t->timeline.from), step) : time + step);
}
static void do_left(struct tui *t)
{
	if (t->view == VIEW_TABLE)
		move_time(t, -1);
	else
		t->lines.left -= MIN(t->lines.left, (u32)SHIFT);
}
static void do_right(struct tui *t)
{
	if (t->view == VIEW_TABLE)
		move_time(t, 1);
	else
		t->lines.left = MIN(t->lines.left + SHIFT, 4000u);
}

static void do_event(struct tui *t)
{
	tui_show_event(t);
}
static void do_next(struct tui *t)
{
	t->at = MIN(t->at + 1, tui_n(t) - 1);
	tui_show_event(t);
}
static void do_previous(struct tui *t)
{
	t->at -= t->at > 0;
	tui_show_event(t);
}
static void do_back(struct tui *t)
{
	if (t->view != VIEW_FLAME || !tui_flame_unzoom(t))
		t->view = t->view == VIEW_TEXT ? t->back : VIEW_TABLE;
}

static void do_on_cpu(struct tui *t)
{
	tui_show_flame(t, false);
}
static void do_off_cpu(struct tui *t)
{
	tui_show_flame(t, true);
}
static void do_left_frame(struct tui *t)
{
	tui_flame_beside(t, -1);
}
static void do_right_frame(struct tui *t)
{
	tui_flame_beside(t, 1);
}

static void ask_filter(struct tui *t, const char *text)
{
	ask(t, "filter: ", text, tui_set_filter);
	t->prompt.is_predicate = true;
	t->prompt.is_offer = false; /* it is in use */
}
static void do_filter(struct tui *t)
{
	ask_filter(t, t->filter);
}
static void do_add_filter(struct tui *t)
{
	const char *predicate =
		t->lines.at < t->lines.lines.n ? t->lines.lines.v[t->lines.at].predicate : NULL;

	if (!predicate) {
		tui_say(t, "choose a field that is a number or a text");
		return;
	}
	t->view = VIEW_TABLE;
	tui_add_filter(t, predicate);
}

static void do_sort(struct tui *t)
{
	ask(t, "sort by: ", "", tui_set_order);
	tui_say(t, "time, cpu, tid, comm, event or a field; -NAME is descending");
	t->prompt.is_predicate = true;
}

static void do_histogram(struct tui *t)
{
	const char *field = tui_field(t);

	ask(t, "histogram of: ", field ? field : "probe", tui_show_histogram);
	t->prompt.is_predicate = true;
}

static void latency_key(struct tui *t, const char *text)
{
	tui_show_latency(t, t->latency.from, t->latency.to, *text ? text : "tid");
}
static void latency_to(struct tui *t, const char *text)
{
	snprintf(t->latency.to, sizeof t->latency.to, "%s", text);
	ask(t, "what both have (tid, or pid,next_pid): ", "tid", latency_key);
	t->prompt.is_predicate = true;
}
static void latency_from(struct tui *t, const char *text)
{
	snprintf(t->latency.from, sizeof t->latency.from, "%s", text);
	ask(t, "to event: ", t->latency.to, latency_to);
}
static void do_latency(struct tui *t)
{
	struct trace_event e;

	ask(t, "from event: ", tui_read(t, t->at, &e) ? e.format->name : "", latency_from);
}

static void do_sums(struct tui *t)
{
	tui_show_sums(t);
}

static void set_time(struct tui *t, const char *text)
{
	double seconds = strtod(text, NULL);

	if (seconds > 0)
		go_to_time(t, (u64)(seconds * 1e9));
	else
		tui_say(t, "a time in seconds, as the table has them");
}
static void do_time(struct tui *t)
{
	ask(t, "go to time, s: ", "", set_time);
}

static void set_marker(struct tui *t, u64 *marker)
{
	char text[32];

	*marker = tui_time(t);
	if (t->a && t->b)
		tui_say(t, "B - A: %s",
			tui_span(MAX(t->a, t->b) - MIN(t->a, t->b), text, sizeof text));
}
static void do_a(struct tui *t)
{
	set_marker(t, &t->a);
}
static void do_b(struct tui *t)
{
	set_marker(t, &t->b);
}
static void do_no_markers(struct tui *t)
{
	t->a = t->b = 0;
}
static void do_zoom_in(struct tui *t)
{
	tui_zoom(t, .5);
}
static void do_zoom_out(struct tui *t)
{
	tui_zoom(t, 2);
}
static void do_whole(struct tui *t)
{
	t->from = t->timeline.from;
	t->to = MAX(t->timeline.to, t->timeline.from + 1000);
}
static void do_quit(struct tui *t)
{
	t->quits = true;
}
static void do_help(struct tui *t);

enum {
	IN_TABLE = 1 << VIEW_TABLE,
	IN_EVENT = 1 << VIEW_EVENT,
	IN_TEXT = 1 << VIEW_TEXT,
	IN_FLAME = 1 << VIEW_FLAME,
	IN_LISTS = IN_TABLE | IN_EVENT | IN_TEXT,
	IN_ALL = IN_LISTS | IN_FLAME
};

/* The first row with a brief text has the other names of its key after it, without one. */
static const struct {
	u32 key, in;
	void (*act)(struct tui *t);
	const char *name, *brief;
} keys[] = {
	{ KEY_UP, IN_LISTS, do_up, "arrows, j k", "the next or previous event, field or line" },
	{ KEY_DOWN, IN_LISTS, do_down, NULL, NULL },
	{ 'k', IN_LISTS, do_up, NULL, NULL },
	{ 'j', IN_LISTS, do_down, NULL, NULL },
	{ KEY_PAGE_DOWN, IN_LISTS, do_page_down, "PgUp PgDn, b Space", "a page" },
	{ KEY_PAGE_UP, IN_LISTS, do_page_up, NULL, NULL },
	{ 'b', IN_LISTS, do_page_up, NULL, NULL },
	{ ' ', IN_LISTS, do_page_down, NULL, NULL },
	{ KEY_HOME, IN_LISTS, do_first, "Home End, g G", "the first, the last" },
	{ KEY_END, IN_LISTS, do_last, NULL, NULL },
	{ 'g', IN_LISTS, do_first, NULL, NULL },
	{ 'G', IN_LISTS, do_last, NULL, NULL },
	{ KEY_LEFT, IN_LISTS, do_left, "left right",
	  "a column of the picture back or on; wide lines" },
	{ KEY_RIGHT, IN_LISTS, do_right, NULL, NULL },
	{ '+', IN_TABLE, do_zoom_in, "+ - 0", "zoom the picture at the chosen event; all of it" },
	{ '-', IN_TABLE, do_zoom_out, NULL, NULL },
	{ '0', IN_TABLE, do_whole, NULL, NULL },
	{ 't', IN_TABLE, do_time, "t", "go to a time" },
	{ '/', IN_TABLE | IN_EVENT, do_filter, "/",
	  "filter: next_prio < 100 && comm == \"sh\"; Tab completes" },
	{ 's', IN_TABLE, do_sort, "s", "sort; the first 100000 in that order are shown" },
	{ KEY_ENTER, IN_TABLE, do_event, "Enter", "the event's fields and stacks" },
	{ 'n', IN_EVENT, do_next, "n p", "there: the next, the previous event" },
	{ 'p', IN_EVENT, do_previous, NULL, NULL },
	{ '=', IN_EVENT, do_add_filter, "=", "there: only events with this value" },
	{ 'h', IN_TABLE | IN_EVENT, do_histogram, "h", "histogram of a field or an expression" },
	{ 'l', IN_TABLE, do_latency, "l", "histogram of the times from one event to another" },
	{ 'r', IN_TABLE, do_sums, "r", "sums, as sonde report prints them" },
	{ 'f', IN_TABLE | IN_FLAME, do_on_cpu, "f",
	  "flame graph of the range: of samples, else of all events" },
	{ 'o', IN_TABLE | IN_FLAME, do_off_cpu, "o", "the same of the time off the CPU" },
	{ KEY_UP, IN_FLAME, tui_flame_outwards, "there: arrows, h j k l",
	  "the caller, the widest that it calls, the frame beside it" },
	{ KEY_DOWN, IN_FLAME, tui_flame_inwards, NULL, NULL },
	{ KEY_LEFT, IN_FLAME, do_left_frame, NULL, NULL },
	{ KEY_RIGHT, IN_FLAME, do_right_frame, NULL, NULL },
	{ 'k', IN_FLAME, tui_flame_outwards, NULL, NULL },
	{ 'j', IN_FLAME, tui_flame_inwards, NULL, NULL },
	{ 'h', IN_FLAME, do_left_frame, NULL, NULL },
	{ 'l', IN_FLAME, do_right_frame, NULL, NULL },
	{ KEY_ENTER, IN_FLAME, tui_flame_zoom, "there: Enter, Esc",
	  "enlarge the frame; all again, back" },
	{ '[', IN_TABLE, do_a, "[ ] c", "markers A and B, for sums, histograms, graphs; none" },
	{ 'c', IN_TABLE, do_no_markers, NULL, NULL },
	{ ']', IN_TABLE, do_b, NULL, NULL },
	{ '?', IN_ALL, do_help, "?", "this list" },
	{ KEY_ESCAPE, IN_EVENT | IN_TEXT | IN_FLAME, do_back, "Esc", "back" },
	{ 'q', IN_EVENT | IN_TEXT | IN_FLAME, do_back, NULL, NULL },
	{ 'q', IN_TABLE, do_quit, "q, Ctrl-C", "back; quit" },
	{ 'C' & 31, IN_ALL, do_quit, NULL, NULL },
};

static void do_help(struct tui *t)
{
	struct buf b = { 0 };

	tui_lines_begin(t, "Keys");
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!keys[i].brief)
			continue;
		buf_clear(&b);
		buf_printf(&b, "  %-20s %s", keys[i].name, keys[i].brief);
		tui_lines_text(t, b.s);
	}
	buf_release(&b);
	tui_show_text(t);
}

static void take_key(struct tui *t, u32 key)
{
	if (key == KEY_NONE)
		return;
	t->message[0] = '\0';
	if (key == KEY_CLOSED) {
		t->quits = true;
		return;
	}
	if (t->prompt.label) {
		prompt_key(t, key);
		return;
	}
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].key == key && keys[i].in & 1u << t->view) {
			keys[i].act(t);
			return;
		}
}

/* ---- what goes on meanwhile */

/* If a predicate is invalid, prompts again and shows all events. */
static void matches_are_done(struct tui *t)
{
	t->awaits_matches = false;
	t->is_stale = true;
	if (!t->matches.wrong.len) {
		memcpy(t->filter, t->filter_typed, sizeof t->filter);
		if (t->order[0])
			tui_sort(t);
		return;
	}
	t->filter[0] = '\0';
	ask_filter(t, t->filter_typed);
	t->prompt.has_caret = true;
	t->prompt.caret = t->prompt.at = t->matches.wrong_at;
	tui_say(t, "%s", t->matches.wrong.s);
	matches_end(&t->matches);
}

static void sorting_is_done(struct tui *t)
{
	t->is_stale = true;
	if (((const struct tui_order *)t->sorting.shared)->n)
		return;
	tui_say(t, "no event has a field %s", t->order);
	t->order[0] = '\0';
}

static bool is_busy(const struct tui *t)
{
	return t->awaits_matches || t->sorting.pid || t->awaits_chart;
}

static void look_after(struct tui *t)
{
	if (t->awaits_matches && matches_poll(&t->matches, t->r, t->filter_typed))
		matches_are_done(t);
	if (t->sorting.pid && job_poll(&t->sorting))
		sorting_is_done(t);
	if (t->awaits_chart && job_poll(&t->chart))
		(t->flame.is_awaited ? tui_flame_done : tui_chart_done)(t);
}

static void work(struct tui *t)
{
	timeline_advance(&t->timeline, WORK_EVENTS);
	t->next_number = ~0ull;
}

static void loop(struct tui *t)
{
	while (!t->quits) {
		bool has_work = !t->timeline.is_done;

		draw(t);
		take_key(t, terminal_key(&t->terminal, has_work ? 0 : is_busy(t) ? POLL_MS : -1));
		if (has_work)
			work(t);
		look_after(t);
	}
}

void tui_run(struct recorded *r, struct terminal *terminal)
{
	struct tui *t = xcalloc(1, sizeof *t);

	t->r = r;
	t->terminal = *terminal;
	timeline_init(&t->timeline, r->store, r->from, r->to ? r->to : ~0ull, MOST_BYTES);
	arena_init(&t->lines.arena);
	arena_init(&t->flame.arena);
	t->next_number = ~0ull;
	do_whole(t);
	loop(t);
	matches_end(&t->matches);
	job_end(&t->sorting);
	job_end(&t->chart);
	tui_release_rows(t);
	tui_release_flame(t);
	free(t->rows);
	free(t->strip.busy);
	arena_release(&t->lines.arena);
	timeline_release(&t->timeline);
	*terminal = t->terminal;
	free(t);
}
