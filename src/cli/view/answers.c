/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a path and its numbers. Out: JSON, or bytes of a tile. view/source.js asks. */
#include "base/json.h"
#include "cli/report.h"
#include "cli/view/answers.h"
#include "export/export.h"
#include "export/page.h"
#include "export/timeline/json.h"

enum { MOST_ROWS = 500, WORK_EVENTS = 100000 };

typedef unsigned long long ull;

static void put_page(struct viewed *v, const char *query, struct http_answer *a)
{
	a->type = "text/html; charset=utf-8";
	a->encoding = "gzip";
	buf_add(&a->body, view_page, view_page_len);
}

static void put_info(struct viewed *v, const char *query, struct http_answer *a)
{
	timeline_put_info(&a->body, &v->timeline, v->recorded->path);
}

static void put_tile(struct viewed *v, const char *query, struct http_answer *a)
{
	u32 level = (u32)MIN(http_number(query, "level"), 30);

	a->type = "application/octet-stream";
	if (!timeline_tile(&v->timeline, level, http_number(query, "index"), &a->body))
		a->status = v->timeline.is_done ? 404 : 202;
}

/* Before the event of that time or number, whichever is later. Its number. */
static u64 pass_over(struct viewed *v, u64 number, u64 wanted, u64 time, struct trace_event *e)
{
	bool is_there = recorded_next(v->recorded, e);

	for (; is_there && (number < wanted || e->time < time); number++)
		is_there = recorded_next(v->recorded, e);
	if (!is_there)
		e->format = NULL;
	return number;
}

static void put_rows(struct viewed *v, const char *query, struct http_answer *a)
{
	u64 first = http_number(query, "first"), n = MIN(http_number(query, "n"), MOST_ROWS),
	    number;
	struct trace_event e;

	timeline_seek_number(&v->timeline, first, &number);
	pass_over(v, number, first, 0, &e);
	buf_putc(&a->body, '[');
	for (u64 i = 0; i < n && e.format; i++) {
		buf_printf(&a->body, "%s[%llu,%u,", i ? "," : "", (ull)(e.time - v->timeline.from),
			   e.cpu);
		timeline_put_event(&a->body, &v->recorded->arena, &v->recorded->names, &e);
		buf_putc(&a->body, ']');
		if (!recorded_next(v->recorded, &e))
			break;
	}
	buf_putc(&a->body, ']');
}

static void put_number(struct viewed *v, const char *query, struct http_answer *a)
{
	u64 time = v->timeline.from + http_number(query, "at"), number;
	struct trace_event e;

	timeline_seek_time(&v->timeline, time, &number);
	buf_printf(&a->body, "%llu", (ull)pass_over(v, number, 0, time, &e));
}

/* ---- sums */

static void put_spans(struct buf *b, const char *name, const struct spans *s)
{
	buf_printf(b, ",\"%s\":{\"n\":%llu,\"sum\":%llu,\"max\":%llu}", name, (ull)s->n,
		   (ull)s->sum, (ull)s->max);
}

static void put_threads(struct buf *b, const struct report *r)
{
	buf_puts(b, "],\"threads\":[");
	for (u32 i = 0; i < r->threads.n; i++) {
		const struct report_thread *t = r->threads.v[i];

		buf_printf(b, "%s{\"tid\":%u,\"n\":%llu,\"comm\":", i ? "," : "", t->tid,
			   (ull)t->n_events);
		json_str(b, t->comm, strnlen(t->comm, sizeof t->comm));
		put_spans(b, "onCpu", &t->on_cpu);
		put_spans(b, "waits", &t->waits);
		buf_putc(b, '}');
	}
}

/* As sonde report has them: view/report.js makes the same of a page without a server. */
static void put_sums(struct buf *b, const struct report *r)
{
	buf_printf(b, "{\"hasSwitches\":%s,\"hasEntries\":%s,\"hasExits\":%s,\"events\":[",
		   r->has_switches ? "true" : "false", r->has_entries ? "true" : "false",
		   r->has_exits ? "true" : "false");
	for (u32 i = 0; i < r->events.n; i++) {
		buf_puts(b, i ? ",{\"name\":" : "{\"name\":");
		json_strz(b, r->events.v[i]->name);
		buf_printf(b, ",\"n\":%llu}", (ull)r->events.v[i]->n);
	}
	put_threads(b, r);
	buf_puts(b, "],\"calls\":[");
	for (u32 i = 0; i < r->calls.n; i++) {
		const struct report_call *c = r->calls.v[i];
		bool has_times = r->has_entries && r->has_exits;

		buf_puts(b, i ? ",{\"name\":" : "{\"name\":");
		json_strz(b, c->name);
		buf_printf(b, ",\"n\":%llu,\"errors\":%llu",
			   (ull)(has_times ? c->times.n : MAX(c->n_entries, c->n_exits)),
			   (ull)c->n_errors);
		put_spans(b, "times", &c->times);
		buf_putc(b, '}');
	}
	buf_puts(b, "]}");
}

static void set_range(struct viewed *v, const char *query)
{
	u64 from = v->timeline.from;

	timeline_range(&v->timeline, from + http_number(query, "from"),
		       MIN(from + http_number(query, "to"), v->timeline.to));
}

static void put_report(struct viewed *v, const char *query, struct http_answer *a)
{
	struct report sums = { 0 };
	struct trace_event e;

	arena_init(&sums.arena);
	set_range(v, query);
	while (store_next(v->recorded->store, &e))
		report_add(&sums, &e);
	report_sort(&sums);
	put_sums(&a->body, &sums);
	report_release(&sums);
}

static void put_flame(struct viewed *v, const char *query, struct http_answer *a)
{
	const struct export_job j = { .store = v->recorded->store,
				      .tables = v->recorded->tables,
				      .names = &v->recorded->names,
				      .stack_names = v->recorded->stack_names,
				      .arena = &v->recorded->arena };

	a->type = "text/plain; charset=utf-8";
	set_range(v, query);
	put_folded(&j, &a->body);
}

static const struct {
	const char *path;
	void (*put)(struct viewed *v, const char *query, struct http_answer *a);
} answers[] = { { "", put_page },      { "info", put_info },     { "tile", put_tile },
		{ "rows", put_rows },  { "number", put_number }, { "report", put_report },
		{ "flame", put_flame } };

void view_answer(void *ctx, const char *path, const char *query, struct http_answer *a)
{
	a->type = "application/json";
	for (u32 i = 0; i < ARRAY_SIZE(answers); i++)
		if (streq(answers[i].path, path)) {
			answers[i].put(ctx, query, a);
			return;
		}
	a->status = 404;
}

bool view_work(void *ctx)
{
	struct viewed *v = ctx;

	return timeline_advance(&v->timeline, WORK_EVENTS);
}
