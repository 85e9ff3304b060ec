/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde export: a recording in the format of another tool. */
#include "cli/recording.h"
#include "export/export.h"
#include "sym/kallsyms.h"

static const struct exporter *find(const char *name)
{
	for (u32 i = 0; exporters[i]; i++)
		if (streq(exporters[i]->name, name))
			return exporters[i];
	return NULL;
}

/* By --to, else by the suffix of -o. */
static const struct exporter *chosen(const struct cli *c)
{
	if (c->export_to)
		return find(c->export_to);
	for (u32 i = 0; exporters[i] && c->output; i++)
		if (ends_with(c->output, exporters[i]->suffix))
			return exporters[i];
	return NULL;
}

static int refuse(const struct cli *c)
{
	struct buf b = { 0 };
	int ret;

	for (u32 i = 0; exporters[i]; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", exporters[i]->name);
	ret = c->export_to ? say_usage(c, "--to=%s: the formats are %s", c->export_to, b.s) :
			     say_usage(c, "which format? --to=FORMAT: %s", b.s);
	buf_release(&b);
	return ret;
}

/* By it perf finds names of the kernel's functions. */
static u64 kernel_text(struct recorded *r)
{
	struct ksym sym;

	return r->has_system && kallsyms_find(system_kallsyms(&r->system), "_text", "vmlinux",
					      &sym) ?
		       sym.address :
		       0;
}

static int export_as(struct recorded *r, const struct exporter *x)
{
	struct err err = { 0 };
	struct export_job j = {
		.store = r->store,
		.tables = r->tables,
		.names = &r->names,
		.arena = &r->arena,
		.path = r->c->output ? r->c->output : arena_printf(&r->arena, "sonde%s", x->suffix),
		.kernel_text = kernel_text(r),
	};

	if (x->run(&j, &err) == 0) {
		say(r->c, "%llu events in %s", (unsigned long long)r->tables->n_events, j.path);
		return 0;
	}
	say_err(r->c, &err);
	err_release(&err);
	return STATUS_REFUSED;
}

static int export(struct cli *c)
{
	const struct exporter *x = chosen(c);
	struct recorded r = { 0 };
	int ret, damaged;

	if (!x)
		return refuse(c);
	ret = recorded_open(&r, c);
	if (ret)
		return ret;
	ret = export_as(&r, x);
	damaged = recorded_close(&r);
	return ret ? ret : damaged;
}

const struct command command_export = {
	.name = "export",
	.args = "[FILE]",
	.brief = "write a recording in the format of another tool",
	.doc = "perf: perf.data, for perf script. chrome: JSON with slices of processors and system calls, "
	       "for about:tracing, Perfetto and speedscope. ctf: a folder in the Common Trace Format 1.8 "
	       "with the names of LTTng's kernel tracer, for babeltrace2 and Trace Compass. -o names the "
	       "file or folder: without it, sonde.perf.data, sonde.json or sonde.ctf. FILE is made by sonde "
	       "record; without it, sonde.data.",
	.example = "sonde export --to ctf -o trace sonde.data",
	.run = export,
	.takes = SET_OUTPUT,
};
