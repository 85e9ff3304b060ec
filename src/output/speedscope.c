/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON for speedscope (https://www.speedscope.app/file-format-schema.json): frames, which all
 * profiles share, and for each profile stacks as lists of frames with weights.
 */
#include "base/json.h"
#include "output/report.h"
#include "output/notice.h"
#include "output/output.h"

static void put_frames(struct buf *b, const struct tree *t, bool first)
{
	for (u32 i = 0; i < t->frames.n; i++) {
		const struct stack_frame *f = &t->frames.v[i];

		buf_puts(b, first && !i ? "{\"name\":" : ",\n{\"name\":");
		json_strz(b, f->name);
		if (*f->file || *f->module) {
			buf_puts(b, ",\"file\":");
			json_strz(b, *f->file ? f->file : f->module);
		}
		buf_putc(b, '}');
	}
}

/* The outermost frame first; `base` is the number of the tree's first frame. */
static void put_stack(struct buf *b, const struct tree *t, u32 node, u32 base)
{
	const struct tree_node *n = &t->nodes.v[node];

	if (n->parent)
		put_stack(b, t, n->parent, base);
	buf_printf(b, "%s%u", n->parent ? "," : "", base + n->frame);
}

static void put_profile(struct buf *b, const struct tree *t, u32 base)
{
	const char *separator = "[";

	buf_puts(b, "{\"type\":\"sampled\",\"name\":");
	json_strz(b, t->name);
	buf_printf(b, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n\"samples\":[",
		   tree_unit(t, "none"), (unsigned long long)t->nodes.v[0].total);
	for (u32 i = 1; i < t->nodes.n; i++)
		if (t->nodes.v[i].self) {
			buf_puts(b, separator);
			put_stack(b, t, i, base);
			separator = "],\n[";
		}
	buf_puts(b, *separator == ']' ? "]],\n\"weights\":[" : "],\n\"weights\":[");
	separator = "";
	for (u32 i = 1; i < t->nodes.n; i++)
		if (t->nodes.v[i].self) {
			buf_printf(b, "%s%llu", separator, (unsigned long long)t->nodes.v[i].self);
			separator = ",";
		}
	buf_puts(b, "]}");
}

static void write(struct buf *out, const struct report *d)
{
	u32 base = 0;

	buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		      "\"name\":\"sonde\",\"exporter\":\"sonde " SONDE_VERSION "\",\n"
		      "\"shared\":{\"frames\":[");
	for (u32 i = 0; i < d->trees.n; i++) {
		put_frames(out, &d->trees.v[i], !base);
		base += d->trees.v[i].frames.n;
	}
	buf_puts(out, "]},\n\"profiles\":[");
	base = 0;
	for (u32 i = 0; i < d->trees.n; i++) {
		buf_puts(out, i ? ",\n" : "");
		put_profile(out, &d->trees.v[i], base);
		base += d->trees.v[i].frames.n;
	}
	buf_puts(out, "]}\n");
}

static void finish(struct sink *s)
{
	report_close(s, write);
}

const struct output output_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.brief = "stack-keyed maps as JSON for speedscope",
	.doc = "One document for https://www.speedscope.app, written when the run ends: "
	       "a profile for each map with "
	       "stacks in its key. Everything else is text on stderr.",
	.example =
		"sonde -o cpu.speedscope.json -e 'profile:hz:99 { @[ustack, kstack] = count(); }'",
	REPORT_HOOKS,
	.table = report_table,
	.close = finish,
};
