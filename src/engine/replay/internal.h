/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the replay engine. */
#ifndef SONDE_ENGINE_REPLAY_INTERNAL_H
#define SONDE_ENGINE_REPLAY_INTERNAL_H

#include "base/hash.h"
#include "engine/in_vm.h"
#include "engine/timers.h"
#include "store/names.h"
#include "sym/raw_events.h"
#include "sym/tracefs.h"
#include "type/event_format.h"
#include "vm/vm.h"

/* ---- source.c: the recording of this process, which replay_select() opens. */
int replay_select(const char *path, struct err *err);
enum { REPLAY_MOST_CPUS = 4096 }; /* of the machine */
const struct recorded_kernel *replay_formats(void);
struct store *replay_store(void);
/* The part of a file of another tool that could not be read; NULL: none. */
const char *replay_damage(void);
/* noted.c: values that a script recorded with the events of a format; NULL: none. known: by the
 * text of the rows, which formats share. */
const struct noted_reads *noted_parse(struct arena *a, struct store *s, const char *format,
				      struct hash *known);
/* The first and the last moment of the recording, by the boot clock. */
u64 replay_begin_ns(const struct store_tables *t);
u64 replay_end_ns(const struct store_tables *t);

/* ---- handlers.c: the functions that run for an event, in the order of the script. */
struct handler {
	u32 func;
	u64 cookie;
	const struct raw_event *raw; /* rawtracepoint: its context is made of the record; NULL */
	bool is_raw;
};
struct handlers {
	struct handler *v;
	u32 n;
};
enum { MOST_CALLS = 512 };
/* The handlers of an event of the file. For raw_syscalls, those of single calls, by number. */
struct event_handlers {
	struct handlers all;
	struct handlers *
		by_call; /* MOST_CALLS of them, which include all; NULL: no function is for single calls */
};
/* config: site.event.config, an id of struct recorded_kernel. */
void handlers_add(struct event_handlers *events, u64 config, struct handler h);
void handlers_release(struct event_handlers *e);

static inline const struct handlers *handlers_of(const struct event_handlers *e,
						 const struct trace_event *ev)
{
	enum { NUMBER_AT = 8 };
	u64 number;

	if (!e->by_call || ev->len < NUMBER_AT + sizeof number)
		return &e->all;
	memcpy(&number, (const u8 *)ev->record + NUMBER_AT, sizeof number);
	return number < MOST_CALLS ? &e->by_call[number] : &e->all;
}

/* ---- threads.c: the process of each thread, over the whole recording. */
struct thread {
	u32 tid, pid;
	u64 since;
};
struct threads {
	struct thread *v; /* by tid, then since */
	u32 n;
};
/* Reads all events, then rewinds. */
void threads_read(struct threads *t, struct store *s);
/* The process of a thread at a time; for a new thread it is known when the thread first runs. */
u32 threads_process(const struct threads *t, u32 tid, u64 time);

#endif
