/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by commands that read a recording: the file, how it was made, names for its events. */
#ifndef SONDE_CLI_RECORDING_H
#define SONDE_CLI_RECORDING_H

#include "cli/cli.h"
#include "cli/time_ranges.h"
#include "session/system.h"
#include "store/names.h"
#include "trace/event_columns.h"
#include "trace/names.h"

#define RECORDING_FILE "sonde.data"

struct recorded { /* zeroed */
	struct cli *c;
	const char *path;
	struct store *store;
	const struct store_tables *tables;
	struct arena arena;
	/* For event_text() and stacks. Names that the file lacks are those of this kernel, if it
	 * still is the same boot; else addresses are numbers. */
	struct names names;
	struct store_names *stack_names; /* of the time of the last event: recorded_next() */
	struct system_access system;
	struct world world;
	struct tracefs_strings *strings;
	bool has_system;
	struct time_ranges ranges;    /* --time; none: all of it */
	u64 from, to;                 /* from the first to the last of them; to 0: all of it */
	struct event_columns columns; /* of its lines; none: the usual ones */
	/* of a file of another tool: the part that could not be read */
	struct buf damage;
};

/* The file that is the only argument of the command, else RECORDING_FILE; its range of --time. 0,
 * or the exit status after a message. */
int recorded_open(struct recorded *r, struct cli *c);
/* The same of that file, as a whole. */
int recorded_open_path(struct recorded *r, struct cli *c, const char *path);
/* The range of --time: recorded_open() does it. */
int recorded_set_range(struct recorded *r);
/* For commands that read one range of time only: 0, or the exit status after a message. */
int recorded_one_range(const struct recorded *r);
/* Reports damage and losses. The exit status. */
int recorded_close(struct recorded *r);
/* Without reports. */
void recorded_close_quietly(struct recorded *r);
/* Runs a command that prints a recording: opens it and the output, calls print(), closes both. The
 * exit status. */
int recorded_print(struct cli *c, void (*print)(struct recorded *r, struct sink *s));

/* The event as a line, as perf script or with --ftrace as the kernel's trace file has it. */
/* store_next(), and names are those of that time. */
bool recorded_next(struct recorded *r, struct trace_event *e);
void recorded_put_line(struct recorded *r, struct sink *s, const struct trace_event *e);

#endif
