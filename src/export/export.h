/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings in the formats of other tools: a file for each, and its line in index.h. */
#ifndef SONDE_EXPORT_EXPORT_H
#define SONDE_EXPORT_EXPORT_H

#include "base/buf.h"
#include "store/names.h"
#include "trace/names.h"
#include "type/event_format.h"

struct export_lane { /* of a page: a script, what it printed of its maps, or why it could not */
	const char *script;
	struct buf lines, wrong;
};

struct export_job {
	struct store *store;
	const struct store_tables *tables;
	const struct names *names;       /* for event_text() and stacks */
	struct store_names *stack_names; /* names are those of the time that it is set to */
	struct arena *arena;
	const char *path;                /* of the file or folder to make */
	const char *file;                /* the recording, as the user named it */
	const char *damage;              /* what an importer could not read of it; or NULL */
	u64 from, to;                    /* of the events: --time */
	const struct export_lane *lanes; /* of a page */
	u32 n_lanes;
	u64 kernel_text; /* address of _text, if the recording is of this boot; 0: not known */
};

struct exporter {
	const char *name, *brief;
	const char *suffix; /* of the path, if none is given: "sonde" SUFFIX */
	/* 0, or -errno with err set. */
	int (*run)(const struct export_job *j, struct err *err);
};

#define X(name) extern const struct exporter export_##name;
#include "export/index.h"
#undef X
extern const struct exporter *const exporters[]; /* NULL-terminated */

/* ---- out.c: a file that is written from its beginning to its end */
struct out {
	int fd, error; /* error: -errno of the first write that failed */
	u64 offset;    /* bytes that have left buf */
	struct buf buf;
};
/* Creates the file: that of its owner alone, as recordings are. 0, or -errno with err set. */
int out_open(struct out *o, const char *path, struct err *err);
/* A file without a name, on the file system of path. */
int out_open_nameless(struct out *o, const char *path, struct err *err);
void out_add(struct out *o, const void *bytes, size_t len);
/* Formatted text goes to o->buf, then out_room(o): it writes what has become long. */
void out_room(struct out *o);
void out_drain(struct out *o); /* writes all that was added */
/* Over bytes that were added before, or after them. */
void out_patch(struct out *o, u64 offset, const void *bytes, size_t len);
/* Returns the first error; path: for its message. */
int out_close(struct out *o, const char *path, struct err *err);

/* ---- tracing_data.c: the descriptions of events that perf.data and trace.dat have in common
 *
 * comms: "PID NAME" lines, of a trace.dat, whose events of stacks are described, too; or NULL.
 * page_size: of the pages of events that the header describes. */
enum {
	TRACE_KERNEL_STACK = 4,
	TRACE_USER_STACK = 12
}; /* numbers of these events (kernel/trace/trace.h) */
void tracing_data_put(struct buf *b, const struct export_job *j, const char *version, u32 page_size,
		      const struct buf *comms);

/* ---- folded.c: lines of all events that store_next() has; off_cpu: of the waits that begin and
 * end among them, microseconds by the state and the stack of the switch away from the thread */
void put_folded(const struct export_job *j, bool off_cpu, struct buf *b);

/* ---- fields.c: formats and members of records */
/* Sets event_format.stored of each: its number from 1. */
void number_formats(const struct store_tables *t);
/* A member that is a number; 0 if the record is too short for it, or the event has none of that
 * name. */
s64 event_value(const struct trace_event *e, const struct event_member *m);
s64 event_number(const struct trace_event *e, const char *name);
/* Where a member's bytes are, and how many. */
const u8 *event_bytes(const struct trace_event *e, const struct event_member *m, u32 *len);
/* Text up to its NUL, for %.*s. */
const char *event_string(const struct trace_event *e, const char *name, u32 *len);

#endif
