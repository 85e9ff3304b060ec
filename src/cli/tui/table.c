/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of events: a page of rows is read when it is drawn, so memory does not depend on how
 * many there are. */
#include <stdlib.h>
#include "base/visible.h"
#include "cli/tui/tui.h"
#include "trace/event_line.h"
#include "type/event_format.h"

enum { NEAR = 20000 }; /* events that are read over rather than sought */

/* ---- which events */

static const struct tui_order *order_of(const struct tui *t)
{
	const struct tui_order *o = t->sorting.shared;

	return o && o->n && !t->sorting.pid ? o : NULL;
}

static bool is_filtered(const struct tui *t)
{
	return t->matches.job.shared;
}

u64 tui_n(const struct tui *t)
{
	const struct tui_order *o = order_of(t);

	if (o)
		return o->n;
	return is_filtered(t) ? matches_n(&t->matches) : t->timeline.n_done;
}

static u64 number_at(const struct tui *t, u64 place)
{
	const struct tui_order *o = order_of(t);

	if (o)
		return place < o->n ? o->numbers[place] : ~0ull;
	return is_filtered(t)             ? matches_nth(&t->matches, place) :
	       place < t->timeline.n_done ? place :
					    ~0ull;
}

static bool read_number(struct tui *t, u64 number, struct trace_event *e)
{
	if (number == ~0ull)
		return false;
	if (t->next_number > number || number - t->next_number > NEAR)
		timeline_seek_number(&t->timeline, number, &t->next_number);
	do {
		if (!store_next(t->r->store, e)) {
			t->next_number = ~0ull;
			return false;
		}
	} while (t->next_number++ < number);
	return true;
}

bool tui_read(struct tui *t, u64 place, struct trace_event *e)
{
	return read_number(t, number_at(t, place), e);
}

u64 tui_place_at(struct tui *t, u64 time)
{
	const struct tui_order *o = order_of(t);
	struct trace_event e;
	u64 number;

	if (o)
		return t->at; /* the order is not that of time */
	timeline_seek_time(&t->timeline, time, &number);
	while (store_next(t->r->store, &e) && e.time < time)
		number++;
	t->next_number = ~0ull;
	number = is_filtered(t) ? matches_before(&t->matches, number) : number;
	return MIN(number, tui_n(t) ? tui_n(t) - 1 : 0);
}

u64 tui_time(struct tui *t)
{
	struct trace_event e;

	for (u32 i = 0; i < t->n_rows && !t->is_stale; i++)
		if (t->top + i == t->at)
			return t->rows[i].time;
	return tui_read(t, t->at, &e) ? e.time : 0;
}

/* ---- rows */

void tui_release_rows(struct tui *t)
{
	for (u32 i = 0; i < t->n_rows; i++)
		free(t->rows[i].text);
	t->n_rows = 0;
}

static void make_row(struct tui *t, struct tui_row *row, const struct trace_event *e)
{
	struct buf text = { 0 };
	u32 len;
	const char *comm = event_comm(e, &len);
	struct buf name = { 0 };

	buf_add(&name, comm, len);
	buf_visible(&name, 0, VISIBLE_NAME);
	*row = (struct tui_row){
		.time = e->time, .cpu = e->cpu, .tid = e->tid, .format = e->format
	};
	snprintf(row->comm, sizeof row->comm, "%s", name.s ? name.s : "");
	event_text(&text, &t->r->arena, &t->r->names, e->format, e->record, e->len);
	buf_visible(&text, 0, VISIBLE_NAME);
	row->text = buf_steal(&text);
	buf_release(&name);
}

static void load(struct tui *t)
{
	struct trace_event e;

	tui_release_rows(t);
	if (t->rows_room < t->table_rows) {
		t->rows_room = t->table_rows;
		t->rows = xrealloc(t->rows, t->rows_room * sizeof *t->rows);
	}
	while (t->n_rows < t->table_rows && tui_read(t, t->top + t->n_rows, &e))
		make_row(t, &t->rows[t->n_rows++], &e);
	t->is_stale = false;
}

/* ---- the screen */

static const char *short_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

static void put_row(struct tui *t, u32 i)
{
	const struct tui_row *row = &t->rows[i];
	bool is_chosen = t->top + i == t->at;
	enum style style = is_chosen ? STYLE_CHOSEN : STYLE_PLAIN;
	struct terminal *s = &t->terminal;

	terminal_line(s, t->first_row + i);
	terminal_printf(s, style, "%6llu.%06llu %3u ", (unsigned long long)(row->time / 1000000000),
			(unsigned long long)(row->time / 1000 % 1000000), row->cpu);
	terminal_put(s, style, row->comm);
	terminal_pad(s, style, 39 - MIN(7u, (u32)snprintf(NULL, 0, "%u", row->tid)));
	terminal_printf(s, style, " %u ", row->tid);
	terminal_put(s, is_chosen ? style : STYLE_GOOD, short_name(row->format->name));
	terminal_put(s, style, " ");
	terminal_put(s, style, row->text);
	if (is_chosen)
		terminal_pad(s, style, s->columns);
	terminal_end_line(s);
}

static void put_header(struct tui *t, u32 row)
{
	struct terminal *s = &t->terminal;

	terminal_line(s, row);
	terminal_put(s, STYLE_BOLD, "      TIME, s CPU NAME           THREAD EVENT");
	if (t->order[0])
		terminal_printf(s, STYLE_BOLD, "   sorted by %s%s", t->order,
				t->is_descending ? ", descending" : "");
	terminal_end_line(s);
}

/* The chosen row is among those that are seen. */
static void follow(struct tui *t)
{
	u64 n = tui_n(t), before = t->top;

	t->at = MIN(t->at, n ? n - 1 : 0);
	if (t->at < t->top)
		t->top = t->at;
	if (t->at >= t->top + t->table_rows)
		t->top = t->at - t->table_rows + 1;
	t->is_stale |= t->top != before;
}

void tui_draw_table(struct tui *t, u32 row)
{
	u32 rows = t->terminal.rows, most = rows > row + 3 ? rows - row - 3 : 0;

	put_header(t, row);
	t->is_stale |= most != t->table_rows;
	t->first_row = row + 1;
	t->table_rows = most;
	follow(t);
	if (t->is_stale || (t->n_rows < most && t->top + t->n_rows < tui_n(t)))
		load(t);
	for (u32 i = 0; i < most; i++) {
		if (i < t->n_rows) {
			put_row(t, i);
			continue;
		}
		terminal_line(&t->terminal, t->first_row + i);
		if (!i && !tui_n(t) && !t->awaits_matches && t->timeline.is_done)
			terminal_put(&t->terminal, STYLE_DIM,
				     is_filtered(t) ? "  no event matches" : "  no events");
		terminal_end_line(&t->terminal);
	}
}

/* ---- what changes which events are shown */

void tui_set_filter(struct tui *t, const char *text)
{
	if (snprintf(t->filter_typed, sizeof t->filter_typed, "%s", text) >=
	    (int)sizeof t->filter_typed) {
		tui_say(t, "the filter is too long");
		return;
	}
	job_end(&t->sorting);
	matches_begin(&t->matches, t->r, t->filter_typed);
	t->awaits_matches = true;
	t->at = t->top = 0;
	t->is_stale = true;
}

void tui_add_filter(struct tui *t, const char *predicate)
{
	char text[sizeof t->filter + 256];

	snprintf(text, sizeof text, "%s%s%s", t->filter, t->filter[0] ? " && " : "", predicate);
	tui_set_filter(t, text);
}

void tui_set_order(struct tui *t, const char *text)
{
	t->is_descending = text[0] == '-';
	text += t->is_descending;
	text += strspn(text, " ");
	snprintf(t->order, sizeof t->order, "%s", text);
	if (!t->is_descending && streq(text, "time"))
		t->order[0] = '\0';
	job_end(&t->sorting);
	if (t->order[0])
		tui_sort(t);
	t->at = t->top = 0;
	t->is_stale = true;
}
