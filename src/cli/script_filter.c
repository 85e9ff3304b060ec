/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde script --filter EXPR, -f FORMAT: a script over the recording, a clause for each event that has the fields which
 * EXPR names; EXPR is the condition of all of them, as that of --where:
 *
 *	tracepoint:sched:sched_waking { record(); }
 */
#include <ctype.h>
#include "builtin/builtin.h"
#include "cli/script_filter.h"
#include "output/notice.h"
#include "output/output.h"
#include "sym/tracefs.h"
#include "type/event_format.h"

/* ---- lines: as without a filter */

static void event(struct sink *s, const struct trace_event *e)
{
	struct recorded *r = s->state;

	recorded_put_line(r, s, e);
	sink_item(s);
}

static void none_attached(struct sink *s, u32 n_probes)
{
}
static void no_text(struct sink *s, enum sink_text kind, const char *bytes, size_t len)
{
}
static void no_value(struct sink *s, const struct type *t, const void *p)
{
}
static void no_table(struct sink *s, const struct table *t)
{
}
static void no_loss(struct sink *s, const struct loss *loss, u64 count)
{
}
static void no_end(struct sink *s)
{
}

static const struct output output_lines = {
	.name = "lines",
	.attached = none_attached,
	.text = no_text,
	.value = no_value,
	.table = no_table,
	.event = event,
	.lost = no_loss,
	.message = text_message,
	.end = no_end,
};

/* ---- the script */

static bool is_name(char c)
{
	return isalnum((u8)c) || c == '_';
}

/* Whether the event has each field that the expression names after "args.". */
static bool has_fields(struct arena *a, const struct event_format *e, const char *expr)
{
	const struct tp_format *f = tracefs_parse_format(a, e->text, strlen(e->text));

	for (const char *s = expr; f && (s = strstr(s, "args.")) != NULL;) {
		size_t n = 0;

		for (s += strlen("args."); is_name(s[n]);)
			n++;
		if (!tp_format_field(f, arena_strndup(a, s, n)))
			return false;
	}
	return f;
}

/* How many events there are clauses for. */
static u32 put_script(struct recorded *r, struct buf *to, const char *expr)
{
	u32 n = 0;

	buf_puts(to, "config = { max_probes = 100000; print_maps_on_exit = false }\n");
	for (u32 i = 0; i < r->tables->formats.n; i++) {
		const struct event_format *e = r->tables->formats.v[i];

		if (expr && !has_fields(&r->arena, e, expr))
			continue;
		buf_printf(to, "tracepoint:%s { record(); }\n", e->name);
		n++;
	}
	return n;
}

static int run(struct recorded *r, struct buf *script)
{
	struct cli *c = r->c;
	struct err err = { 0 };
	int ret;

	c->request.script_name = "--filter";
	c->request.script = script->s;
	c->request.script_len = script->len;
	c->request.engine = "replay";
	c->request.from = r->path;
	c->request.traced.where = c->filter;
	c->request.from_ns = r->from;
	c->request.to_ns = r->to;
	c->host.themes = builtin_themes;
	c->quiet = true;
	if (!c->sink.output)
		c->sink.output = &output_lines;
	if (sink_open(c))
		return STATUS_WRONG;
	if (c->sink.output == &output_lines)
		c->sink.state = r;
	ret = session_run(&c->request, &c->host, &err);
	if (c->sink.output == &output_lines)
		c->sink.state = NULL;
	say_err(c, &err);
	err_release(&err);
	return sink_close(c) ? STATUS_REFUSED : ret;
}

int script_filtered(struct cli *c)
{
	const struct output *text = output_find("text");
	struct recorded r = { 0 };
	struct buf script = { 0 };
	int ret;

	if (c->sink.output == text)
		c->sink.output = NULL;
	if (c->sink.output && (c->sink.output->close || c->sink.output->event == text->event))
		return say_usage(c, "-f %s has no events of its own: use -f json, or text",
				 c->sink.output->name);
	ret = recorded_open(&r, c);
	if (ret)
		return ret;
	if (put_script(&r, &script, c->filter))
		ret = run(&r, &script);
	else
		ret = say_usage(c, "--filter=%s: no event of %s has such fields", c->filter,
				r.path);
	recorded_close_quietly(&r);
	buf_release(&script);
	return ret;
}
