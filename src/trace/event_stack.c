/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/event_stack.h"
#include "trace/value.h"

bool event_frame(const struct names *names, const struct trace_event *e, u32 side, u32 i,
		 struct symbol *out, const char **why)
{
	bool user = side == EVENT_USTACK, found, is_return = i;
	u64 ip = e->stack[side].ips[i];

	*out = (struct symbol){ 0 };
	*why = frame_reason(user, ip);
	if (*why || !names)
		return !*why;
	ip -= is_return; /* the call may be the last instruction of its function */
	found = user ? names->usym &&
				names->usym(names->ctx, (struct process_at){ e->pid, 0 }, ip, out) :
		       names->ksym && names->ksym(names->ctx, ip, out);
	if (!found)
		out->name = NULL;
	out->offset += is_return;
	out->file_offset += is_return;
	return true;
}

u32 event_stack_frames(const struct event_stack *s)
{
	return s->n && frame_reason(true, s->ips[s->n - 1]) ? s->n - 1 : s->n;
}
