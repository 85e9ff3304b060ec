/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain text, in bpftrace's format. Results go to the
 * output stream, messages of the run to stderr, after the results that precede them.
 */
#include <stdlib.h>

#include "base/visible.h"
#include "output/hist.h"
#include "output/output.h"
#include "output/notice.h"
#include "trace/event_columns.h"
#include "trace/value.h"
#include "type/agg.h"

void text_attached(struct sink *s, u32 n_probes)
{
	if (!s->quiet) { /* before the notification, also where both go to one file */
		buf_printf(&s->err, "Attached %u probe%s\n", n_probes, n_probes == 1 ? "" : "s");
		sink_flush(s);
	}
	put_notify(s);
}

/* Whether a text of this kind ends its line. */
static bool is_line(enum sink_text kind)
{
	return kind == TEXT_JOIN || kind == TEXT_SYSTEM;
}

void text_text(struct sink *s, enum sink_text kind, const char *bytes, size_t len)
{
	buf_add(&s->out, bytes, len);
	if (is_line(kind))
		buf_putc(&s->out, '\n');
	sink_item(s);
}

/* ---- values */

void text_value(struct sink *s, const struct type *t, const void *p)
{
	if (type_is_hist(t)) {
		put_hist(&s->out, t, p, 1);
	} else if (t->kind == TY_TSERIES) {
		struct series series = series_alone(t, p);

		put_series(&s->out, s->names, &series);
	} else {
		value_text(&s->out, s->names, t, p);
	}
	buf_putc(&s->out, '\n');
	sink_item(s);
}

/* ---- maps */

static void put_key(struct buf *b, const struct names *names, const struct type *t, const char *key)
{
	buf_putc(b, '[');
	if (t->kind == TY_TUPLE) { /* @x[1, abc], not @x[(1, abc)] */
		for (u32 i = 0; i < t->n_fields; i++) {
			if (i)
				buf_puts(b, ", ");
			value_text(b, names, t->fields[i].type, key + t->fields[i].offset);
		}
	} else {
		value_text(b, names, t, key);
	}
	buf_putc(b, ']');
}

/* p50 3, p99 15 */
static void put_percentiles(struct buf *b, const struct table *t, const void *p)
{
	const struct type *type = t->map->value;

	for (u32 i = 0; i < t->n_pct; i++) {
		bool is_signed = type->kind != TY_SAMPLES || type->is_signed;
		s64 v;

		buf_puts(b, i ? ", " : "");
		put_pct_name(b, t->pct[i]);
		buf_putc(b, ' ');
		if (!table_percentile(type, p, t->pct[i], &v))
			buf_putc(b, '-');
		else if (is_signed)
			buf_s64(b, v);
		else
			buf_u64(b, (u64)v);
	}
}

static bool has_percentiles(const struct table *t)
{
	return t->n_pct && (type_is_hist(t->map->value) || t->map->value->kind == TY_SAMPLES);
}

/* After the key: on the same line, or as a block with a blank line after it. */
static void put_row_value(struct sink *s, const struct table *t, const void *p, u64 newest)
{
	const struct type *type = t->map->value;
	struct buf *b = &s->out;

	if (has_percentiles(t)) {
		buf_puts(b, ": ");
		put_percentiles(b, t, p);
	} else if (type_is_hist(type)) {
		buf_puts(b, ":\n");
		put_hist(b, type, p, t->div);
	} else if (type->kind == TY_TSERIES) {
		struct series series = series_view(type, p, newest);

		buf_puts(b, ":\n");
		put_series(b, s->names, &series);
	} else {
		buf_puts(b, ": ");
		value_text_div(b, s->names, type, p, t->div);
	}
	buf_putc(b, '\n');
}

static void put_row(struct sink *s, const struct table *t, const struct table_row *row, u64 newest)
{
	buf_puts(&s->out, t->map->name);
	if (row->key && t->map->key)
		put_key(&s->out, s->names, t->map->key, row->key);
	put_row_value(s, t, row->value, newest);
}

/* print(@x) of a map that was never set. */
static void put_zero(struct sink *s, const struct table *t)
{
	const struct type *type = t->map->value;
	void *zero = xcalloc(1, MAX(type_is_agg(type) ? agg_size(type) : type->size, 8u));

	put_row(s, t, &(struct table_row){ .value = zero }, 0);
	free(zero);
}

static void table(struct sink *s, const struct table *t)
{
	u64 newest = 0;

	if (t->map->value->kind == TY_TSERIES)
		series_newest(t, &newest);
	if (table_has_zero(t))
		put_zero(s, t);
	for (u32 i = 0; i < t->rows.n; i++) {
		put_row(s, t, &t->rows.v[i], newest);
		sink_row(s);
	}
	sink_item(s);
}

void text_event(struct sink *s, const struct trace_event *e)
{
	struct event_columns columns = { 0 };

	event_columns_default(&columns, false);
	event_columns_line(&s->out, s->names->prog->arena, s->names, e, &columns);
	if (e->value_type) {
		buf_putc(&s->out, ' ');
		value_text(&s->out, s->names, e->value_type, e->value);
	}
	buf_putc(&s->out, '\n');
	sink_item(s);
}

/* ---- about the run */

static void put_position(struct sink *s, const struct position *p)
{
	if (p->file && !p->file->is_generated)
		sink_say(s, "%s:%u:%u: ", p->file->name, p->line, p->col);
}

/* file:line:col-endcol, or file:line-line of a longer span. */
static void put_range(struct sink *s, const struct position *p)
{
	if (!p->file || p->file->is_generated)
		return;
	if (p->line == p->end_line)
		sink_say(s, "%s:%u:%u-%u: ", p->file->name, p->line, p->col, p->end_col);
	else
		sink_say(s, "%s:%u-%u: ", p->file->name, p->line, p->end_line);
}

void text_lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct position pos = sink_position(s, loss->span);

	put_position(s, &pos);
	if (loss_row(loss)->reason) {
		buf_puts(&s->err, "lost ");
		buf_u64(&s->err, count);
		buf_puts(&s->err, " events (");
		put_loss_reason(&s->err, loss);
		buf_putc(&s->err, ')');
	} else {
		buf_puts(&s->err, "WARNING: ");
		put_loss_reason(&s->err, loss);
		buf_puts(&s->err, " (");
		buf_u64(&s->err, count);
		buf_puts(&s->err, count == 1 ? " time)" : " times)");
	}
	buf_putc(&s->err, '\n');
	sink_flush(s);
}

/* The line with tabs as four blanks, and ~~~ below the span. */
static void put_source(struct buf *b, const struct sink *s, struct span span,
		       const struct position *pos)
{
	u32 len, from = 0, width = 0;

	if (!pos->file || pos->line != pos->end_line)
		return;

	struct source *file = NULL;

	for (u32 i = 0; i < s->sources->files.n; i++)
		if (s->sources->files.v[i] == pos->file)
			file = s->sources->files.v[i];
	if (!file)
		return;

	const char *line = source_line(file, pos->line, &len);
	size_t start = b->len;

	for (u32 i = 0; i < len; i++) {
		u32 cells = line[i] == '\t' ? 4 : 1;

		if (cells == 4)
			buf_pad(b, ' ', 4);
		else
			buf_putc(b, line[i]);
		if (i + 1 < pos->col)
			from += cells;
		else if (i + 1 < pos->end_col)
			width += cells;
	}
	if (s->visible_err)
		buf_visible(b, start, VISIBLE_NAME);
	buf_putc(b, '\n');
	buf_pad(b, ' ', from);
	buf_pad(b, '~', span.len ? MAX(width, 1u) : 1);
	buf_putc(b, '\n');
}

void text_message(struct sink *s, enum sink_level kind, struct span span, const char *bytes)
{
	const struct level *level = level_row(kind);
	struct position pos = sink_position(s, span);

	put_range(s, &pos);
	buf_puts(&s->err, level->label);
	buf_puts(&s->err, ": ");
	buf_puts(&s->err, bytes);
	if (!ends_with(bytes, "\n"))
		buf_putc(&s->err, '\n');
	if (level->with_source)
		put_source(&s->err, s, span, &pos);
	sink_flush(s);
}

static void end(struct sink *s)
{
	buf_puts(&s->out, "\n\n");
	sink_item(s);
}

const struct output output_text = {
	.name = "text",
	.brief = "plain text for people (the default)",
	.doc = "Results on the output stream, messages about the run on stderr. Maps are sorted by "
	       "value, histograms are drawn as bars.",
	.example = "sonde -f text -e 'begin { @x = 5; }'",
	TEXT_HOOKS,
	.table = table,
	.end = end,
};
