/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output that stores events in a recording instead of printing them. It is not chosen by -f:
 * the command makes its plan, and reads from it how it went.
 */
#ifndef SONDE_OUTPUT_RECORDING_H
#define SONDE_OUTPUT_RECORDING_H

#include "output/output.h"
#include "output/recording_probes.h"
#include "store/layout.h"
#include "type/event_format.h"

enum { RECORDED_CALLS = 1024 }; /* numbers of system calls */

struct recording;

/* Data known before the run. Everything is borrowed until the end of the run. */
struct recording_plan {
	struct file_head head;
	bool has_stacks; /* events have a tuple of stacks */
	const struct recorded_text {
		const char *name, *bytes;
		size_t len;
	} * texts;
	u32 n_texts;
	const struct task_row *tasks;
	u32 n_tasks;
	u64 most_bytes, most_ns; /* only the last of them are kept; both 0: everything is */
	u64 end_bytes;           /* the run ends when the file has that many; 0: it does not */
	/* When the file has that many bytes or is that old (0: no such limit), it is closed, and
	 * next_file() makes sink.fd the next one: 0 or -errno. NULL: there is one file. */
	u64 file_bytes, file_ns;
	int (*next_file)(void *ctx, int fd);
	void *file_ctx;
	/* Clauses that print tuples. */
	const struct noting *probes;
	/* Events of single system calls, by entry or exit and number: they are recorded as
	 * raw_syscalls:sys_enter and sys_exit, and have the same layout. NULL: those are stored as
	 * they are. */
	struct event_format *(*calls)[RECORDED_CALLS];
	bool keeps_raw[2]; /* by entry or exit: besides those of calls, the raw events are stored */
	/* A string that the script prints requests a copy of the file dump_after_ns later; the
	 * string is the reason. NULL: it prints nothing. */
	void (*dump)(void *ctx, const char *why);
	void *dump_ctx;
	u64 dump_after_ns;
	/* Called when the probes are attached, then each second and at the end; may be NULL. */
	void (*progress)(void *ctx, const struct recording *r);
	void *progress_ctx;
};

struct recording { /* sink.state */
	const struct recording_plan *plan;
	struct store_writer *writer;   /* NULL before the first use */
	struct event_format **formats; /* of the file */
	u32 n_formats;
	u64 n_events, n_lost, bytes;
	u32 n_files; /* that were full: next_file() */
	u64 file_start_ns;
	u64 next_clock_ns;
	u64 dump_ns; /* time of the requested copy of the file; 0: none */
	char dump_why[64];
	struct recorded_stacks *stacks; /* NULL: before the first use */
	struct recorded_probes *probes; /* likewise */
};

extern const struct output output_recording;

/* Of a sink with that output: events that were lost before they came; a function of the kernel
 * whose address events have. */
void recording_lost(struct sink *s, u64 count, const char *why);
void recording_function(struct sink *s, const struct names *names, u64 address);
/* Of all files so far. */
u64 recording_bytes(const struct recording *r);

#endif
