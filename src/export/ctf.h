/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of CTF: their declarations in TSDL and the bytes of their fields, which must agree. */
#ifndef SONDE_EXPORT_CTF_H
#define SONDE_EXPORT_CTF_H

#include "base/buf.h"
#include "export/calls.h"
#include "export/export.h"

struct ctf_arg {
	const char *name;
	bool is_int, is_signed; /* is_int: 32 bits of the register, else 64 */
};

struct ctf_event {
	const struct event_format *format; /* NULL: the fields are declared by text */
	const char *name, *declarations;
	/* Of an entry: the call's arguments, if they are known; NULL: those of a raw entry are an
	 * array. */
	const struct ctf_arg *args;
	u32 n_args;
	const struct ctf_member *members; /* how each of the format is written */
	bool is_raw;                      /* raw_syscalls */
	bool leaves_id; /* its name says which system call it is: "id" and "__syscall_nr" are not
			 * fields */
};

/* As LTTng names it. call: NULL, or what the event is. */
const char *ctf_event_name(struct arena *a, const struct event_format *f,
			   const struct call_event *call);
/* Sets args, if the event is the entry of a call that is known. */
void ctf_name_args(struct arena *a, struct ctf_event *ev, const struct call_event *call);
/* Sets members; after ctf_name_args(). */
void ctf_plan_members(struct arena *a, struct ctf_event *ev);
/* Where in b the process of a new thread is, which is not in the record: there it is the thread. 0:
 * the event is no such one. */
size_t ctf_put_fields(struct buf *b, const struct ctf_event *ev, const struct trace_event *e);
/* lttng_statedump_process_state: the thread at the start. The declarations, the bytes. */
extern const char ctf_state_declarations[];
void ctf_put_state(struct buf *b, const struct task_row *t);
void ctf_put_metadata(struct buf *b, const struct export_job *j, const u8 uuid[16],
		      const struct ctf_event *events, u32 n);

#endif
