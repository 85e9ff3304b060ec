/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording (store/layout.h): its tables at once, its events chunk by chunk, merged over
 * the processors in the order of their times. Memory does not depend on the length of the file.
 *
 * The file is not trusted. Events up to the first damage are returned; store_damage() reports what
 * is missing.
 */
#ifndef SONDE_STORE_READ_H
#define SONDE_STORE_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "store/layout.h"
#include "trace/sink.h"

struct store;

struct store_text {
	const char *name, *bytes; /* bytes[len] is NUL */
	u32 len;
};

struct store_loss {
	u64 time, count;
	const char *why;
};

struct store_mapping {
	struct mapping_row row;
	const char *path;
	u32 number; /* in the order of the file */
};

struct store_function {
	u64 address;
	const char *name, *module; /* name "": none; module "": the kernel itself */
};

/* A time of which events are missing from the file, apart from what the recorder counted as
 * lost. */
struct store_gap {
	u64 from, to;
	u32 cpu; /* whose; CHUNK_NO_CPU: of any */
	u32 reserved;
};

/* Contents of a file besides events. Valid until store_close(). */
struct store_tables {
	struct file_head head;
	VEC(struct store_text) texts;
	VEC(struct event_format *) formats; /* as they come; event_format.id is the kernel's */
	VEC(struct task_row) tasks;
	VEC(struct store_loss) losses;
	VEC(struct store_gap) gaps; /* in the order of their beginnings; more as events are read */
	VEC(struct clock_row) clocks;
	VEC(struct store_mapping) mappings;   /* in the order of their times */
	VEC(struct store_function) functions; /* in the order of their addresses */
	u32 n_stacks;
	u64 n_events, size; /* events in whole chunks; bytes of the file */
	u64 t0, t1;         /* the first and the last event */
	u32 n_chunks;
	/* chunks that its recorder wrote; more than there are: the oldest are gone */
	u64 n_written;
	bool was_closed; /* by its recorder: the file has its end */
};

/* NULL with err set: it cannot be read, or is no recording. */
struct store *store_open(const char *path, struct err *err);
/* The same of an open file, which store_close() closes; name: for messages. */
struct store *store_open_fd(int fd, const char *name, struct err *err);
const struct store_tables *store_tables(const struct store *s);
/* Whether the recording has a format of that name, "sched:sched_switch". */
bool store_has_event(const struct store_tables *t, const char *name);
/* NULL: there is none of that name. */
const struct store_text *store_find_text(const struct store *s, const char *name);
struct store_span {
	u64 from, to; /* from <= time <= to */
};
/* Only events of that time; before the first store_next(). */
void store_range(struct store *s, u64 from, u64 to);
/* Only events of these times, which are in order and apart; n is 1 at least. v is borrowed. */
void store_spans(struct store *s, const struct store_span *v, u32 n);
/* From the first event on again. */
void store_rewind(struct store *s);
/* The next event, or false at the end. It is valid until the next call. */
bool store_next(struct store *s, struct trace_event *e);
/* Damage found so far, or NULL. */
const char *store_damage(const struct store *s);
/* What has become of the file since it was opened. */
enum store_change { STORE_SAME, STORE_GROWN, STORE_CHANGED };
enum store_change store_change(const struct store *s);
/* Its file, for reading by pread(); that of the store. */
int store_file(const struct store *s);
void store_close(struct store *s);

#endif
