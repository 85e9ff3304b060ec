/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace event as a line: kernel/trace/trace_output.c (trace_print_context) has this layout,
 * event_columns.c that of perf script.
 */
#include "base/visible.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"

const char *event_comm(const struct trace_event *e, u32 *len)
{
	const char *comm = e->tid ? e->comm : "swapper";

	*len = (u32)strnlen(comm, EVENT_COMM_LEN);
	return comm;
}

void event_line_clean(struct buf *b, const struct names *names, size_t start)
{
	if (names && names->visible)
		buf_visible(b, start, VISIBLE_TEXT);
}

void event_line_number(struct buf *b, u64 n, u32 width, char pad)
{
	char digits[24];
	u32 at = sizeof digits;

	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10));
	if (sizeof digits - at < width)
		buf_pad(b, pad, width - (sizeof digits - at));
	buf_add(b, digits + at, sizeof digits - at);
}

void event_line_time(struct buf *b, u64 ns, bool in_ns)
{
	event_line_number(b, ns / 1000000000, 5, ' ');
	buf_putc(b, '.');
	if (in_ns)
		event_line_number(b, ns % 1000000000, 9, '0');
	else
		event_line_number(b, ns % 1000000000 / 1000, 6, '0');
	buf_puts(b, ": ");
}

static void put_comm(struct buf *b, const char *comm, u32 len)
{
	buf_pad(b, ' ', EVENT_COMM_LEN - len);
	buf_add(b, comm, len);
}

void event_line_cpu(struct buf *b, u32 cpu)
{
	buf_putc(b, '[');
	event_line_number(b, cpu, 3, '0');
	buf_puts(b, "] ");
}

void event_line_head(struct buf *b, const struct names *names, const char *comm, u32 tid, u32 cpu,
		     u64 time_ns)
{
	size_t start = b->len, number;

	comm = tid ? comm : "<idle>";
	put_comm(b, comm, (u32)strnlen(comm, EVENT_COMM_LEN));
	event_line_clean(b, names, start);
	buf_putc(b, '-');
	number = b->len;
	buf_u64(b, tid);
	if (b->len - number < 7)
		buf_pad(b, ' ', 7 - (b->len - number));
	buf_putc(b, ' ');
	event_line_cpu(b, cpu);
	event_line_time(b, time_ns, false);
}

void event_line_ftrace(struct buf *b, struct arena *a, const struct names *names,
		       const struct trace_event *e)
{
	const char *colon = strchr(e->format->name, ':');
	size_t start = b->len;

	event_line_head(b, NULL, e->comm, e->tid, e->cpu, e->time);
	buf_puts(b, colon ? colon + 1 : e->format->name);
	buf_puts(b, ": ");
	event_text(b, a, names, e->format, e->record, e->len);
	event_line_clean(b, names, start);
}

/* kernel/trace/trace_output.c: trace_stack_print() with the offsets of option sym-offset,
 * seq_print_user_ip() with sym-userobj. */
static void put_frame(struct buf *b, const struct names *names, const struct trace_event *e,
		      u32 side, u32 i)
{
	unsigned long long ip = e->stack[side].ips[i];
	struct symbol sym;
	const char *why;

	if (!event_frame(names, e, side, i, &sym, &why))
		buf_printf(b, " => [%s]\n", why);
	else if (side == EVENT_KSTACK && sym.name)
		buf_printf(b, " => %s+0x%llx\n", sym.name, (unsigned long long)sym.offset);
	else if (side == EVENT_USTACK && sym.module)
		buf_printf(b, " => %s[+0x%llx]\n", sym.module, (unsigned long long)sym.file_offset);
	else
		buf_printf(b, " => <%016llx>\n", ip);
}

void event_stacks_ftrace(struct buf *b, const struct names *names, const struct trace_event *e)
{
	static const char *const heads[] = {
		[EVENT_KSTACK] = "<stack trace>\n", [EVENT_USTACK] = "<user stack trace>\n"
	};
	size_t start = b->len;

	for (u32 side = 0; side < ARRAY_SIZE(heads); side++) {
		if (!e->stack[side].n)
			continue;
		event_line_head(b, NULL, e->comm, e->tid, e->cpu, e->time);
		buf_puts(b, heads[side]);
		for (u32 i = 0; i < e->stack[side].n; i++)
			put_frame(b, names, e, side, i);
	}
	event_line_clean(b, names, start);
}
