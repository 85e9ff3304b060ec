/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a path and its parameters. Out: JSON, or bytes of a tile. The client is view/source.js. */
#include <unistd.h>
#include "base/fd.h"
#include "base/json.h"
#include "builtin/builtin.h"
#include "cli/report.h"
#include "cli/view/answers.h"
#include "cli/view/lane.h"
#include "cli/view/values.h"
#include "export/export.h"
#include "export/page.h"
#include "export/timeline/json.h"

enum {
	MOST_ROWS = 500,
	WORK_EVENTS = 100000,
	FAR = 4096 /* events that are not read one by one */
};

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

static void put_state(struct viewed *v, const char *query, struct http_answer *a)
{
	timeline_put_state(&a->body, &v->timeline);
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

/* The matches of the query's filter; NULL: it has none. */
static struct matches *matches_of(struct viewed *v, const char *query)
{
	struct buf typed = { 0 };
	struct matches *m = NULL;

	if (http_text(query, "filter", &typed))
		m = asked_matches(&v->asked, v->recorded, typed.s);
	if (m)
		matches_poll(m, v->recorded, typed.s);
	buf_release(&typed);
	return m;
}

static void put_row(struct viewed *v, const struct trace_event *e, struct buf *b)
{
	buf_printf(b, "%s[%llu,%u,", b->len > 1 ? "," : "", (ull)(e->time - v->timeline.from),
		   e->cpu);
	timeline_put_event(b, &v->recorded->arena, &v->recorded->names, e);
	buf_putc(b, ']');
}

/* Rows from `first` on; of a filter, from that match on. */
static void put_rows(struct viewed *v, const char *query, struct http_answer *a)
{
	u64 first = http_number(query, "first"), n = MIN(http_number(query, "n"), MOST_ROWS);
	struct matches *m = matches_of(v, query);
	u64 wanted = m ? matches_nth(m, first) : first, number = 0;
	struct trace_event e = { 0 };

	buf_putc(&a->body, '[');
	for (u64 i = 0; i < n && wanted != ~0ull; i++) {
		if (!i || wanted > number + FAR)
			timeline_seek_number(&v->timeline, wanted, &number);
		number = pass_over(v, number, wanted, 0, &e);
		if (!e.format)
			break;
		put_row(v, &e, &a->body);
		number++;
		wanted = m ? matches_after(m, number) : number;
	}
	buf_putc(&a->body, ']');
}

/* Of the first event, or match, at a time. */
static void put_number(struct viewed *v, const char *query, struct http_answer *a)
{
	u64 time = v->timeline.from + http_number(query, "at"), number;
	struct matches *m = matches_of(v, query);
	struct trace_event e;

	timeline_seek_time(&v->timeline, time, &number);
	number = pass_over(v, number, 0, time, &e);
	buf_printf(&a->body, "%llu", (ull)(m ? matches_before(m, number) : number));
}

/* Pairs: a column of the overview, and how many matches it has. */
static void put_columns(const struct matches *m, struct buf *b)
{
	const u32 *n = matches_columns(m);
	const char *comma = "";

	buf_puts(b, ",\"where\":[");
	for (u32 i = 0; n && i < MATCH_COLUMNS; i++)
		if (n[i]) {
			buf_printf(b, "%s%u,%u", comma, i, n[i]);
			comma = ",";
		}
	buf_putc(b, ']');
}

static void put_filter(struct viewed *v, const char *query, struct http_answer *a)
{
	struct matches *m = matches_of(v, query);

	if (!m) {
		a->status = 404;
		return;
	}
	buf_printf(&a->body, "{\"n\":%llu,\"isDone\":%s,\"at\":%u,\"wrong\":",
		   (ull)(m->wrong.len ? 0 : matches_n(m)), m->job.pid ? "false" : "true",
		   m->wrong_at);
	json_str(&a->body, m->wrong.s ? m->wrong.s : "", m->wrong.len);
	put_columns(m, &a->body);
	buf_putc(&a->body, '}');
}

/* ---- what takes long: in a child process */

/* expr=..., or first=EVENT&second=EVENT&key=...; filter=...; from=, to= */
static void put_values(struct viewed *v, const char *query, struct http_answer *a)
{
	static const char *const keys[] = { "expr", "first", "second", "key", "filter" };
	struct buf texts[ARRAY_SIZE(keys)] = { 0 };
	struct recorded *r = v->recorded;
	struct value_request q;

	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		http_text(query, keys[i], &texts[i]);
	q = (struct value_request){ texts[0].s, texts[1].s, texts[2].s, texts[3].s, texts[4].s };
	r->from = v->timeline.from + http_number(query, "from");
	r->to = MIN(v->timeline.from + http_number(query, "to"), v->timeline.to);
	r->c->request.diag.json = true;
	if ((!q.expr && !(q.from && q.to && q.key)) || values_run(r, &q, true, &a->body))
		a->status = 404;
	for (u32 i = 0; i < ARRAY_SIZE(keys); i++)
		buf_release(&texts[i]);
}

/* script=..., to=: what it prints over the recording up to then, in lines of JSON; step=: its maps,
 * so often. */
static void put_run(struct viewed *v, const char *query, struct http_answer *a)
{
	struct buf typed = { 0 }, script = { 0 };
	struct recorded *r = v->recorded;
	u64 step = http_number(query, "step");

	http_text(query, "script", &typed);
	r->from = v->timeline.from;
	r->to = MIN(v->timeline.from + http_number(query, "to"), v->timeline.to);
	r->c->request.diag.json = true;
	if (typed.len && step)
		lane_put_script(&script, typed.s, r->from, r->to, step);
	else if (typed.len)
		buf_puts(&script, typed.s);
	if (!script.len || predicate_run(r, &script, NULL, &output_json, NULL))
		a->status = 404;
	buf_release(&typed);
	buf_release(&script);
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

/* As sonde report prints them; view/report.js computes the same for a page without a server. */
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
	struct report sums = { .tables = v->recorded->tables };
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

	set_range(v, query);
	put_folded(&j, http_number(query, "off"), &a->body);
}

/* Variables of the language, for completion. */
static void put_words(struct viewed *v, const char *query, struct http_answer *a)
{
	for (const struct builtin_theme *const *t = builtin_themes; *t; t++)
		for (u32 i = 0; i < (*t)->n; i++) {
			const struct builtin *row = &(*t)->rows[i];

			if (!(row->flags & BI_VARIABLE) || row->alias_of)
				continue;
			buf_puts(&a->body, a->body.len ? "," : "[");
			json_strz(&a->body, row->name);
		}
	buf_putc(&a->body, ']');
}

struct answer {
	const char *path;
	void (*put)(struct viewed *v, const char *query, struct http_answer *a);
	bool takes_long; /* reads the whole file */
};

static const struct answer answers[] = {
	{ .path = "", .put = put_page },
	{ .path = "info", .put = put_info },
	{ .path = "state", .put = put_state },
	{ .path = "tile", .put = put_tile },
	{ .path = "rows", .put = put_rows },
	{ .path = "number", .put = put_number },
	{ .path = "filter", .put = put_filter },
	{ .path = "words", .put = put_words },
	{ .path = "report", .put = put_report, .takes_long = true },
	{ .path = "flame", .put = put_flame, .takes_long = true },
	{ .path = "run", .put = put_run, .takes_long = true },
	{ .path = "values", .put = put_values, .takes_long = true },
};

struct asked_answer { /* of the child */
	struct viewed *v;
	const struct answer *row;
	const char *query;
};

static int print_answer(struct job *j, void *ctx)
{
	const struct asked_answer *asked = ctx;
	struct http_answer a = { .status = 200 };

	asked->row->put(asked->v, asked->query, &a);
	write_all(STDOUT_FILENO, a.body.s ? a.body.s : "", a.body.len);
	return a.status == 200 ? 0 : STATUS_WRONG;
}

/* Replies 202 until the job is done. A query that begins with end=1 cancels the job. */
static void put_long(struct viewed *v, const struct answer *row, const char *query,
		     struct http_answer *a)
{
	struct asked_answer ctx = { .v = v, .row = row, .query = query };
	struct buf why = { 0 };
	struct job *j;

	if (starts_with(query, "end=1&")) {
		asked_end(&v->asked, row->path, query + strlen("end=1&"));
		return;
	}
	j = asked_job(&v->asked, row->path, query, print_answer, &ctx);
	if (!job_poll(j)) {
		a->status = 202;
		return;
	}
	if (!j->status) {
		buf_add(&a->body, j->said.s ? j->said.s : "", j->said.len);
		return;
	}
	job_error(j, &why);
	buf_puts(&a->body, "{\"wrong\":");
	json_str(&a->body, why.s ? why.s : "", why.len);
	buf_putc(&a->body, '}');
	buf_release(&why);
}

void view_answer(void *ctx, const char *path, const char *query, struct http_answer *a)
{
	a->type = "application/json";
	for (u32 i = 0; i < ARRAY_SIZE(answers); i++)
		if (streq(answers[i].path, path)) {
			if (answers[i].takes_long)
				put_long(ctx, &answers[i], query, a);
			else
				answers[i].put(ctx, query, a);
			return;
		}
	a->status = 404;
}

bool view_watch(void *ctx)
{
	struct viewed *v = ctx;

	return asked_watch(&v->asked);
}

bool view_work(void *ctx)
{
	struct viewed *v = ctx;

	return timeline_advance(&v->timeline, WORK_EVENTS);
}
