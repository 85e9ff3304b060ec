/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Common Trace Format, version 1.8 (diamon.org/ctf/v1.8.3): a folder with a stream of packets
 * for each processor, and "metadata", which declares the events. Names are those of LTTng's kernel
 * tracer, by which Trace Compass knows events: syscall_entry_openat, prev_tid, irq_softirq_raise.
 *
 *	packet_head | event ... |
 *	event: u16 id, u64 time, s32 tid, s32 pid, u8 procname[16], stacks, the fields without padding
 *
 * A recording with stacks has those of the kernel and of the user, each a u32 number and u64
 * addresses: the contexts callstack-kernel and callstack-user of LTTng, which has no names of
 * functions either.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/hash.h"
#include "export/calls.h"
#include "export/ctf.h"
#include "export/export.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"

enum { PACKET_FULL = 256 << 10 };

static const u8 magic[] = { 0xc1, 0x1f, 0xfc, 0xc1 };

struct packet_head {
	u8 magic[4], uuid[16];
	u32 stream_id;
	u64 stream_instance;
	u64 begin, end, content_bits, packet_bits, number, discarded;
	u32 cpu;
} __attribute__((packed));

struct event_head {
	u16 id;
	u64 time;
	s32 tid, pid;
	char comm[COMM_SIZE];
} __attribute__((packed));

struct stream {
	struct out out;
	struct packet_head head;
	struct buf events;
	u64 raw_time; /* of the latest event of raw_syscalls, and its thread */
	u32 raw_tid;
	bool is_open;
};

struct ctf {
	const struct export_job *j;
	struct arena arena;
	u8 uuid[16];
	VEC(struct ctf_event) events;
	struct hash ids; /* struct event_key -> its number + 1 */
	struct stream *streams;
	u32 n_streams;
	struct hash forks; /* tid -> struct fork * */
	u32 n_forks;       /* of which processes are not known */
	struct err *err;
};

/* Which process a new thread belongs to is in its own events, not in that of the fork. */
struct fork {
	u32 tid, cpu; /* of the event; its stream */
	u64 at;       /* of the process, in the stream's file */
	bool is_known;
};

struct event_key {
	u32 format, call; /* number of a format; of a raw call, else ~0 */
};

/* ---- events */

/* The number of its declaration. */
static u32 id_of(struct ctf *c, const struct trace_event *e)
{
	struct call_event call = { 0 };
	bool is_call = call_of_event(e, &call);
	struct event_key key = { e->format->stored, is_call && call.is_raw ? call.number : ~0u },
			 *kept;
	uintptr_t known = (uintptr_t)hash_get(&c->ids, &key, sizeof key);

	if (known)
		return (u32)known - 1;
	kept = arena_dup(&c->arena, &key, sizeof key);
	struct ctf_event made = {
		.format = e->format,
		.name = ctf_event_name(&c->arena, e->format, is_call ? &call : NULL),
		.is_raw = is_call && call.is_raw,
		.leaves_id = is_call,
	};

	if (is_call)
		ctf_name_args(&c->arena, &made, &call);
	ctf_plan_members(&c->arena, &made);
	vec_push(&c->arena, &c->events, made);
	hash_put(&c->ids, kept, sizeof *kept, (void *)(uintptr_t)c->events.n);
	return c->events.n - 1;
}

/* ---- streams */

static struct stream *stream_of(struct ctf *c, u32 cpu)
{
	struct stream *s;

	if (cpu >= c->n_streams) {
		c->streams = xrealloc(c->streams, (cpu + 1) * sizeof *c->streams);
		memset(c->streams + c->n_streams, 0, (cpu + 1 - c->n_streams) * sizeof *c->streams);
		c->n_streams = cpu + 1;
	}
	s = &c->streams[cpu];
	if (s->is_open)
		return s;
	if (out_open(&s->out, arena_printf(&c->arena, "%s/channel0_%u", c->j->path, cpu), c->err) <
	    0)
		return NULL;
	s->is_open = true;
	s->head.cpu = cpu;
	s->head.stream_instance = cpu;
	memcpy(s->head.magic, magic, sizeof magic);
	memcpy(s->head.uuid, c->uuid, sizeof c->uuid);
	return s;
}

static void end_packet(struct stream *s)
{
	if (!s->events.len)
		return;
	s->head.content_bits = s->head.packet_bits = 8 * (sizeof s->head + s->events.len);
	out_add(&s->out, &s->head, sizeof s->head);
	out_add(&s->out, s->events.s, s->events.len);
	s->head.number++;
	buf_clear(&s->events);
}

/* Where the packet that is not written yet begins. */
static u64 packet_start(const struct stream *s)
{
	return s->out.offset + s->out.buf.len;
}

static void note_fork(struct ctf *c, const struct trace_event *e, u64 at)
{
	u32 tid = (u32)event_number(e, "child_pid");
	struct fork *f = hash_get(&c->forks, &tid, sizeof tid);

	if (!f) {
		f = arena_new(&c->arena, struct fork);
		f->tid = tid;
		f->is_known = true;
		hash_put(&c->forks, &f->tid, sizeof f->tid, f);
	}
	c->n_forks += f->is_known;
	f->cpu = e->cpu;
	f->at = at;
	f->is_known = false;
}

static void see_thread(struct ctf *c, const struct trace_event *e)
{
	struct fork *f = hash_get(&c->forks, &e->tid, sizeof e->tid);
	struct stream *s;

	if (!f || f->is_known)
		return;
	f->is_known = true;
	c->n_forks--;
	s = &c->streams[f->cpu];
	if (f->at < packet_start(s))
		out_patch(&s->out, f->at, &e->pid, sizeof e->pid);
	else
		memcpy(s->events.s + (f->at - packet_start(s) - sizeof s->head), &e->pid,
		       sizeof e->pid);
}

/* Without the reason why one of the user is not complete. */
static void put_stacks(struct ctf *c, struct buf *b, const struct event_stack stack[N_STACK_SIDES])
{
	for (u32 side = 0; c->j->tables->n_stacks && side < N_STACK_SIDES; side++) {
		u32 n = event_stack_frames(&stack[side]);

		buf_add(b, &n, sizeof n);
		buf_add(b, stack[side].ips, n * sizeof(u64));
	}
}

/* Of one call a recording may have the raw event and the call's own. */
static bool is_second(struct stream *s, const struct ctf_event *ev, const struct trace_event *e)
{
	bool is = ev->leaves_id && !ev->is_raw && s->raw_time == e->time && s->raw_tid == e->tid;

	if (ev->is_raw) {
		s->raw_time = e->time;
		s->raw_tid = e->tid;
	}
	return is;
}

static int put_event(struct ctf *c, const struct trace_event *e)
{
	struct stream *s = stream_of(c, e->cpu);
	struct event_head h = { .time = e->time, .tid = (s32)e->tid, .pid = (s32)e->pid };
	const char *comm;
	size_t child;
	u32 len;

	if (!s)
		return c->err->code;
	if (c->n_forks)
		see_thread(c, e);
	h.id = (u16)id_of(c, e);
	if (is_second(s, &c->events.v[h.id], e))
		return 0;
	comm = event_comm(e, &len);
	memcpy(h.comm, comm, len);
	if (!s->events.len)
		s->head.begin = e->time;
	s->head.end = e->time;
	buf_add(&s->events, &h, sizeof h);
	put_stacks(c, &s->events, e->stack);
	child = ctf_put_fields(&s->events, &c->events.v[h.id], e);
	if (child)
		note_fork(c, e, packet_start(s) + sizeof s->head + child);
	if (s->events.len >= PACKET_FULL)
		end_packet(s);
	return s->out.error;
}

/* ---- threads at the start: LTTng's statedump, in the first packet */

static void declare(struct ctf *c, const char *name, const char *declarations)
{
	vec_push(&c->arena, &c->events,
		 (struct ctf_event){ .name = name, .declarations = declarations });
}

static struct stream *begin_state(struct ctf *c, u16 id)
{
	const struct file_head *h = &c->j->tables->head;
	struct event_head head = { .id = id, .time = MIN(h->start_ns, c->j->tables->t0) };
	static const struct event_stack none[N_STACK_SIDES];
	struct stream *s = stream_of(c, 0);

	if (!s)
		return NULL;
	if (!s->events.len)
		s->head.begin = head.time;
	s->head.end = head.time;
	head.tid = head.pid = (s32)h->recorder_pid;
	memcpy(head.comm, "sonde", 5);
	buf_add(&s->events, &head, sizeof head);
	put_stacks(c, &s->events, none);
	return s;
}

static void put_states(struct ctf *c)
{
	enum { STATE, START, END };
	const struct store_tables *t = c->j->tables;
	struct stream *s = NULL;

	if (!t->tasks.n)
		return;
	declare(c, "lttng_statedump_process_state", ctf_state_declarations);
	declare(c, "lttng_statedump_start", "");
	declare(c, "lttng_statedump_end", "");
	begin_state(c, START);
	for (u32 i = 0; i < t->tasks.n; i++) {
		s = begin_state(c, STATE);
		if (s)
			ctf_put_state(&s->events, &t->tasks.v[i]);
	}
	begin_state(c, END);
}

/* The number of lost events is in the last packet of one stream: which processor lost them is not
 * known. */
static void end_streams(struct ctf *c)
{
	u64 lost = 0;

	for (u32 i = 0; i < c->j->tables->losses.n; i++)
		lost += c->j->tables->losses.v[i].count;
	for (u32 i = 0; i < c->n_streams; i++) {
		struct stream *s = &c->streams[i];

		if (!s->is_open)
			continue;
		s->head.discarded = lost;
		lost = 0;
		end_packet(s);
		out_close(&s->out, c->j->path, c->err);
		buf_release(&s->events);
	}
	free(c->streams);
}

static int put_metadata(struct ctf *c)
{
	const char *path = arena_printf(&c->arena, "%s/metadata", c->j->path);
	struct out o;

	if (out_open(&o, path, c->err) < 0)
		return c->err->code;
	ctf_put_metadata(&o.buf, c->j, c->uuid, c->events.v, c->events.n);
	return out_close(&o, path, c->err);
}

/* One for each recording. */
static void make_uuid(struct ctf *c)
{
	const struct file_head *h = &c->j->tables->head;

	memcpy(c->uuid, h->boot_id, sizeof c->uuid);
	for (u32 i = 0; i < sizeof h->start_ns; i++)
		c->uuid[i] ^= (u8)(h->start_ns >> 8 * i);
}

static int run(const struct export_job *j, struct err *err)
{
	struct ctf c = { .j = j, .err = err };
	struct trace_event e;

	if (mkdir(j->path, 0700) < 0)
		return err_sys(err, "create the folder %s", j->path);
	arena_init(&c.arena);
	make_uuid(&c);
	number_formats(j->tables);
	put_states(&c);
	while (!err->code && store_next(j->store, &e) && put_event(&c, &e) == 0)
		;
	end_streams(&c);
	if (!err->code)
		put_metadata(&c);
	hash_release(&c.ids);
	hash_release(&c.forks);
	arena_release(&c.arena);
	return err->code;
}

const struct exporter export_ctf = {
	.name = "ctf",
	.brief = "a folder in CTF 1.8 with LTTng's names, for babeltrace2 and Trace Compass",
	.suffix = ".ctf",
	.run = run
};
