/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text as the file "trace" of tracefs has it with the option irq-info off (kernel/trace/trace.c),
 * which trace-cmd, Perfetto, Catapult and Trace Compass read.
 */
#include "export/export.h"
#include "trace/event_line.h"

static const char columns[] = "#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"
			      "#              | |         |         |         |\n";

static u64 lost_events(const struct store_tables *t)
{
	u64 n = 0;

	for (u32 i = 0; i < t->losses.n; i++)
		n += t->losses.v[i].count;
	return n;
}

static void put_head(struct buf *b, const struct store_tables *t)
{
	unsigned long long n = t->n_events, lost = lost_events(t);

	buf_printf(b,
		   "# tracer: nop\n#\n# entries-in-buffer/entries-written: %llu/%llu   #P:%u\n#\n",
		   n, n + lost, t->head.n_cpus);
	buf_puts(b, columns);
}

static int run(const struct export_job *j, struct err *err)
{
	struct trace_event e;
	struct out o;

	if (out_open(&o, j->path, err) < 0)
		return err->code;
	put_head(&o.buf, j->tables);
	while (!o.error && store_next(j->store, &e)) {
		event_line_ftrace(&o.buf, j->arena, j->names, &e);
		buf_putc(&o.buf, '\n');
		if (e.has_stacks) {
			store_names_at(j->stack_names, e.time);
			event_stacks_ftrace(&o.buf, j->names, &e);
		}
		out_room(&o);
	}
	return out_close(&o, j->path, err);
}

const struct exporter export_ftrace = {
	.name = "ftrace",
	.brief = "text as tracefs's file trace, for Perfetto, Catapult, Trace Compass",
	.suffix = ".ftrace",
	.run = run
};
