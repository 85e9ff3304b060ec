/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's trace: protocol buffers (protos/perfetto/trace/trace_packet.proto of
 * github.com/google/perfetto).
 *
 *	Trace: TracePacket ...
 *	TracePacket: FtraceEventBundle of a processor | ProcessTree | ClockSnapshot | SystemInfo
 *	FtraceEventBundle: cpu, FtraceEvent ...
 *	FtraceEvent: time, thread, and what perfetto_events.c makes of the record
 *
 * A thread is in a ProcessTree before the first bundle that has an event of it. The stack of an
 * event is a PerfSample of the same time and thread, with what it refers to in InternedData before
 * it, on a sequence of packets of its own.
 */
#include <stdlib.h>
#include "base/hash.h"
#include "base/protobuf.h"
#include "export/frames.h"
#include "export/perfetto.h"
#include "trace/event_line.h"

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* trusted_packet_sequence_id */
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_PERF_SAMPLE = 66,
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST_EVENTS = 3,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	PROCESS_PID = 1,
	PROCESS_PPID = 2,
	PROCESS_CMDLINE = 3,
	THREAD_TID = 1,
	THREAD_NAME = 2,
	THREAD_TGID = 3,
	SNAPSHOT_CLOCKS = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	INFO_UTSNAME = 1,
	INFO_NUM_CPUS = 8,
	UTSNAME_SYSNAME = 1,
	UTSNAME_VERSION = 2,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,
	INTERNED_FUNCTION_NAMES = 5,
	INTERNED_FRAMES = 6,
	INTERNED_CALLSTACKS = 7,
	INTERNED_MAPPING_PATHS = 17,
	INTERNED_MAPPINGS = 19,
	IID = 1, /* of everything that is interned */
	STRING_BYTES = 2,
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	FRAME_REL_PC = 4,
	CALLSTACK_FRAMES = 2,
	MAPPING_PATHS = 7,
	SAMPLE_CPU = 1,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_CALLSTACK = 4,
};

enum {
	CLOCK_ID_REALTIME = 1,
	CLOCK_ID_BOOTTIME = 6,
	SEQUENCE = 1,
	STACK_SEQUENCE = 2,
	STATE_CLEARED = 1,
	NEEDS_STATE = 2,
	BUNDLE_FULL = 64 << 10
};

struct lane { /* of a processor: its bundle */
	struct buf packet;
	size_t bundle; /* where it begins */
};

struct thread {
	u32 tid, pid;
};

struct perfetto {
	const struct export_job *j;
	struct out out;
	struct arena arena;
	struct lane *lanes;
	u32 n_lanes;
	struct perfetto_events events;
	struct hash threads; /* tid -> struct thread * */
	struct buf tree;     /* of threads that no packet has */
	u64 tree_time;       /* of the first event of those */
	u32 next_loss;
	struct frames frames;
	u32 n_frames;         /* that InternedData has */
	struct hash mappings; /* path -> its number */
	bool has_sample;
};

/* ---- packets */

static size_t begin_packet_of(struct buf *b, u64 time, u32 sequence)
{
	size_t packet = pb_begin(b, TRACE_PACKET);

	if (time)
		pb_number(b, PACKET_TIMESTAMP, time);
	pb_number(b, PACKET_SEQUENCE, sequence);
	return packet;
}

static size_t begin_packet(struct buf *b, u64 time)
{
	return begin_packet_of(b, time, SEQUENCE);
}

/* ---- what is known at the start */

static const char *line_of_uname(const struct export_job *j, u32 line, size_t *len)
{
	const struct store_text *text = store_find_text(j->store, "uname");
	const char *s = text ? text->bytes : "";

	for (; line && *s; line--)
		s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n');
	*len = strcspn(s, "\n");
	return s;
}

static void put_system(struct buf *b, const struct export_job *j)
{
	static const u32 fields[] = { UTSNAME_SYSNAME, 0, UTSNAME_RELEASE, UTSNAME_VERSION,
				      UTSNAME_MACHINE };
	size_t packet = begin_packet(b, 0), info = pb_begin(b, PACKET_SYSTEM_INFO);
	size_t uname = pb_begin(b, INFO_UTSNAME), len;

	for (u32 i = 0; i < ARRAY_SIZE(fields); i++) {
		const char *line = line_of_uname(j, i, &len);

		if (fields[i])
			pb_bytes(b, fields[i], line, len);
	}
	pb_end(b, uname);
	pb_number(b, INFO_NUM_CPUS, j->tables->head.n_cpus);
	pb_end(b, info);
	pb_end(b, packet);
}

static void put_clock(struct buf *b, u32 id, u64 time)
{
	size_t clock = pb_begin(b, SNAPSHOT_CLOCKS);

	pb_number(b, CLOCK_ID, id);
	pb_number(b, CLOCK_TIMESTAMP, time);
	pb_end(b, clock);
}

static void put_snapshot(struct buf *b, u64 time, s64 to_real)
{
	size_t packet = begin_packet(b, time), snapshot = pb_begin(b, PACKET_CLOCK_SNAPSHOT);

	put_clock(b, CLOCK_ID_BOOTTIME, time);
	put_clock(b, CLOCK_ID_REALTIME, time + (u64)to_real);
	pb_end(b, snapshot);
	pb_end(b, packet);
}

static void put_clocks(struct buf *b, const struct store_tables *t)
{
	put_snapshot(b, t->head.start_ns, t->head.to_real);
	for (u32 i = 0; i < t->clocks.n; i++)
		put_snapshot(b, t->clocks.v[i].time, t->clocks.v[i].to_real);
}

/* ---- threads */

static void put_process(struct buf *b, u32 pid, u32 ppid, const char *name, size_t len)
{
	size_t process = pb_begin(b, TREE_PROCESSES);

	pb_number(b, PROCESS_PID, pid);
	if (ppid)
		pb_number(b, PROCESS_PPID, ppid);
	pb_bytes(b, PROCESS_CMDLINE, name, len);
	pb_end(b, process);
}

static void put_thread(struct buf *b, u32 tid, u32 pid, const char *name, size_t len)
{
	size_t thread = pb_begin(b, TREE_THREADS);

	pb_number(b, THREAD_TID, tid);
	pb_bytes(b, THREAD_NAME, name, len);
	pb_number(b, THREAD_TGID, pid);
	pb_end(b, thread);
}

/* New, or its number has been given to a thread of another process. */
static void see_thread(struct perfetto *p, u64 time, u32 tid, u32 pid, u32 ppid, const char *comm)
{
	struct thread *t = hash_get(&p->threads, &tid, sizeof tid);
	size_t len = strnlen(comm, COMM_SIZE);

	if (!tid || (t && t->pid == pid))
		return;
	if (!t) {
		t = arena_new(&p->arena, struct thread);
		t->tid = tid;
		hash_put(&p->threads, &t->tid, sizeof t->tid, t);
	}
	t->pid = pid;
	if (!p->tree.len)
		p->tree_time = time;
	if (tid == pid)
		put_process(&p->tree, pid, ppid, comm, len);
	put_thread(&p->tree, tid, pid, comm, len);
}

static void see_tasks(struct perfetto *p)
{
	const struct store_tables *t = p->j->tables;

	for (u32 i = 0; i < t->tasks.n; i++) {
		const struct task_row *r = &t->tasks.v[i];

		see_thread(p, t->head.start_ns, r->tid, r->pid, r->ppid, r->comm);
	}
}

static void put_tree(struct perfetto *p)
{
	struct buf *b = &p->out.buf;
	size_t packet;

	if (!p->tree.len)
		return;
	packet = begin_packet(b, p->tree_time);
	pb_message(b, PACKET_PROCESS_TREE, &p->tree);
	pb_end(b, packet);
}

/* ---- bundles */

static struct lane *lane_of(struct perfetto *p, u32 cpu)
{
	if (cpu >= p->n_lanes) {
		p->lanes = xrealloc(p->lanes, (cpu + 1) * sizeof *p->lanes);
		memset(p->lanes + p->n_lanes, 0, (cpu + 1 - p->n_lanes) * sizeof *p->lanes);
		p->n_lanes = cpu + 1;
	}
	return &p->lanes[cpu];
}

/* Whether events were lost, until then, that no bundle tells. */
static bool take_losses(struct perfetto *p, u64 until)
{
	const struct store_tables *t = p->j->tables;
	u32 before = p->next_loss;

	while (p->next_loss < t->losses.n && t->losses.v[p->next_loss].time <= until)
		p->next_loss++;
	return p->next_loss > before;
}

/* The packet has no tag and length yet: pb_message() adds them. */
static void begin_bundle(struct perfetto *p, struct lane *l, const struct trace_event *e)
{
	struct buf *b = &l->packet;

	pb_number(b, PACKET_SEQUENCE, SEQUENCE);
	l->bundle = pb_begin(b, PACKET_FTRACE_EVENTS);
	pb_number(b, BUNDLE_CPU, e->cpu);
	if (take_losses(p, e->time))
		pb_number(b, BUNDLE_LOST_EVENTS, true);
}

static void end_bundle(struct perfetto *p, struct lane *l)
{
	if (!l->packet.len)
		return;
	put_tree(p);
	pb_end(&l->packet, l->bundle);
	pb_message(&p->out.buf, TRACE_PACKET, &l->packet);
	out_room(&p->out);
}

/* ---- stacks */

static void put_string(struct buf *b, u32 field, u64 iid, const char *s)
{
	size_t string = pb_begin(b, field);

	pb_number(b, IID, iid);
	pb_bytes(b, STRING_BYTES, s, strlen(s));
	pb_end(b, string);
}

/* 0: not known. */
static u64 mapping_of(struct perfetto *p, struct buf *b, const char *path)
{
	uintptr_t known = (uintptr_t)hash_gets(&p->mappings, path);
	size_t mapping;

	if (known || !*path)
		return known;
	known = p->mappings.n + 1;
	hash_puts(&p->mappings, path, (void *)known);
	put_string(b, INTERNED_MAPPING_PATHS, known, path);
	mapping = pb_begin(b, INTERNED_MAPPINGS);
	pb_number(b, IID, known);
	pb_number(b, MAPPING_PATHS, known);
	pb_end(b, mapping);
	return known;
}

static void put_frame(struct perfetto *p, struct buf *b, const struct frame *f)
{
	u64 mapping = mapping_of(p, b, f->module);
	size_t frame;

	put_string(b, INTERNED_FUNCTION_NAMES, f->number, f->name);
	frame = pb_begin(b, INTERNED_FRAMES);
	pb_number(b, IID, f->number);
	pb_number(b, FRAME_FUNCTION, f->number);
	if (mapping) {
		pb_number(b, FRAME_MAPPING, mapping);
		pb_number(b, FRAME_REL_PC, f->start);
	}
	pb_end(b, frame);
}

/* The first sample of the stack: what no packet had before. */
static void put_stack(struct perfetto *p, struct buf *b, const struct framed_stack *s)
{
	size_t data = pb_begin(b, PACKET_INTERNED_DATA), stack;

	for (; p->n_frames < p->frames.frames.n; p->n_frames++)
		put_frame(p, b, p->frames.frames.v[p->n_frames]);
	stack = pb_begin(b, INTERNED_CALLSTACKS);
	pb_number(b, IID, s->number);
	for (u32 i = s->n; i-- > 0;)
		pb_number(b, CALLSTACK_FRAMES, s->frames[i]->number);
	pb_end(b, stack);
	pb_end(b, data);
}

static void put_sample(struct perfetto *p, const struct trace_event *e)
{
	struct framed_stack *s = frames_of(&p->frames, e);
	struct buf *b = &p->out.buf;
	size_t packet, sample;

	if (!s)
		return;
	packet = begin_packet_of(b, e->time, STACK_SEQUENCE);
	pb_number(b, PACKET_SEQUENCE_FLAGS,
		  p->has_sample ? NEEDS_STATE : NEEDS_STATE | STATE_CLEARED);
	p->has_sample = true;
	if (!s->count++)
		put_stack(p, b, s);
	sample = pb_begin(b, PACKET_PERF_SAMPLE);
	pb_number(b, SAMPLE_CPU, e->cpu);
	pb_number(b, SAMPLE_PID, e->pid);
	pb_number(b, SAMPLE_TID, e->tid);
	pb_number(b, SAMPLE_CALLSTACK, s->number);
	pb_end(b, sample);
	pb_end(b, packet);
	out_room(&p->out);
}

static void put_event(struct perfetto *p, const struct trace_event *e)
{
	struct lane *l = lane_of(p, e->cpu);
	struct buf *b = &l->packet;
	size_t event;

	see_thread(p, e->time, e->tid, e->pid, 0, e->comm);
	if (!b->len)
		begin_bundle(p, l, e);
	event = pb_begin(b, BUNDLE_EVENT);
	pb_number(b, EVENT_TIMESTAMP, e->time);
	pb_number(b, EVENT_PID, e->tid);
	perfetto_put(&p->events, b, e);
	pb_end(b, event);
	if (b->len >= BUNDLE_FULL)
		end_bundle(p, l);
	put_sample(p, e);
}

static void put_events(struct perfetto *p)
{
	struct trace_event e;

	while (!p->out.error && store_next(p->j->store, &e))
		put_event(p, &e);
	for (u32 i = 0; i < p->n_lanes; i++) {
		if (p->lanes[i].packet.len && take_losses(p, ~0ull))
			pb_number(&p->lanes[i].packet, BUNDLE_LOST_EVENTS, true);
		end_bundle(p, &p->lanes[i]);
		buf_release(&p->lanes[i].packet);
	}
}

static int run(const struct export_job *j, struct err *err)
{
	struct perfetto p = { .j = j };

	if (out_open(&p.out, j->path, err) < 0)
		return err->code;
	arena_init(&p.arena);
	frames_init(&p.frames, j->names, j->stack_names);
	perfetto_events_init(&p.events, &p.arena, j->tables);
	put_system(&p.out.buf, j);
	put_clocks(&p.out.buf, j->tables);
	see_tasks(&p);
	put_tree(&p);
	put_events(&p);
	free(p.lanes);
	buf_release(&p.tree);
	frames_release(&p.frames);
	hash_release(&p.mappings);
	hash_release(&p.threads);
	arena_release(&p.arena);
	return out_close(&p.out, j->path, err);
}

const struct exporter export_perfetto = {
	.name = "perfetto",
	.brief = "Perfetto's own format, for ui.perfetto.dev and trace_processor",
	.suffix = ".pftrace",
	.run = run
};
