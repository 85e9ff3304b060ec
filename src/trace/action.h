/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actions: the user-space half of a builtin, run when its record arrives. An action is defined next
 * to the builtin's lowering (builtin/<theme>.c); the session calls action->act for each record.
 */
#ifndef SONDE_TRACE_ACTION_H
#define SONDE_TRACE_ACTION_H

#include "base/err.h"
#include "trace/sink.h"

/* The run, as actions see it; provided by the session. */
struct actor {
	struct sink *sink;
	struct names *names;
	const struct program *prog;
	struct arena *scratch; /* emptied after each record */
	void *ctx;
	/* Reads a map of the program (merged, unsorted) into t, allocating in scratch. 0 or
	 * -errno. */
	int (*map_read)(void *ctx, u32 map, struct table *t);
	int (*map_clear)(void *ctx, u32 map); /* deletes all keys */
	int (*map_zero)(void *ctx, u32 map);  /* sets all values to zero */
	int (*map_delete)(void *ctx, u32 map, const void *key);
	void (*exit)(void *ctx, int code);
	u64 (*real_ns)(void *ctx); /* the time of day where the events are from */
	/* Gives the event, which runs again from a recording, the stacks that it was recorded with.
	 * NULL: there is none. */
	void (*recorded_stacks)(void *ctx, struct trace_event *e);
	/* Runs the actions buffered for a speculation, or drops them. */
	void (*speculation)(void *ctx, u32 number, bool commit);
	/* system(): starts the command. Its output is merged with ours in order; draining
	 * continues meanwhile. */
	void (*system)(void *ctx, struct span span, const char *command);
	struct action_file *files; /* files opened by actions: action_files_close() */
	bool warnings;             /* print warnf() and run-time warnings */
	u32 max_cat_bytes;
};

struct action {
	const char *name;
	bool ends_run; /* exit(): handled immediately, even if records are buffered */
	/* It runs commands or creates files, so the run keeps its initial privileges. */
	bool needs_rights;
	/* record: len bytes, starting with struct record_head. Returns 0 or -errno, which is
	 * reported once, with the span. */
	int (*act)(struct actor *a, struct event_desc *e, const void *record, u32 len);
};

#endif
