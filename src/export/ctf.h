/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of CTF: their declarations in TSDL and the bytes of their fields, which must agree. */
#ifndef SONDE_EXPORT_CTF_H
#define SONDE_EXPORT_CTF_H

#include "base/buf.h"
#include "export/calls.h"
#include "export/export.h"

struct ctf_event {
	const struct event_format *format;
	const char *name;
	bool leaves_id; /* its name says which system call it is: "id" and "__syscall_nr" are not
			 * fields */
};

/* As LTTng names it. call: NULL, or what the event is. */
const char *ctf_event_name(struct arena *a, const struct event_format *f,
			   const struct call_event *call);
void ctf_put_fields(struct buf *b, const struct ctf_event *ev, const struct trace_event *e);
void ctf_put_metadata(struct buf *b, const struct export_job *j, const u8 uuid[16],
		      const struct ctf_event *events, u32 n);

#endif
