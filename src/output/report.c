/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects what a run prints until its end: trees of stacks, and text. */
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "output/report.h"
#include "output/notice.h"
#include "output/output.h"

enum { MOST_NOTES = 64 << 10 };

void report_attached(struct sink *s, u32 n_probes)
{
	struct report *d = s->state = xcalloc(1, sizeof *d);

	arena_init(&d->arena);
	d->start_ns = clock_real_ns();
	output_text.attached(s, n_probes);
}

static void note(struct sink *s, const char *text, size_t len)
{
	struct report *d = s->state;

	if (d && d->notes.len < MOST_NOTES)
		buf_add(&d->notes, text, MIN(len, (size_t)MOST_NOTES));
}

/* ---- everything else: as text, on stderr */

static struct sink text_begin(const struct sink *s)
{
	return (struct sink){ .output = &output_text,
			      .names = s->names,
			      .sources = s->sources,
			      .fd = STDERR_FILENO,
			      .buffering = SINK_FULL,
			      .visible_out = s->visible_err };
}

static void text_done(struct sink *s, struct sink *text)
{
	if (text->out.len)
		note(s, text->out.s, text->out.len);
	sink_release(text);
}

void report_text(struct sink *s, enum sink_text kind, const char *bytes, size_t len)
{
	struct sink text = text_begin(s);

	output_text.text(&text, kind, bytes, len);
	text_done(s, &text);
}

void report_value(struct sink *s, const struct type *t, const void *p)
{
	struct sink text = text_begin(s);

	output_text.value(&text, t, p);
	text_done(s, &text);
}

void report_event(struct sink *s, const struct trace_event *e)
{
	struct sink text = text_begin(s);

	text_event(&text, e);
	text_done(s, &text);
}

void report_lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct buf b = { 0 };

	output_text.lost(s, loss, count);
	buf_printf(&b, loss_row(loss)->reason ? "lost %llu events (" : "WARNING: %llu times (",
		   (unsigned long long)count);
	put_loss_reason(&b, loss);
	buf_puts(&b, ")\n");
	note(s, b.s, b.len);
	buf_release(&b);
}

void report_message(struct sink *s, enum sink_level level, struct span span, const char *bytes)
{
	struct buf b = { 0 };

	output_text.message(s, level, span, bytes);
	buf_printf(&b, "%s: %s%s", level_row(level)->label, bytes,
		   ends_with(bytes, "\n") ? "" : "\n");
	note(s, b.s, b.len);
	buf_release(&b);
}

void report_end(struct sink *s)
{
	sink_flush(s); /* there are only messages */
}

/* ---- profiles */

/* "@us", and "@us 2" of a map that is printed again. */
static void set_name(struct report *d, struct tree *t)
{
	u32 n = 1;

	for (u32 i = 0; i < d->trees.n; i++)
		n += streq(d->trees.v[i].unit, t->unit);
	if (n > 1)
		t->name = arena_printf(&d->arena, "%s %u", t->name, n);
}

static void add_table(struct sink *s, const struct table *table, enum frame_detail detail)
{
	struct report *d = s->state;
	struct tree t;

	if (!stacks_are_keys(table) || !d) {
		struct sink text = text_begin(s);

		output_text.table(&text, table);
		text_done(s, &text);
		return;
	}
	tree_init(&t, &d->arena, s->names, table, detail);
	tree_release(&t);
	set_name(d, &t);
	vec_push(&d->arena, &d->trees, t);
}

void report_table(struct sink *s, const struct table *table)
{
	add_table(s, table, FRAMES_BY_FUNCTION);
}

void report_table_by_line(struct sink *s, const struct table *table)
{
	add_table(s, table, FRAMES_BY_LINE);
}

void report_close(struct sink *s, void (*write)(struct buf *out, const struct report *d))
{
	struct report *d = s->state;

	if (!d)
		return;
	d->end_ns = clock_real_ns();
	write(&s->out, d);
	buf_release(&d->notes);
	arena_release(&d->arena);
	free(d);
	s->state = NULL;
}
