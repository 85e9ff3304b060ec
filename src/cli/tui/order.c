/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting: a child process reads the events that are shown and keeps the first TUI_ORDER_MOST in
 * the order, in a heap whose root is the last of them; so memory does not depend on how many there
 * are.
 */
#include <stdlib.h>
#include "cli/tui/tui.h"
#include "export/export.h"
#include "type/event_format.h"

struct sorted {
	u64 key, number;
};

struct heap {
	struct sorted *v;
	u32 n;
};

/* ---- keys */

/* Its first bytes, so that numbers are in the order of texts. */
static u64 key_of_text(const char *s, u32 len)
{
	u64 key = 0;

	for (u32 i = 0; i < 8; i++)
		key = key << 8 | (i < len && s[i] ? (u8)s[i] : (len = 0));
	return key;
}

/* False: the event has no such field. */
static bool key_of_field(const struct trace_event *e, const char *name, u64 *key)
{
	const struct event_member *m = event_member(e->format, name);
	u32 len;
	const u8 *s;

	if (!m)
		return false;
	if (!m->is_char) {
		*key = (u64)event_value(e, m) ^ (m->is_signed ? 1ull << 63 : 0);
		return true;
	}
	s = event_bytes(e, m, &len);
	*key = s ? key_of_text((const char *)s, len) : 0;
	return true;
}

static bool key_of(const struct trace_event *e, const char *by, u64 *key)
{
	const char *colon = strchr(e->format->name, ':');

	if (streq(by, "time"))
		*key = e->time;
	else if (streq(by, "cpu"))
		*key = e->cpu;
	else if (streq(by, "tid") || streq(by, "thread"))
		*key = e->tid;
	else if (streq(by, "pid"))
		*key = e->pid;
	else if (streq(by, "comm") || streq(by, "name"))
		*key = key_of_text(e->comm, COMM_SIZE);
	else if (streq(by, "event"))
		*key = key_of_text(colon ? colon + 1 : e->format->name, 8);
	else
		return key_of_field(e, starts_with(by, "args.") ? by + 5 : by, key);
	return true;
}

/* ---- the heap */

static bool is_later(const struct sorted *a, const struct sorted *b)
{
	return a->key != b->key ? a->key > b->key : a->number > b->number;
}

static void swap(struct heap *h, u32 i, u32 k)
{
	struct sorted s = h->v[i];

	h->v[i] = h->v[k];
	h->v[k] = s;
}

static void sink_down(struct heap *h, u32 i)
{
	for (;;) {
		u32 last = i, left = 2 * i + 1;

		for (u32 k = left; k < left + 2 && k < h->n; k++)
			if (is_later(&h->v[k], &h->v[last]))
				last = k;
		if (last == i)
			return;
		swap(h, i, last);
		i = last;
	}
}

static void keep(struct heap *h, struct sorted s)
{
	u32 i = h->n;

	if (h->n == TUI_ORDER_MOST) {
		if (is_later(&h->v[0], &s)) {
			h->v[0] = s;
			sink_down(h, 0);
		}
		return;
	}
	for (h->v[h->n++] = s; i && is_later(&h->v[i], &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

/* ---- the child */

static void collect(struct tui *t, struct heap *h)
{
	u64 next = t->matches.job.shared ? matches_nth(&t->matches, 0) : 0, number = 0, n = 0;
	struct trace_event e;
	u64 key = 0;

	timeline_range(&t->timeline, t->timeline.from, t->timeline.to);
	for (; next != ~0ull && store_next(t->r->store, &e); number++) {
		if (number != next)
			continue;
		if (key_of(&e, t->order, &key))
			keep(h, (struct sorted){ t->is_descending ? ~key : key, number });
		next = t->matches.job.shared ? matches_after(&t->matches, number + 1) : number + 1;
		n++;
	}
	((struct tui_order *)t->sorting.shared)->n_seen = n;
}

static int sort(struct job *j, void *ctx)
{
	struct tui *t = ctx;
	struct tui_order *o = j->shared;
	struct heap h = { .v = xcalloc(TUI_ORDER_MOST, sizeof *h.v) };
	u32 n;

	t->sorting = *j;
	collect(t, &h);
	n = h.n;
	while (h.n) {
		o->numbers[h.n - 1] = h.v[0].number;
		h.v[0] = h.v[--h.n];
		sink_down(&h, 0);
	}
	o->n = n;
	return 0;
}

void tui_sort(struct tui *t)
{
	if (!job_start(&t->sorting, sizeof(struct tui_order), sort, t))
		tui_say(t, "no process or memory to sort in");
}
