/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of a recorded event: names of frames, and lines below the event's. */
#ifndef SONDE_TRACE_EVENT_STACK_H
#define SONDE_TRACE_EVENT_STACK_H

#include "trace/sink.h"

enum { EVENT_KSTACK, EVENT_USTACK }; /* indexes of trace_event.stack */

/* Frame i of one of its stacks; out->name NULL: not known. False: it is no frame, but *why the stack is not complete. */
bool event_frame(const struct names *names, const struct trace_event *e, u32 side, u32 i,
		 struct symbol *out, const char **why);
/*
 * As perf script prints them, the kernel's first:
 *
 *		ffffffff816c8064 __x64_sys_execve+0x34 ([kernel.kallsyms])
 *		           d4409 _exit+0x29 (/usr/lib/x86_64-linux-gnu/libc.so.6)
 *
 * The number of a user frame is its offset in the file, if that is known.
 */
void event_stacks_perf(struct buf *b, const struct names *names, const struct trace_event *e);

#endif
