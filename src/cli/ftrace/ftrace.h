/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of sonde ftrace: the kernel's own tracers and events, in an instance of
 * tracefs (Documentation/trace/ftrace.rst) of its own, so that settings of other tracers do not
 * change.
 */
#ifndef SONDE_CLI_FTRACE_H
#define SONDE_CLI_FTRACE_H

#include "base/hash.h"
#include "cli/cli.h"
#include "sym/kallsyms.h"
#include "sym/tracefs.h"
#include "trace/event_text.h"

/* An event of -e, with its --filter and --trigger. */
struct ftrace_event {
	const char *system, *name;
	const char *filter; /* NULL: none */
	VEC(const char *) triggers;
	VEC(const char *) dirs; /* "events/sched/sched_switch": those that match */
};

/* A record of a ring, or what a ring has lost. */
struct ftrace_record {
	u64 time;
	u64 lost; /* 0: it is a record; all ones: not known how many */
	u32 at, len, cpu, order;
};

/* Of a processor, for the graph of functions. */
struct graph_cpu {
	u32 tid, depth;
	bool was_seen;
	u64 func[64]; /* by depth: whose entry was printed; 0: none */
	u64 entered[64];
};
struct graph_thread {
	u32 tid, inside;
};

struct ring {
	u32 cpu;
	int fd;
};

struct ftrace {
	struct cli *c;
	struct arena arena;
	const char *tracer; /* NULL: events alone */
	bool is_graph;
	/* irqsoff, wakeup ...: the result is the file "trace", of the longest time so far */
	bool is_latency;
	VEC(struct ftrace_event) events;
	VEC(const char *) to_restore; /* options */
	char dir[48]; /* "instances/sonde_4711" below the root of tracefs; "": none */
	const char *root;
	int out, timer;
	bool escapes;
	bool keeps;        /* -o FILE.data: a recording instead of lines */
	const char *clock; /* of the instance */

	/* reading */
	VEC(struct ring) rings;
	u32 page_size;
	u8 *page;
	struct buf data; /* what records point to */
	struct {
		struct ftrace_record *v;
		u32 n, cap;
	} records;
	u64 n_lost;
	u32 n_unknown_losses;

	/* printing */
	struct buf text;
	struct kallsyms *symbols;
	struct hash formats;   /* number -> struct event_format * */
	struct hash comms;     /* thread -> name */
	struct hash processes; /* thread -> number of its process, as text; of recordings */
	struct names names;
	struct tracefs_strings *strings;
	struct graph_cpu *cpus;
	struct hash threads; /* -> struct graph_thread * */
	u32 n_cpus;
	u64 irq_begin, irq_end; /* code of interrupts' entries */
	bool has_migration;     /* the kernel shows it: 5.14 and later */
	bool has_lazy;          /* a lazy request to reschedule: 6.13 and later */
};

/* ---- instance.c: files of the instance. 0 or -errno with err set. */
int instance_make(struct ftrace *f, struct err *err);
/* Removes it, or a part of it. Safe twice. */
void instance_remove(struct ftrace *f);
/* Instances of runs that were killed. */
void instance_remove_left(void);
/* flags as for tracefs_put(). */
int instance_put(struct ftrace *f, const char *file, const char *text, int flags, struct err *err);
/* Appends the file; 0 or -errno. */
int instance_read(const struct ftrace *f, const char *file, struct buf *to);

/* ---- setup.c: what the options ask for. pid: of the command, or 0. The same. */
int ftrace_set_up(struct ftrace *f, s32 pid, struct err *err);
void ftrace_restore(struct ftrace *f);
/* -e, --filter and --trigger, in their order. 0, or the exit status after a message. */
int ftrace_read_events(struct ftrace *f);

/* ---- rings.c */
int rings_open(struct ftrace *f, struct err *err);
/* Reads and prints records: with `all`, every one, else those that no older record can follow. */
void rings_drain(struct ftrace *f, bool all);
void rings_close(struct ftrace *f);

/* ---- lines.c: a record as the kernel's file "trace" has it, appended to f->text; of the graph's
 * comments the end */
void lines_init(struct ftrace *f);
void lines_release(struct ftrace *f);
void lines_head(struct ftrace *f);
/* Reads the names of threads again, which change at exec. */
void lines_names(struct ftrace *f);
void lines_put(struct ftrace *f, const struct ftrace_record *r);
const struct event_format *lines_format(struct ftrace *f, u32 id);
const char *lines_comm(struct ftrace *f, u32 tid);
void lines_symbol(struct ftrace *f, u64 address);
u64 lines_member(const struct event_format *format, const char *name, const u8 *record, u32 len);

/* ---- kept.c: record i, or what was lost, into the recording of c->sink */
void kept_put(struct ftrace *f, u32 i);

/* ---- graph.c: of the function_graph tracer. i: its index in f->records. False: whether it is a
 * call without calls within is not known before more is read. */
bool graph_put(struct ftrace *f, u32 i, const struct event_format *format, bool all);
void graph_head(struct ftrace *f);
/* Before lines_put() of another event. */
void graph_begin_comment(struct ftrace *f, const struct ftrace_record *r);
bool graph_is_record(const struct event_format *format);

#endif
