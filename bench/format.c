/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many printf lines a core formats: records through format_apply and an output into a sink, as
 * the session does for each event. Prints lines per second for a few formats.
 *
 *	format [text|json]
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "output/output.h"
#include "trace/value.h"

enum { LINES = 2000000 };

struct sample {
	u64 head, nsecs;
	char comm[16], path[64];
	u32 pid;
	s32 ret;
};

static const struct type path_type = { .kind = TY_STRING, .size = 64, .align = 1, .count = 64 };

#define FIELD(name, type)                                                                          \
	{                                                                                          \
		&(type), offsetof(struct sample, name)                                             \
	}

static const struct row {
	const char *name, *fmt;
	struct event_field fields[4];
	u32 n_fields;
} rows[] = {
	{ "one number", "%d\n", { FIELD(pid, ty_u32) }, 1 },
	{ "name and number", "%s %d\n", { FIELD(comm, ty_comm), FIELD(pid, ty_u32) }, 2 },
	{ "like opensnoop",
	  "%-6d %-16s %4d %s\n",
	  { FIELD(pid, ty_u32), FIELD(comm, ty_comm), FIELD(ret, ty_s32), FIELD(path, path_type) },
	  4 },
	{ "hex and 64 bits",
	  "%llu: 0x%lx %s\n",
	  { FIELD(nsecs, ty_u64), FIELD(nsecs, ty_u64), FIELD(comm, ty_comm) },
	  3 },
};

static void run(struct sink *s, struct arena *a, const struct row *row)
{
	struct sample sample = { .nsecs = 1234567890123,
				 .comm = "systemd-journal",
				 .path = "/var/log/journal/system.journal",
				 .pid = 4711,
				 .ret = -2 };
	struct buf line = {};
	const char *error;
	u32 at;
	struct format *f = format_parse(a, row->fmt, strlen(row->fmt), &error, &at);
	u64 from = clock_mono_ns(), ns;

	for (u32 i = 0; i < LINES; i++) {
		sample.pid = i;
		sample.nsecs += 1000;
		buf_clear(&line);
		format_apply(&line, f, s->names, row->fields, row->n_fields, &sample);
		s->output->text(s, TEXT_PRINTF, line.s, line.len);
	}
	sink_flush(s);
	ns = clock_mono_ns() - from;
	printf("%-18s %6.2f M lines/s %6.1f ns/line\n", row->name, LINES * 1e3 / (double)ns,
	       (double)ns / LINES);
	buf_release(&line);
}

int main(int argc, char **argv)
{
	static const struct names names = { .max_strlen = 1024, .trunc_trailer = ".." };
	const struct output *output = output_find(argc > 1 ? argv[1] : "text");
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct sink s = { .output = output, .names = &names, .fd = fd, .buffering = SINK_FULL };
	struct arena a;

	if (!output || fd < 0)
		return 1;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		run(&s, &a, &rows[i]);
	sink_release(&s);
	arena_release(&a);
	return 0;
}
