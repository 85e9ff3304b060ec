/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace event as a line: builtin/script.c of Linux's tools/perf prints the first layout,
 * kernel/trace/trace_output.c (trace_print_context) the second.
 */
#include "base/visible.h"
#include "trace/event_line.h"

enum { COMM_LEN = 16 };

const char *event_comm(const struct trace_event *e, u32 *len)
{
	const char *comm = e->tid ? e->comm : "swapper";

	*len = (u32)strnlen(comm, COMM_LEN);
	return comm;
}

/* Text of the traced system, on a terminal without its control characters. */
static void clean_since(struct buf *b, const struct names *names, size_t start)
{
	if (names && names->visible)
		buf_visible(b, start, VISIBLE_TEXT);
}

/* A number of at least `width` characters. */
static void put_padded(struct buf *b, u64 n, u32 width, char pad)
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

/* Seconds and microseconds, cut off as perf and ftrace do. */
static void put_time(struct buf *b, u64 ns)
{
	put_padded(b, ns / 1000000000, 5, ' ');
	buf_putc(b, '.');
	put_padded(b, ns % 1000000000 / 1000, 6, '0');
	buf_puts(b, ": ");
}

static void put_comm(struct buf *b, const char *comm, u32 len)
{
	buf_pad(b, ' ', COMM_LEN - len);
	buf_add(b, comm, len);
}

static void put_cpu(struct buf *b, u32 cpu)
{
	buf_puts(b, " [");
	put_padded(b, cpu, 3, '0');
	buf_puts(b, "] ");
}

void event_line_perf(struct buf *b, struct arena *a, const struct names *names,
		     const struct trace_event *e, u32 name_width)
{
	size_t start = b->len, name_len = strlen(e->format->name);
	u32 len;
	const char *comm = event_comm(e, &len);

	if (e->has_stacks)
		buf_add(b, comm, len);
	else
		put_comm(b, comm, len);
	buf_putc(b, ' ');
	put_padded(b, e->tid, 5, ' ');
	put_cpu(b, e->cpu);
	put_time(b, e->time);
	if (name_len < name_width)
		buf_pad(b, ' ', name_width - name_len);
	buf_add(b, e->format->name, name_len);
	buf_puts(b, ": ");
	event_text(b, a, names, e->format, e->record, e->len);
	clean_since(b, names, start);
}

void event_line_head(struct buf *b, const struct names *names, const char *comm, u32 tid, u32 cpu,
		     u64 time_ns)
{
	size_t start = b->len, number;

	comm = tid ? comm : "<idle>";
	put_comm(b, comm, (u32)strnlen(comm, COMM_LEN));
	clean_since(b, names, start);
	buf_putc(b, '-');
	number = b->len;
	buf_u64(b, tid);
	if (b->len - number < 7)
		buf_pad(b, ' ', 7 - (b->len - number));
	put_cpu(b, cpu);
	put_time(b, time_ns);
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
	clean_since(b, names, start);
}
