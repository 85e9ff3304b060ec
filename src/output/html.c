/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page for a browser that needs nothing else: page.html with the profiles as JSON in it. A node
 * of a profile is its parent, its frame and what it took itself, in three arrays; node 0 is the
 * root.
 */
#include <stdlib.h>
#include <time.h>
#include "base/json.h"
#include "output/report.h"
#include "output/notice.h"
#include "output/output.h"
#include "output/page.h"

static void put_frames(struct buf *b, const struct tree *t)
{
	buf_puts(b, "\"frames\":[");
	for (u32 i = 0; i < t->frames.n; i++) {
		const struct stack_frame *f = &t->frames.v[i];

		buf_printf(b, "%s[%d,", i ? ",\n" : "", f->kind);
		json_strz(b, f->name);
		buf_putc(b, ',');
		json_strz(b, f->module);
		if (*f->file) {
			buf_putc(b, ',');
			json_strz(b, f->file);
		}
		buf_putc(b, ']');
	}
	buf_puts(b, "],\n");
}

static void put_nodes(struct buf *b, const struct tree *t)
{
	buf_puts(b, "\"parent\":[");
	for (u32 i = 0; i < t->nodes.n; i++)
		buf_printf(b, "%s%u", i ? "," : "", t->nodes.v[i].parent);
	buf_puts(b, "],\n\"frame\":[");
	for (u32 i = 0; i < t->nodes.n; i++)
		buf_printf(b, "%s%u", i ? "," : "", t->nodes.v[i].frame);
	buf_puts(b, "],\n\"self\":[");
	for (u32 i = 0; i < t->nodes.n; i++)
		buf_printf(b, "%s%llu", i ? "," : "", (unsigned long long)t->nodes.v[i].self);
	buf_puts(b, "]");
}

static void put_profile(struct buf *b, const struct tree *t)
{
	buf_puts(b, "{\"name\":");
	json_strz(b, t->name);
	buf_puts(b, ",\"unit\":");
	json_strz(b, t->unit);
	buf_printf(b, ",\"left_out\":%u,\n", t->n_left_out);
	put_frames(b, t);
	put_nodes(b, t);
	buf_putc(b, '}');
}

static void put_title(struct buf *b, const struct report *d)
{
	time_t at = (time_t)(d->start_ns / 1000000000);
	char text[40];
	struct tm tm;

	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", localtime_r(&at, &tm));
	buf_printf(b, "\"title\":\"sonde profile, %s, %.1f s\"", text,
		   (double)(d->end_ns - d->start_ns) / 1e9);
}

static void put_data(struct buf *b, const struct report *d)
{
	buf_putc(b, '{');
	put_title(b, d);
	buf_puts(b, ",\n\"notes\":");
	json_strz(b, d->notes.s ? d->notes.s : "");
	buf_puts(b, ",\n\"profiles\":[");
	for (u32 i = 0; i < d->trees.n; i++) {
		buf_puts(b, i ? ",\n" : "");
		put_profile(b, &d->trees.v[i]);
	}
	buf_puts(b, "]}");
}

/* A name must not end the element: "<" occurs within strings only, and is \u003c there. */
static void write(struct buf *out, const struct report *d)
{
	struct buf data = { 0 };
	char *page = unpack(&page_packed);

	buf_puts(out, page);
	put_data(&data, d);
	for (size_t i = 0; i < data.len; i++)
		data.s[i] == '<' ? buf_puts(out, "\\u003c") : buf_putc(out, data.s[i]);
	buf_puts(out, page + strlen(page) + 1);
	buf_release(&data);
	free(page);
}

static void finish(struct sink *s)
{
	report_close(s, write);
}

const struct output output_html = {
	.name = "html",
	.brief = "stack-keyed maps as a page with flame graphs",
	.doc = "One page for a browser, which needs no network: "
	       "a flame graph with search, zoom, reversal and "
	       "comparison with another file, and a table by function. "
	       "It is written when the run ends; everything "
	       "that is not a map with stacks in its key is text on stderr.",
	.example = "sonde -f html -o cpu.html -e 'profile:hz:99 { @[ustack, kstack] = count(); }'",
	REPORT_HOOKS,
	.table = report_table,
	.close = finish,
};
