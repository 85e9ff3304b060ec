/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user-space half of a builtin: what happens when its record arrives. Actions are rows beside
 * the builtin's lowering (builtin/<theme>.c); the session calls action->act for each record.
 */
#ifndef SONDE_TRACE_ACTION_H
#define SONDE_TRACE_ACTION_H

#include "base/err.h"
#include "trace/sink.h"

/* What an action may do to the run; the session provides it. */
struct actor {
	struct sink *sink;
	struct names *names;
	const struct program *prog;
	struct arena *scratch; /* emptied after each record */
	void *ctx;
	/* Reads a map of the program (merged, unsorted) into t, allocating in scratch. 0 or -errno. */
	int (*map_read)(void *ctx, u32 map, struct table *t);
	int (*map_clear)(void *ctx, u32 map); /* removes all keys */
	int (*map_zero)(void *ctx, u32 map);  /* keeps keys, zeroes values */
	int (*map_delete)(void *ctx, u32 map, const void *key);
	void (*exit)(void *ctx, int code);
	/* What waits for that number is acted on now, or dropped. */
	void (*speculation)(void *ctx, u32 number, bool commit);
	/* system(): starts the command; its output joins ours in order; draining goes on meanwhile. */
	void (*system)(void *ctx, const char *command);
	struct action_file *files; /* that actions have open: action_files_close() */
	bool warnings;             /* warnf and run-time warnings are shown */
	u32 max_cat_bytes;
};

struct action {
	const char *name;
	bool ends_run; /* exit(): known at once even where records wait */
	bool needs_rights; /* it runs commands or creates files: the run keeps the privileges that it began with */
	/* record is len bytes, starts with struct record_head. 0, or -errno (reported once, with the span) */
	int (*act)(struct actor *a, struct event_desc *e, const void *record, u32 len);
};

#endif
