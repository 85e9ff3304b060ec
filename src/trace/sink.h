/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where results go. Engines and actions produce, outputs consume, through this and nothing else.
 * One output is one `struct output` row in output/index.h.
 */
#ifndef SONDE_TRACE_SINK_H
#define SONDE_TRACE_SINK_H

#include "base/buf.h"
#include "base/diag.h"
#include "trace/table.h"

struct sink;

struct test_result {      /* of a test: probe */
	const char *name; /* "test:NAME" */
	bool passed;
	u64 took_ns;
	const char *text; /* what it printed */
	size_t len;
};

struct bench_result {     /* of a bench: probe */
	const char *name; /* "bench:NAME" */
	double average_ns;
	u64 iters;
	bool skipped; /* by its own wish: the other members say nothing */
};

struct output {
	const char *name, *brief, *doc, *example;
	void (*attached)(struct sink *s, u32 n_probes);
	/* kind: "printf", "time", "cat", "join", "syscall", "system" … text is exactly what was asked for */
	void (*text)(struct sink *s, const char *kind, const char *text, size_t len);
	/* print(expr) */
	void (*value)(struct sink *s, const struct type *t, const void *p);
	void (*table)(struct sink *s, const struct table *t);
	void (*lost)(struct sink *s, const struct loss *loss, u64 count);
	/* errorf, warnf and run-time warnings: level "errorf", "warnf", "runtime_error", "helper_error" */
	void (*message)(struct sink *s, const char *level, struct span span, const char *text);
	void (*test)(struct sink *s, const struct test_result *r);
	void (*tested)(struct sink *s, u32 n_passed, u32 n_failed); /* behind the last one */
	void (*bench)(struct sink *s, const struct bench_result *r);
	bool escapes; /* by its own rules: control characters never leave it */
	/* After the end probes, before the maps are printed at exit: text prints two newlines. */
	void (*end)(struct sink *s);
};

struct sink {
	const struct output *output;
	const struct names *names;
	struct sources *sources;
	struct buf out; /* bytes waiting for fd */
	struct buf err; /* bytes waiting for stderr */
	int fd;
	enum { SINK_FULL, SINK_LINE, SINK_NONE } buffering; /* -B */
	bool quiet;
	bool visible_out,
		visible_err; /* foreign control characters are escaped there: a terminal would obey them */
	int error;           /* the first write that failed for another reason: -errno, 0 none */
	bool closed;         /* EPIPE seen: everything is dropped quietly */
	bool is_file;        /* results go to the file of -o */
	bool attached_on_stdout; /* __BPFTRACE_NOTIFY_PROBES_ATTACHED is set */
};

/* Writes what waits; 0 or -errno (EPIPE sets closed). */
int sink_flush(struct sink *s);
/* Appends to what waits for stderr; a terminal does not obey the names in it. */
FORMAT(2, 3) void sink_say(struct sink *s, const char *fmt, ...);
/* Called by outputs after each item: flushes according to buffering and size. */
void sink_item(struct sink *s);
/* Within a long item: flushes only when much has gathered. */
void sink_row(struct sink *s);
void sink_release(struct sink *s);

#endif
