/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's trace: protocol buffers (protos/perfetto/trace/trace_packet.proto of github.com/google/perfetto).
 *
 *	Trace: TracePacket ...
 *	TracePacket: FtraceEventBundle of a processor | ProcessTree | ClockSnapshot | SystemInfo
 *	FtraceEventBundle: cpu, FtraceEvent ...
 *	FtraceEvent: time, thread, and what perfetto_events.c makes of the record
 *
 * A thread is in a ProcessTree before the first bundle that has an event of it.
 */
#include <stdlib.h>
#include "base/hash.h"
#include "base/protobuf.h"
#include "export/export.h"
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
	PACKET_SYSTEM_INFO = 45,
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
};

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_BOOTTIME = 6, SEQUENCE = 1, BUNDLE_FULL = 64 << 10 };

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
};

/* ---- packets */

static size_t begin_packet(struct buf *b, u64 time)
{
	size_t packet = pb_begin(b, TRACE_PACKET);

	if (time)
		pb_number(b, PACKET_TIMESTAMP, time);
	pb_number(b, PACKET_SEQUENCE, SEQUENCE);
	return packet;
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
	perfetto_events_init(&p.events, &p.arena, j->tables);
	put_system(&p.out.buf, j);
	put_clocks(&p.out.buf, j->tables);
	see_tasks(&p);
	put_tree(&p);
	put_events(&p);
	free(p.lanes);
	buf_release(&p.tree);
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
