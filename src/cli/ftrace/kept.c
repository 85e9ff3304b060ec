/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the rings as events of a recording: -o FILE.data. What they have is what sonde record
 * keeps of an event; the tracers' own records have formats, too (ftrace:function,
 * ftrace:funcgraph_entry), and the functions in them get names. A stack, a record after that of its
 * event, belongs to the event.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cli/ftrace/ftrace.h"
#include "export/export.h"
#include "output/recording.h"
#include "trace/value.h"

/* Members that are addresses of functions. */
static const char *const functions[] = { "ip", "parent_ip", "func", "graph_ent.func", "ret.func" };

static void keep_names(struct ftrace *f, const struct event_format *format, const u8 *record,
		       u32 len)
{
	for (u32 i = 0; i < ARRAY_SIZE(functions) && starts_with(format->name, "ftrace:"); i++) {
		u64 address = lines_member(format, functions[i], record, len);

		if (address)
			recording_function(&f->c->sink, &f->names, address);
	}
}

static const struct event_format *format_of(struct ftrace *f, const struct ftrace_record *r)
{
	u16 id;

	if (r->lost || r->len < 8)
		return NULL;
	memcpy(&id, f->data.s + r->at, sizeof id);
	return lines_format(f, id);
}

/* ---- stacks */

enum {
	TRAMPOLINE = 0x7fffffff, /* FTRACE_TRAMPOLINE_MARKER */
	AHEAD = 256
};

/* The record after it in its ring, if that is its stack. */
static struct ftrace_record *stack_after(struct ftrace *f, u32 i)
{
	struct ftrace_record *v = f->records.v;
	u32 next = i + 1, end = MIN(f->records.n, i + AHEAD);
	const struct event_format *format;

	while (next < end && v[next].cpu != v[i].cpu)
		next++;
	format = next < end ? format_of(f, &v[next]) : NULL;
	return format && streq(format->name, "ftrace:kernel_stack") ? &v[next] : NULL;
}

static u32 frames_of(struct ftrace *f, const struct ftrace_record *r, u64 *ips)
{
	const struct event_member *m = event_member(format_of(f, r), "caller");
	u32 n = 0;

	for (u32 at = m ? m->offset : r->len; (u64)at + 8 <= r->len && n < STACK_MAX_FRAMES;
	     at += 8) {
		memcpy(&ips[n], f->data.s + r->at + at, sizeof *ips);
		if (!ips[n] || ips[n] == ~0ull)
			break;
		if (ips[n] == TRAMPOLINE)
			continue;
		recording_function(&f->c->sink, &f->names, ips[n++]);
	}
	return n;
}

static void add_stack(struct ftrace *f, u32 i, struct trace_event *e, u64 *ips)
{
	struct ftrace_record *stack = stack_after(f, i);

	if (!stack)
		return;
	e->has_stacks = true;
	e->stack[0] = (struct event_stack){ ips, frames_of(f, stack, ips) };
	stack->len = 0; /* it is no event */
}

/* ---- events */

/* Threads of ended processes that the kernel has not noted are processes of their own. */
static u32 process_of(struct ftrace *f, u32 tid)
{
	const char *text = hash_get(&f->processes, &tid, sizeof tid);

	return text ? (u32)strtoul(text, NULL, 10) : tid;
}

static void put_comm(struct ftrace *f, u32 tid, u32 cpu, char *comm, size_t size)
{
	if (tid)
		snprintf(comm, size, "%s", lines_comm(f, tid));
	else
		snprintf(comm, size, "swapper/%u", cpu);
}

void kept_put(struct ftrace *f, u32 i)
{
	const struct ftrace_record *r = &f->records.v[i];
	const u8 *record = (const u8 *)f->data.s + r->at;
	const struct event_format *format = format_of(f, r);
	struct trace_event e = { .time = r->time, .cpu = r->cpu, .record = record, .len = r->len };
	u64 ips[STACK_MAX_FRAMES];
	char comm[16] = "";

	if (r->lost)
		recording_lost(&f->c->sink, r->lost == ~0ull ? 1 : r->lost,
			       "the buffer of tracefs was full");
	if (!format)
		return;
	memcpy(&e.tid, record + 4, sizeof e.tid);
	e.pid = process_of(f, e.tid);
	put_comm(f, e.tid, e.cpu, comm, sizeof comm);
	e.comm = comm;
	e.format = (struct event_format *)(uintptr_t)format;
	keep_names(f, format, record, r->len);
	add_stack(f, i, &e, ips);
	output_recording.event(&f->c->sink, &e);
}
