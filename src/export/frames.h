/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a recording's events with names: each different stack once, of frames that are
 * numbered. Names are those of the first event that has the stack.
 */
#ifndef SONDE_EXPORT_FRAMES_H
#define SONDE_EXPORT_FRAMES_H

#include "base/hash.h"
#include "export/export.h"

struct frame {
	u32 number; /* from 1 on */
	/* The function, else "[FILE]" of the code, else its address; "[why]" of what is not a frame
	 * but the reason why the stack is not complete. */
	const char *name;
	const char *module; /* "[kernel.kallsyms]", "[xfs]", the path of a file; "": not known */
	/* of the function: in the kernel its address, else in its file; 0 without function */
	u64 start;
	bool is_reason;
};

struct framed_stack {
	u32 number; /* from 1 on */
	u32 n;
	const struct frame *const *frames; /* the innermost first, the kernel's before the user's */
	u64 count;                         /* for the caller: 0 at first */
	void *note;                        /* likewise, NULL */
};

struct frames { /* frames_init() */
	struct arena arena;
	struct store_names *stack_names;
	const struct names *names;
	struct hash by_name, by_addresses;
	VEC(struct frame *) frames;
	VEC(struct framed_stack *) stacks;
};

void frames_init(struct frames *f, const struct names *names, struct store_names *stack_names);
void frames_release(struct frames *f);
/* NULL: the event has no stack. Valid until frames_release(). */
struct framed_stack *frames_of(struct frames *f, const struct trace_event *e);

#endif
