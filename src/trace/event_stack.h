/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of a recorded event: names of frames. */
#ifndef SONDE_TRACE_EVENT_STACK_H
#define SONDE_TRACE_EVENT_STACK_H

#include "trace/sink.h"

enum { EVENT_KSTACK, EVENT_USTACK }; /* indexes of trace_event.stack */

/* Frame i of one of its stacks; out->name NULL: not known. False: it is no frame, but *why the
 * stack is not complete. */
bool event_frame(const struct names *names, const struct trace_event *e, u32 side, u32 i,
		 struct symbol *out, const char **why);

/* How many of its entries are frames: without the reason why it is not complete. */
u32 event_stack_frames(const struct event_stack *s);

#endif
