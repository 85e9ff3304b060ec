/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of sonde view and its data in one file that needs no server (build-aux/gen-view makes
 * the page of view/):
 *
 *	page	gzip
 *	info	what timeline/json.h says
 *	tile	LZ4: all spans, if there are few events, else
 *	tile-K-I	tiles of the levels that are not too large
 *	flame	LZ4: folded lines of all events, if they have stacks
 *	off	the same of the time off the CPU
 *	lane-I	LZ4: {"script":, "wrong":}, then what the script printed: lines of JSON
 *	rows	LZ4, JSON: the different events with the values of their fields, without their times and processors
 *	events	LZ4, of each event: varint time - time before, varint row, varint processor
 *
 * Each is base64 in an element that no browser executes.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/hash.h"
#include "base/json.h"
#include "export/calls.h"
#include "export/export.h"
#include "export/page.h"
#include "export/timeline/json.h"
#include "store/lz4.h"

enum {
	MOST_EVENTS = 300000,       /* that are all in the file */
	MOST_TILES = 12 << 20,      /* bytes of tiles of a level */
	MOST_ROWS_BYTES = 64 << 20, /* of texts of events */
};

#define MOST_EXACT (1ll << 53) /* integers that a double holds */

struct html {
	const struct export_job *j;
	struct out out;
	struct timeline timeline;
	struct arena arena;
	struct hash rows; /* of struct row_key: 1 + number */
	struct buf row_texts, events;
	u32 n_rows;
};

/* ---- elements */

static void put_base64(struct out *o, const u8 *at, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		u32 n = (u32)at[i] << 16 | (i + 1 < len ? (u32)at[i + 1] << 8 : 0) |
			(i + 2 < len ? at[i + 2] : 0);
		char four[4] = { digits[n >> 18], digits[n >> 12 & 63], digits[n >> 6 & 63],
				 digits[n & 63] };

		for (size_t k = len - i + 1; k < 4; k++)
			four[k] = '=';
		out_add(o, four, sizeof four);
	}
}

static void begin_element(struct out *o, const char *id, size_t len)
{
	buf_printf(&o->buf, "<script type=\"text/plain\" id=\"%s\" data-len=\"%zu\">", id, len);
}

static void end_element(struct out *o)
{
	buf_puts(&o->buf, "</script>\n");
	out_room(o);
}

static void put_packed(struct out *o, const char *id, const struct buf *b)
{
	u8 *packed = xrealloc(NULL, lz4_bound(b->len) + 1);

	begin_element(o, id, b->len);
	put_base64(o, packed, lz4_pack(packed, (const u8 *)(b->s ? b->s : ""), b->len));
	end_element(o);
	free(packed);
}

/* ---- events */

/* A number, in a list if it is larger than a double holds; text; null: neither. */
static void put_value(struct buf *b, const struct trace_event *e, const struct event_member *m)
{
	s64 n = event_value(e, m);
	bool is_large = m->is_signed ? n > MOST_EXACT || n < -MOST_EXACT : (u64)n > MOST_EXACT;
	const char *text;
	u32 len;

	if (m->is_char) {
		text = event_string(e, m->name, &len);
		json_str(b, text, len);
	} else if (m->data_loc || m->is_array || m->size > sizeof n) {
		buf_puts(b, "null");
	} else {
		buf_puts(b, is_large ? "[\"" : "");
		buf_printf(b, m->is_signed ? "%lld" : "%llu", (long long)n);
		buf_puts(b, is_large ? "\"]" : "");
	}
}

/* In the order of `fields` of the page's info. Then, of a system call, what sums need as sonde
 * report takes it. */
static void put_values(struct buf *b, const struct trace_event *e)
{
	struct call_event call;
	const char *comma = "";

	buf_puts(b, ",[");
	for (u32 i = 0; i < e->format->n_members; i++) {
		if (e->format->members[i].is_common)
			continue;
		buf_puts(b, comma);
		put_value(b, e, &e->format->members[i]);
		comma = ",";
	}
	buf_putc(b, ']');
	if (call_of_event(e, &call)) {
		s64 ret = call.is_exit ? event_number(e, "ret") : 0;

		buf_putc(b, ',');
		json_strz(b, call.name);
		buf_printf(b, ",%d,%d", call.is_exit, ret < 0 && ret >= -4095);
	}
}

/* The number of the event's row: equal events but for time and processor share it. */
static u32 row_of(struct html *h, const struct trace_event *e)
{
	struct buf key = { 0 };
	u64 head[2] = { e->format->stored, (u64)e->pid << 32 | e->tid };
	uintptr_t at;

	buf_add(&key, head, sizeof head);
	buf_add(&key, e->comm, COMM_SIZE);
	buf_add(&key, e->record, e->len);
	at = (uintptr_t)hash_get(&h->rows, key.s, key.len);
	if (!at) {
		char *kept = arena_alloc(&h->arena, key.len);

		memcpy(kept, key.s, key.len);
		at = ++h->n_rows;
		hash_put(&h->rows, kept, key.len, (void *)at);
		buf_puts(&h->row_texts, at > 1 ? ",\n[" : "[");
		timeline_put_event(&h->row_texts, h->j->arena, h->j->names, e);
		put_values(&h->row_texts, e);
		buf_putc(&h->row_texts, ']');
	}
	buf_release(&key);
	return (u32)at - 1;
}

static void put_events(struct html *h)
{
	struct timeline *t = &h->timeline;
	struct trace_event e;
	u64 last = t->from, number;

	buf_putc(&h->row_texts, '[');
	timeline_seek_time(t, t->from, &number);
	while (h->row_texts.len < MOST_ROWS_BYTES && store_next(t->store, &e)) {
		buf_varint(&h->events, e.time - last);
		buf_varint(&h->events, row_of(h, &e));
		buf_varint(&h->events, e.cpu);
		last = e.time;
	}
	buf_putc(&h->row_texts, ']');
	put_packed(&h->out, "rows", &h->row_texts);
	put_packed(&h->out, "events", &h->events);
}

/* ---- tiles */

static void put_exact(struct html *h)
{
	struct buf tile = { 0 };

	timeline_exact(&h->timeline, &tile);
	put_packed(&h->out, "tile", &tile);
	buf_release(&tile);
}

static void put_levels(struct html *h)
{
	char id[32];

	for (u32 k = 0; k < TIMELINE_LEVELS; k++) {
		const struct timeline_level *l = &h->timeline.levels[k];

		for (u32 i = 0; l->tiles && i < l->n_done; i++) {
			snprintf(id, sizeof id, "tile-%u-%u", k, i);
			put_packed(&h->out, id, &l->tiles[i]);
		}
	}
}

static void put_info(struct html *h)
{
	struct buf info = { 0 };

	timeline_put_info(&info, &h->timeline, h->j->file);
	put_packed(&h->out, "info", &info);
	buf_release(&info);
}

static void put_lane(struct html *h, u32 i)
{
	const struct export_lane *l = &h->j->lanes[i];
	struct buf b = { 0 };
	char id[32];

	buf_puts(&b, "{\"script\":");
	json_strz(&b, l->script);
	buf_puts(&b, ",\"wrong\":");
	json_str(&b, l->wrong.s ? l->wrong.s : "", l->wrong.len);
	buf_puts(&b, "}\n");
	buf_add(&b, l->lines.s ? l->lines.s : "", l->lines.len);
	snprintf(id, sizeof id, "lane-%u", i);
	put_packed(&h->out, id, &b);
	buf_release(&b);
}

static void put_flame(struct html *h, const char *id, bool off_cpu)
{
	struct buf lines = { 0 };

	timeline_range(&h->timeline, h->timeline.from, h->timeline.to);
	put_folded(h->j, off_cpu, &lines);
	put_packed(&h->out, id, &lines);
	buf_release(&lines);
}

static int run(const struct export_job *j, struct err *err)
{
	struct html h = { .j = j };

	if (out_open(&h.out, j->path, err) < 0)
		return err->code;
	arena_init(&h.arena);
	timeline_init(&h.timeline, j->store, j->from, j->to, MOST_TILES);
	h.timeline.damage = j->damage;
	while (timeline_advance(&h.timeline, 1 << 30))
		;
	buf_puts(&h.out.buf, view_before);
	begin_element(&h.out, "page", view_page_len);
	put_base64(&h.out, view_page, view_page_len);
	end_element(&h.out);
	if (h.timeline.n_done <= MOST_EVENTS) {
		put_exact(&h);
		put_events(&h);
	} else {
		put_levels(&h);
	}
	if (h.timeline.model.has_stacks) {
		put_flame(&h, "flame", false);
		put_flame(&h, "off", true);
	}
	for (u32 i = 0; i < j->n_lanes; i++)
		put_lane(&h, i);
	put_info(&h);
	buf_puts(&h.out.buf, view_after);
	timeline_release(&h.timeline);
	buf_release(&h.row_texts);
	buf_release(&h.events);
	hash_release(&h.rows);
	arena_release(&h.arena);
	return out_close(&h.out, j->path, err);
}

const struct exporter export_html = {
	.name = "html", .brief = "an HTML page with the timeline", .suffix = ".html", .run = run
};
