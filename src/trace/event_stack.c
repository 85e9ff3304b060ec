/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/visible.h"
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
	found = user ? names->usym && names->usym(names->ctx, e->pid, ip, out) :
		       names->ksym && names->ksym(names->ctx, ip, out);
	if (!found)
		out->name = NULL;
	out->offset += is_return;
	out->file_offset += is_return;
	return true;
}

/* "[kernel.kallsyms]", "[xfs]", "/usr/bin/bash", "[unknown]" */
static void put_module(struct buf *b, bool user, const char *module)
{
	buf_puts(b, " (");
	if (user)
		buf_puts(b, module ? module : "[unknown]");
	else if (module)
		buf_printf(b, "[%s]", module);
	else
		buf_puts(b, "[kernel.kallsyms]");
	buf_putc(b, ')');
}

static void put_frame(struct buf *b, bool user, u64 ip, const struct symbol *sym)
{
	if (user && sym->module)
		ip = sym->file_offset;
	buf_printf(b, "\t%16llx ", (unsigned long long)ip);
	if (sym->name)
		buf_printf(b, "%s+0x%llx", sym->name, (unsigned long long)sym->offset);
	else
		buf_puts(b, "[unknown]");
	put_module(b, user, sym->name || sym->module ? sym->module : user ? NULL : "unknown");
	buf_putc(b, '\n');
}

static void put_stack(struct buf *b, const struct names *names, const struct trace_event *e,
		      u32 side)
{
	for (u32 i = 0; i < e->stack[side].n; i++) {
		struct symbol sym;
		const char *why;
		size_t start = b->len;

		if (event_frame(names, e, side, i, &sym, &why))
			put_frame(b, side == EVENT_USTACK, e->stack[side].ips[i], &sym);
		else
			buf_printf(b, "\t%16s [%s]\n", "", why);
		if (names && names->visible)
			buf_visible(b, start, VISIBLE_TEXT);
	}
}

void event_stacks_perf(struct buf *b, const struct names *names, const struct trace_event *e)
{
	put_stack(b, names, e, EVENT_KSTACK);
	put_stack(b, names, e, EVENT_USTACK);
}
