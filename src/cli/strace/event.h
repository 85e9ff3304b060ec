/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records that the script of sonde strace prints, and what becomes of each kind: a handler,
 * which appends lines to the output. Their members are listed at enum strace_record. */
#ifndef SONDE_CLI_STRACE_EVENT_H
#define SONDE_CLI_STRACE_EVENT_H

#include "cli/strace/strace.h"
#include "trace/value.h"
#include "type/call.h"

/* Members that all records have. */
struct strace_event {
	const struct type *t;
	const char *p;
	u32 tid, pid;
	u64 ns;
};

static inline s64 event_number(const struct strace_event *r, u32 i)
{
	const struct field *f = &r->t->fields[i];

	return i < r->t->n_fields ? value_int(f->type, r->p + f->offset) : 0;
}

/* The arguments of a call come last. */
static inline const struct field *event_args(const struct strace_event *r)
{
	return &r->t->fields[r->t->n_fields - 1];
}

static inline const char *event_text(const struct strace_event *r, u32 i)
{
	const struct field *f = &r->t->fields[i];

	return i < r->t->n_fields && f->type->kind == TY_STRING ? r->p + f->offset : "";
}

typedef void strace_handler(struct strace *st, const struct strace_event *r);

/* ---- calls.c */
strace_handler strace_on_enter, strace_on_return;
/* Of an ENTER or RETURN; NULL: a call that is not shown. */
const struct strace_call *strace_call_of(struct strace *st, const struct strace_event *r);
/* A call whose return is not seen gets a line with this result. */
void strace_end_call(struct strace *st, struct strace_thread *th, u64 ns, const char *result);
/* strace's line about a thread that changes between 32-bit and 64-bit calls. */
void strace_put_mode(struct strace *st, struct strace_thread *th, bool is_i386, u64 ns);
/* Begins and returns are shown together, and only some. */
bool strace_shows_whole(const struct strace *st);
/* -i and -Y: from member `at` on, the first frame of the user stack and the command name. */
void strace_read_extras(struct strace *st, struct strace_thread *th, const struct strace_event *r,
			u32 at);

/* ---- delivery.c */
strace_handler strace_on_signal, strace_on_ignored;
/* The last member of the records of signals, and the first of what those of ends have besides. */
enum { AT_SIGNAL = 4, AT_SIGNAL_LAST = 10 };

/* ---- lifetime.c */
strace_handler strace_on_born, strace_on_forked, strace_on_exec, strace_on_end;
bool strace_is_detached(const struct strace *st, u32 tid);

/* ---- descriptors.c */
strace_handler strace_on_file, strace_on_socket;
/* ---- memory.c */
strace_handler strace_on_memory;

#endif
