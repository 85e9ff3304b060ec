/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde script --filter EXPR, -f FORMAT: a script over the recording, a clause for each event that
 * has the fields which EXPR names; EXPR is the condition of all of them, as that of --where:
 *
 *	tracepoint:sched:sched_waking { record(); }
 */
#include "cli/predicate.h"
#include "cli/script_filter.h"
#include "output/none.h"
#include "output/notice.h"

/* ---- lines: as without a filter */

void script_lines_init(struct lines *l, struct recorded *r)
{
	l->r = r;
	where_init(&l->where, r);
	part_read(&l->part, r->c);
}

void script_lines_release(struct lines *l)
{
	where_release(&l->where);
}

void script_lines_put(struct lines *l, struct sink *s, const struct trace_event *e)
{
	if (part_is_given(l->r->c) &&
	    (!part_has_cpu(&l->part, e) ||
	     !part_has_place(&l->part, e, where_chain(&l->where, e).v[0].frame)))
		return;
	recorded_put_line(l->r, s, e);
	sink_item(s);
}

static void event(struct sink *s, const struct trace_event *e)
{
	struct lines *l = s->state;

	if (e->has_stacks)
		store_names_at(l->r->stack_names, e->time);
	script_lines_put(l, s, e);
}

static const struct output output_lines = {
	.name = "lines",
	.attached = none_attached,
	.text = none_text,
	.value = none_value,
	.table = none_table,
	.event = event,
	.lost = none_lost,
	.message = text_message,
	.end = none_end,
};

/* ---- the command */

/* --time of several ranges: the request has only that from the first to the last. */
static void put_times(struct buf *to, const struct time_ranges *t)
{
	const struct store_span *s = t->spans.v;

	for (u32 i = 0; i < t->spans.n; i++)
		buf_printf(to, "%s(nsecs(boot) >= %llu && nsecs(boot) <= %llu)", i ? " || " : " /",
			   (unsigned long long)s[i].from, (unsigned long long)s[i].to);
	buf_puts(to, "/");
}

static int run(struct recorded *r, const struct output *to)
{
	struct buf expr = { 0 }, script = { 0 }, body = { 0 };
	const char *where = NULL;
	struct lines l;
	int ret;

	if (to != &output_lines && part_is_given(r->c))
		return say_usage(r->c,
				 "-C, --comms and others choose lines: with -f there is --filter");
	script_lines_init(&l, r);
	if (r->c->select.filter) {
		predicate_expand(r, r->c->select.filter, &expr);
		where = expr.s;
	}
	buf_puts(&script, PREDICATE_CONFIG);
	if (r->ranges.spans.n > 1)
		put_times(&body, &r->ranges);
	buf_puts(&body, " { record(); }");
	if (predicate_put_clauses(r, &script, where, body.s))
		ret = predicate_run(r, &script, where, to, &l);
	else
		ret = say_usage(r->c, "--filter=%s: no event of %s has such fields", where,
				r->path);
	script_lines_release(&l);
	buf_release(&expr);
	buf_release(&body);
	buf_release(&script);
	return ret;
}

int script_filtered(struct cli *c)
{
	const struct output *text = output_find("text");
	struct recorded r = { 0 };
	int ret;

	if (c->sink.output == text)
		c->sink.output = NULL;
	if (c->sink.output && (c->sink.output->close || c->sink.output->event == text->event))
		return say_usage(c, "-f %s has no events of its own: use -f json, or text",
				 c->sink.output->name);
	ret = recorded_open(&r, c);
	if (ret)
		return ret;
	ret = run(&r, c->sink.output ? NULL : &output_lines);
	recorded_close_quietly(&r);
	return ret;
}
