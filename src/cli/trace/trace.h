/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde trace: the events of any probes, a line each.
 *
 *	spell.c		words of the command line -> attach points of the language
 *	probes.c	attach points -> clauses: what each probe has, and what is shown of it
 *	expr.c		--fields and --filter: names of fields in expressions
 *	script.c	clauses -> a script, which sends a record for each event
 *	lines.c		records -> lines or JSON
 */
#ifndef SONDE_CLI_TRACE_TRACE_H
#define SONDE_CLI_TRACE_TRACE_H

#include "cli/cli.h"
#include "trace/value.h"
#include "type/loc.h"

/* How a clause sends its event. */
enum trace_kind {
	TRACE_EVENT,  /* record(): the line is the print fmt of the tracepoint */
	TRACE_CALL,   /* print(): argstr */
	TRACE_RETURN, /* ... and the result of the call */
	TRACE_FIELDS, /* print(): values by name */
	TRACE_FORMAT, /* print(): the values of a definition of ftrace, by its format */
};

struct trace_field {
	const char *name, *expr;
};

struct trace_clause {
	enum trace_kind kind;
	const char *probes;    /* attach points, separated by commas */
	u32 len, room;         /* of their text: trace_add_probe() */
	u32 line;              /* of the script, where it begins */
	const char *condition; /* an expression, or NULL */
	bool is_event;         /* of a trace event: its name is the last part of the probe's */
	bool is_call;          /* of a system call */
	bool is_return;        /* of a function */
	bool has_user_regs;    /* a probe in user code: only the user stack means something */
	bool reads_memory;     /* a field is not the value of a register */
	VEC(struct trace_field) fields;
	/* of a definition of ftrace */
	const char *event, *values;
	struct format *format;
};

/* Of the command line, and the state of the output. */
struct trace {
	struct cli *c;
	VEC(const char *) probes;         /* attach points of the language */
	VEC(struct trace_clause) clauses; /* in script order */
	bool has_stacks, is_json, has_color;
	u64 limit;            /* -n; 0: none */
	u64 n_events, n_lost; /* shown; not sent by the kernel */
	u64 begun_ns;         /* monotonic */
};

/* ---- spell.c: 0, or the exit status after a message. Definitions of ftrace become clauses at
 * once. */
int trace_spell(struct trace *t, const char *word);
/* ---- probes.c: t->probes -> t->clauses. The same. */
int trace_resolve(struct trace *t);
/* One more of cl->probes. */
void trace_add_probe(struct arena *a, struct trace_clause *cl, const char *probe);
/* ---- expr.c */
#define TRACE_RESULT "retval" /* as it is called in options */
/* Whether the whole of it can be read. */
bool trace_is_known(const struct arg_desc *arg);
/* Whether it is shown as a string. */
bool trace_is_text(const struct type *t);
/* The expression of arg0, arg1 ...: a string if it is typed so. */
const char *trace_word_expr(struct arena *a, const struct arg_desc *word);
/* The expression of a field of a probe: "args.prev_comm", "str(args.path)". NULL: it has none of
 * that name. */
const char *trace_field_expr(struct arena *a, const struct profile *p, const char *name);
/* The result, or NULL: there is none. */
const char *trace_result_expr(const struct profile *p);
/* Whether each event has it to ftrace: where it is no field, it means the thread or its
 * processor. */
bool trace_is_common(const char *name);
bool trace_has_field(const struct profile *p, const char *name);
/* An expression of the language or of ftrace's filters, in which names may be fields of the
 * probe. */
const char *trace_expr(struct arena *a, const struct profile *p, const char *text);
/* Calls f for each name in it that may be a field. */
void trace_expr_names(struct arena *a, const char *text, void (*f)(void *ctx, const char *name),
		      void *ctx);
/* ---- script.c: allocated in c->words_arena. */
const char *trace_script(struct trace *t);
/* ---- lines.c */
extern const struct output output_trace;
/* A value; strings in quotes, in one line. */
void trace_put_value(struct buf *b, const struct names *names, const struct type *type,
		     const void *p);

#endif
