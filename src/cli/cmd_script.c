/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde script: a recording as text, an event a line. */
#include "cli/script_filter.h"

static void print_events(struct recorded *r, struct sink *s)
{
	struct lines l;
	struct trace_event e;

	script_lines_init(&l, r);
	if (r->c->output.header || r->c->output.header_only)
		where_put_head(r, &s->out);
	while (!r->c->output.header_only && !s->closed && !s->error && recorded_next(r, &e))
		script_lines_put(&l, s, &e);
	script_lines_release(&l);
}

static int script(struct cli *c)
{
	struct part part;
	int ret = part_read(&part, c);

	if (ret)
		return ret;
	return c->select.filter || c->sink.output ? script_filtered(c) :
						    recorded_print(c, print_events);
}

const struct command command_script = {
	.name = "script",
	.args = "[FILE]",
	.brief = "print the events of a recording",
	.doc = "One event a line, as perf script prints them: the name and number of the thread, the "
	       "processor, the time since boot, the event, its fields by its print fmt; stacks of record -g below it. FILE is made by "
	       "sonde record, by perf record (its tracepoints are read) or trace-cmd, is text of ftrace, or a folder in CTF as LTTng makes it (read by babeltrace2); without it, sonde.data. "
	       "With --filter or -f json the language runs over the recording, as with --from.",
	.example = "sonde script --time 120.5,121 sonde.data",
	.run = script,
	.takes = SET_OUTPUT | SET_FORMAT | SET_TIME | SET_INPUT | SET_FILTER | SET_PART | SET_CPUS,
};
