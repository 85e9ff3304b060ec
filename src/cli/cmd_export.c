/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde export: a recording in the format of another tool. */
#include "cli/export_file.h"

/* By --to, else by the suffix of -o. */
static const struct exporter *chosen(const struct cli *c)
{
	if (c->own.export.to || c->own.export.html)
		return exporter_find(c->own.export.html ? "html" : c->own.export.to);
	return c->output.file ? exporter_by_suffix(c->output.file) : NULL;
}

static int refuse(const struct cli *c)
{
	struct buf b = { 0 };
	int ret;

	for (u32 i = 0; exporters[i]; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", exporters[i]->name);
	ret = c->own.export.to ?
		      say_usage(c, "--to=%s: the formats are %s", c->own.export.to, b.s) :
		      say_usage(c, "which format? --to=FORMAT: %s", b.s);
	buf_release(&b);
	return ret;
}

static int export_as(struct recorded *r, const struct exporter *x)
{
	const char *path = r->c->output.file ? r->c->output.file :
					       arena_printf(&r->arena, "sonde%s", x->suffix);
	int ret = is_own_input(r->c, path, r->path) ? STATUS_WRONG : export_file(r, x, path);

	if (!ret)
		say(r->c, "%llu events in %s", (unsigned long long)r->tables->n_events, path);
	return ret;
}

static int export(struct cli *c)
{
	const struct exporter *x = chosen(c);
	struct recorded r = { 0 };
	int ret, damaged;

	if (!x)
		return refuse(c);
	if (c->own.export.lanes && x != &export_html)
		return say_usage(c, "--lane: only the page of --html has lanes");
	ret = recorded_open(&r, c);
	if (ret)
		return ret;
	ret = x == &export_html ? recorded_one_range(&r) : 0;
	ret = ret ? ret : export_as(&r, x);
	damaged = recorded_close(&r);
	return ret ? ret : damaged;
}

const struct command command_export = {
	.name = "export",
	.args = "[FILE]",
	.brief = "write a recording in the format of another tool",
	.doc = "perf: perf.data, for perf script and perf report. trace.dat: for trace-cmd and KernelShark. perfetto: Perfetto's "
	       "own format, for ui.perfetto.dev and trace_processor. chrome: JSON with slices of processors and "
	       "system calls, for about:tracing, Perfetto and speedscope. ctf: a folder in the Common Trace "
	       "Format 1.8 with the names of LTTng's kernel tracer, for babeltrace2 and Trace Compass. ftrace: "
	       "the text of tracefs's file trace. folded: lines of thread, event, stack and count, for flame graphs. "
	       "html: the time line as a page that opens in a browser without a server, as sonde view shows it; of more than 300,000 events "
	       "it has a picture in steps, which --time=FROM,TO makes finer; its lanes of maps over time are those of the recorded script and of --lane. "
	       "Stacks are in all of them: as frames with names, but of ctf and of user stacks in trace.dat as addresses. "
	       "-o names the file or folder: without it, sonde and the format's suffix. FILE is made by sonde "
	       "record, by perf record (its tracepoints are read) or trace-cmd, is text of ftrace, or a folder in CTF as LTTng makes it (read by babeltrace2); without it, sonde.data.",
	.example = "sonde export --to ctf -o trace sonde.data",
	.run = export,
	.takes = SET_OUTPUT | SET_TIME | SET_INPUT,
};
