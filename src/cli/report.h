/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of sonde report: events, threads, system calls of a recording. */
#ifndef SONDE_CLI_REPORT_H
#define SONDE_CLI_REPORT_H

#include "base/hash.h"
#include "store/read.h"
#include "trace/sink.h"
#include "type/event_format.h"

struct spans { /* of time, in ns */
	u64 n, sum, max;
};

struct report_event {
	const char *name;
	u64 n;
};

struct report_thread {
	u32 tid;
	char comm[16]; /* the last one */
	u64 n_events;
	struct spans on_cpu, waits;                 /* waits: runnable, until it runs */
	u64 runs_since, runnable_since, call_since; /* 0: it does not */
	const char *call;
	bool goes_on; /* at the end of a gap: it runs on a processor that has none there */
};

struct report_call {
	const char *name;
	u64 n_entries, n_exits, n_errors;
	struct spans times;
};

struct report { /* zeroed; report_release() frees it */
	struct arena arena;
	const struct store_tables *tables; /* whose gaps are not summed over; or NULL */
	u64 gaps_to;                       /* ends of gaps up to this time are taken into account */
	struct hash by_event, by_tid, by_call;
	VEC(struct report_event *) events;
	VEC(struct report_thread *) threads;
	VEC(struct report_call *) calls;
	VEC(struct report_thread *) running; /* by processor; NULL: idle or not known */
	/* The recording has such events: without them, columns have nothing to show. */
	bool has_switches, has_entries, has_exits;
};

void report_add(struct report *r, const struct trace_event *e);
/* In descending order. */
void report_sort(struct report *r);
void report_release(struct report *r);

#endif
