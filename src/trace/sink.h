/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where results go. Engines and actions produce, outputs consume, through this and nothing else.
 * An output is a `struct output` and a line in output/index.h.
 */
#ifndef SONDE_TRACE_SINK_H
#define SONDE_TRACE_SINK_H

#include "base/buf.h"
#include "base/diag.h"
#include "trace/map_event.h"
#include "trace/table.h"

struct sink;

/* Result of a test: probe. */
struct test_result {
	const char *name; /* "test:NAME" */
	bool passed;
	u64 took_ns;
	const char *text; /* its output */
	size_t len;
};

/* Result of a bench: probe. */
struct bench_result {
	const char *name; /* "bench:NAME" */
	double average_ns;
	u64 iters;
	bool skipped; /* by the script; average_ns and iters are invalid */
};

/* What a text is the result of. */
enum sink_text { TEXT_PRINTF, TEXT_TIME, TEXT_CAT, TEXT_JOIN, TEXT_SYSTEM, N_SINK_TEXTS };
/* Who reports a message: errorf(), warnf(), a check of the program at run time. */
enum sink_level { LEVEL_ERRORF, LEVEL_WARNF, LEVEL_RUNTIME_ERROR, N_SINK_LEVELS };

struct event_stack {
	const u64 *ips; /* the innermost frame first */
	u32 n;          /* 0: it has none */
};

/* A trace event as the kernel recorded it: record(). Everything is valid during the call. */
struct trace_event {
	u64 time; /* ns, of the boot clock */
	u32 pid, tid, cpu;
	const char *comm; /* 16 bytes, not terminated if it fills them */
	struct event_format *format;
	const void *record; /* len bytes; those after the event's last data mean nothing */
	u32 len;
	/* the tuple of record(VALUE); NULL: none */
	const struct type *value_type;
	const void *value;
	bool has_stacks;             /* of a recording whose events may have stacks: */
	struct event_stack stack[2]; /* the kernel's, the user's */
};

/* A hook whose comment does not say what NULL means must be there: output/notice.h and none.h have
 * some. */
struct output {
	const char *name, *brief, *doc, *example;
	void (*attached)(struct sink *s, u32 n_probes);
	/* text is complete, without anything added. */
	void (*text)(struct sink *s, enum sink_text kind, const char *text, size_t len);
	/* print(expr) */
	void (*value)(struct sink *s, const struct type *t, const void *p);
	void (*table)(struct sink *s, const struct table *t);
	void (*event)(struct sink *s, const struct trace_event *e);
	void (*lost)(struct sink *s, const struct loss *loss, u64 count);
	/* What processes map, if the script has user stacks. NULL: names are enough. */
	void (*mapping)(struct sink *s, const struct map_event *e);
	void (*message)(struct sink *s, enum sink_level level, struct span span, const char *text);
	void (*test)(struct sink *s, const struct test_result *r);
	void (*tested)(struct sink *s, u32 n_passed, u32 n_failed); /* after the last one */
	void (*bench)(struct sink *s, const struct bench_result *r);
	/* After the run, before the last flush. NULL: nothing is left to write. An output that has
	 * it writes one document, which is nothing until then: a file of -o appears, or is
	 * replaced, as a whole. */
	void (*close)(struct sink *s);
	const char *suffix; /* of files of -o; NULL: ".NAME" */
	bool escapes;       /* the format itself escapes control characters (JSON) */
	/* After the end probes, before the maps are printed at exit: text prints two newlines. */
	void (*end)(struct sink *s);
	/* Called again and again while the run goes on, each time that it looks for records: what
	 * is held back for long is written. NULL: nothing is. */
	void (*tick)(struct sink *s);
	/* Of several engines records come in turn: all up to this time, of the boot clock, have
	 * come. NULL: it does not matter. */
	void (*settled)(struct sink *s, u64 boot_ns);
};

struct sink {
	const struct output *output;
	const struct names *names;
	struct sources *sources;
	struct buf out; /* buffered for fd */
	struct buf err; /* buffered for stderr */
	void *state;    /* private to the output; NULL at the start */
	int fd;
	enum { SINK_FULL, SINK_LINE, SINK_NONE } buffering; /* -B */
	bool quiet;
	/* Escape control characters of foreign text on that stream, because it is a terminal. */
	bool visible_out, visible_err;
	bool visible_commands; /* the same of what commands of system() write to stderr */
	int error;             /* of the first failed write other than EPIPE: -errno; 0: none */
	bool closed;           /* after EPIPE: output is dropped silently */
	bool is_file;          /* results go to the file of -o */
	/* Set by an output that follows processes: the run goes on when the command has ended. */
	bool awaits_more;
	/* the tables that follow are those of a repeated display: request.redraw */
	bool is_redraw;
	u32 command_pid;         /* of -c; 0: none */
	bool is_done;            /* set by an output that has had enough: the run ends */
	bool attached_on_stdout; /* __BPFTRACE_NOTIFY_PROBES_ATTACHED is set */
};

/* Writes the buffers; 0 or -errno (EPIPE sets closed). */
int sink_flush(struct sink *s);
/* Appends to the stderr buffer; escapes control characters for a terminal. */
FORMAT(2, 3) void sink_say(struct sink *s, const char *fmt, ...);
/* A warning about the run itself: no position in the script is the cause. */
void sink_warn(struct sink *s, const char *text);
/* Called by outputs after each item: flushes according to buffering and size. */
void sink_item(struct sink *s);
/* Within a long item: flushes only a large buffer. */
void sink_row(struct sink *s);
void sink_release(struct sink *s);

#endif
