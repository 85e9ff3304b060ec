/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, version 2, as Linux's tools/perf/Documentation/perf.data-file-format.txt describes it;
 * the event formats are in the feature TRACING_DATA (util/trace-event-info.c).
 *
 *	header | attrs | ids | records | feature sections
 *
 * A thread's name is a COMM record before its first sample and when it changes. The records are
 * sorted; FINISHED_ROUND now and then lets perf forget what it has shown.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <stdlib.h>
#include <time.h>
#include "base/buf.h"
#include "base/hash.h"
#include "export/export.h"
#include "trace/event_line.h"
#include "trace/event_stack.h"

enum {
	SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		      PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
	ATTR_SIZE = PERF_ATTR_SIZE_VER5, /* of Linux 4.1: every perf reads it */
	FINISHED_ROUND = 68,             /* PERF_RECORD_FINISHED_ROUND of tools/perf */
	ROUND = 10000,
};

struct section {
	u64 offset, size;
};

struct perf_header { /* struct perf_file_header of tools/perf */
	char magic[8];
	u64 size, attr_size;
	struct section attrs, data, event_types;
	u64 features[4];
};

/* Numbers of features (HEADER_* in util/header.h). */
enum {
	TRACING_DATA = 1,
	HOSTNAME = 3,
	OSRELEASE = 4,
	ARCH = 6,
	NRCPUS = 7,
	SAMPLE_TIME = 21,
	CLOCK_DATA = 29,
	N_FEATURES = 7
};

/* CLOCK_DATA: what perf script -F tod needs. */
struct clock_data {
	u32 version, clock;
	u64 wall_ns, clock_ns;
};

struct sample_id { /* the end of every record, by SAMPLE_TYPE */
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 id;
};

struct sample {
	struct perf_event_header head;
	u64 id, ip;
	u32 pid, tid;
	u64 time;
	u32 cpu, reserved;
	u64 period;
};

struct comm_record {
	struct perf_event_header head;
	u32 pid, tid;
	char comm[COMM_SIZE];
	struct sample_id id;
};

struct mmap_record {
	struct perf_event_header head;
	u32 pid, tid;
	u64 start, len, offset;
	char name[24];
	struct sample_id id;
};

/* PERF_RECORD_MMAP2 up to the name, which is filled up to a multiple of 8; then struct
 * sample_id. */
struct mmap2_record {
	struct perf_event_header head;
	u32 pid, tid;
	u64 start, len, offset;
	union {
		struct {
			u32 major, minor;
			u64 inode, generation;
		} file;
		struct { /* PERF_RECORD_MISC_MMAP_BUILD_ID */
			u8 len, reserved[3], bytes[20];
		} build;
	} of;
	u32 prot, flags;
};

struct fork_record {
	struct perf_event_header head;
	u32 pid, parent, tid, parent_tid;
	u64 time;
	struct sample_id id;
};

struct lost_record {
	struct perf_event_header head;
	u64 id, lost;
	struct sample_id sample;
};

struct perf {
	const struct export_job *j;
	struct out out;
	struct hash comms; /* tid -> struct known * */
	struct arena arena;
	VEC(struct section) features;
	bool has_stacks;
	u32 next_mapping;
	u64 times
		[2]; /* of the first and the last sample: perf script --time takes percentages of them */
	u64 has_features;
};

struct known { /* a thread's name */
	u32 tid;
	char comm[COMM_SIZE];
};

static u64 position(const struct perf *p)
{
	return p->out.offset + p->out.buf.len;
}

static void add(struct perf *p, const void *bytes, size_t len)
{
	out_add(&p->out, bytes, len);
}

/* ---- attrs */

static void add_attr(struct perf *p, const struct event_format *f, u64 ids)
{
	u8 bytes[ATTR_SIZE] = { 0 };
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = ATTR_SIZE,
					.config = f->id,
					.sample_period = 1,
					.sample_type = SAMPLE_TYPE |
						       (p->has_stacks ? PERF_SAMPLE_CALLCHAIN : 0),
					.sample_id_all = 1,
					.mmap = p->has_stacks,
					.mmap2 = p->has_stacks,
					.task = p->has_stacks,
					.comm = 1 };
	struct section at = { ids, sizeof(u64) };

	memcpy(bytes, &attr, MIN(sizeof attr, sizeof bytes));
	add(p, bytes, sizeof bytes);
	add(p, &at, sizeof at);
}

/* The id of a format's events is its number from 1. */
static u64 id_of(const struct perf *p, const struct event_format *f)
{
	return f->stored;
}

static struct section add_attrs(struct perf *p)
{
	const struct store_tables *t = p->j->tables;
	struct section at = { position(p),
			      (u64)t->formats.n * (ATTR_SIZE + sizeof(struct section)) };

	number_formats(t);
	for (u32 i = 0; i < t->formats.n; i++)
		add_attr(p, t->formats.v[i], at.offset + at.size + i * sizeof(u64));
	for (u64 i = 1; i <= t->formats.n; i++)
		add(p, &i, sizeof i);
	return at;
}

/* ---- records */

static struct sample_id sample_id(const struct trace_event *e, u64 id)
{
	return (struct sample_id){
		.pid = e->pid, .tid = e->tid, .time = e->time, .cpu = e->cpu, .id = id
	};
}

/* The kernel's code: perf finds the names of functions by it, if it runs on the same kernel. */
static void add_kernel(struct perf *p)
{
	struct mmap_record r = { .head = { PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, sizeof r },
				 .pid = ~0u,
				 .start = p->j->kernel_text,
				 .len = -p->j->kernel_text - 1,
				 .offset = p->j->kernel_text,
				 .name = "[kernel.kallsyms]_text",
				 .id = { .pid = ~0u, .id = 1 } };

	if (p->j->kernel_text)
		add(p, &r, sizeof r);
}

static void add_comm(struct perf *p, const struct trace_event *e, u64 id)
{
	u32 len;
	const char *name = event_comm(e, &len);
	struct comm_record r = { .head = { PERF_RECORD_COMM, 0, sizeof r },
				 .pid = e->pid,
				 .tid = e->tid,
				 .id = sample_id(e, id) };
	struct known *known = hash_get(&p->comms, &e->tid, sizeof e->tid);

	memcpy(r.comm, name, MIN(len, COMM_SIZE - 1u));
	if (known && !memcmp(known->comm, r.comm, sizeof r.comm))
		return;
	if (!known) {
		known = arena_new(&p->arena, struct known);
		known->tid = e->tid;
		hash_put(&p->comms, &known->tid, sizeof known->tid, known);
	}
	memcpy(known->comm, r.comm, sizeof r.comm);
	add(p, &r, sizeof r);
}

/* ---- code that processes map, before the events that are later */

static void add_mapping(struct perf *p, const struct store_mapping *m, struct sample_id id)
{
	static const char zero[8];
	const struct mapping_row *row = &m->row;
	u32 path = (u32)strlen(m->path), room = ALIGN_UP(path + 1, 8u);
	struct mmap2_record r = { .head = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
					    (u16)(sizeof r + room + sizeof id) },
				  .pid = row->pid,
				  .tid = row->pid,
				  .start = row->start,
				  .len = row->end - row->start,
				  .offset = row->offset,
				  .of.file = { row->dev_major, row->dev_minor, row->inode, 0 },
				  .prot = PROT_READ | PROT_EXEC,
				  .flags = MAP_PRIVATE };

	if (path > 4096)
		return;
	if (row->build_id_len) {
		r.head.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memset(&r.of, 0, sizeof r.of);
		r.of.build.len = row->build_id_len;
		memcpy(r.of.build.bytes, row->build_id, sizeof r.of.build.bytes);
	}
	add(p, &r, sizeof r);
	add(p, m->path, path);
	add(p, zero, room - path);
	add(p, &id, sizeof id);
}

static void add_fork(struct perf *p, const struct mapping_row *row, struct sample_id id)
{
	struct fork_record r = { .head = { PERF_RECORD_FORK, 0, sizeof r },
				 .pid = row->pid,
				 .parent = row->parent,
				 .tid = row->pid,
				 .parent_tid = row->parent,
				 .time = id.time,
				 .id = id };

	add(p, &r, sizeof r);
}

/* What another program maps replaces what lies there: perf keeps the rest, so MAPPING_CLEARED needs
 * no record. */
static void add_mappings(struct perf *p, u64 until)
{
	const struct store_tables *t = p->j->tables;

	for (; p->next_mapping < t->mappings.n; p->next_mapping++) {
		const struct store_mapping *m = &t->mappings.v[p->next_mapping];
		struct sample_id id = { .pid = m->row.pid,
					.tid = m->row.pid,
					.time = MAX(m->row.time, t->head.start_ns),
					.id = 1 };

		if (m->row.time > until)
			return;
		if (m->row.kind == MAPPING_ADDED)
			add_mapping(p, m, id);
		else if (m->row.kind == MAPPING_FORKED)
			add_fork(p, &m->row, id);
	}
}

/* ---- samples */

/* Addresses after a word that identifies their side (PERF_CONTEXT_*). User stacks without the
 * reason why they are not complete. */
static u32 put_chain(const struct trace_event *e, u64 *to)
{
	static const u64 contexts[] = { PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER };
	u32 n = 1;

	for (u32 side = 0; side < N_STACK_SIDES; side++) {
		const struct event_stack *s = &e->stack[side];
		u32 frames = event_stack_frames(s);

		if (!frames)
			continue;
		to[n++] = contexts[side];
		memcpy(to + n, s->ips, frames * sizeof *to);
		n += frames;
	}
	to[0] = n - 1;
	return n;
}

/* The raw bytes and their length together are a multiple of 8. */
static void add_sample(struct perf *p, const struct trace_event *e, u64 id)
{
	static const u8 zero[8];
	u32 raw = ALIGN_UP(e->len + 4, 8u) - 4;
	struct sample s = { .head = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL,
				      (u16)(sizeof s + 4 + raw) },
			    .id = id,
			    .pid = e->pid,
			    .tid = e->tid,
			    .time = e->time,
			    .cpu = e->cpu,
			    .period = 1 };
	u64 chain[2 * (FRAMES_MOST + 1) + 1];
	u32 n = p->has_stacks ? put_chain(e, chain) : 0;

	if (sizeof s + n * sizeof *chain + 4 + raw > UINT16_MAX)
		return;
	s.head.size = (u16)(s.head.size + n * sizeof *chain);
	if (n > 2) {
		s.ip = chain[2];
		if (chain[1] == PERF_CONTEXT_USER)
			s.head.misc = PERF_RECORD_MISC_USER;
	}
	add(p, &s, sizeof s);
	add(p, chain, n * sizeof *chain);
	add(p, &raw, sizeof raw);
	add(p, e->record, e->len);
	add(p, zero, raw - e->len);
}

static void add_losses(struct perf *p, const struct trace_event *last)
{
	const struct store_tables *t = p->j->tables;

	for (u32 i = 0; i < t->losses.n && last->format; i++) {
		u64 id = id_of(p, last->format);
		struct lost_record r = { .head = { PERF_RECORD_LOST, 0, sizeof r },
					 .id = id,
					 .lost = t->losses.v[i].count,
					 .sample = sample_id(last, id) };

		add(p, &r, sizeof r);
	}
}

static struct section add_records(struct perf *p)
{
	static const struct perf_event_header round = { FINISHED_ROUND, 0, sizeof round };
	struct section at = { .offset = position(p) };
	struct trace_event e = { 0 };

	add_kernel(p);
	for (u64 n = 1; !p->out.error && store_next(p->j->store, &e); n++) {
		u64 id = id_of(p, e.format);

		p->times[0] = n == 1 ? e.time : p->times[0];
		p->times[1] = e.time;
		add_mappings(p, e.time);
		add_comm(p, &e, id);
		add_sample(p, &e, id);
		if (n % ROUND == 0)
			add(p, &round, sizeof round);
	}
	add_losses(p, &e);
	at.size = position(p) - at.offset;
	return at;
}

/* ---- features */

static void add_tracing_data(struct perf *p)
{
	/* names of threads are in records */
	tracing_data_put(&p->out.buf, p->j, "0.6", p->j->tables->head.page_size, NULL);
	out_room(&p->out);
}

/* Line i of "uname": u32 length with padding, and the text. */
static void add_uname(struct perf *p, u32 line)
{
	const struct store_text *text = store_find_text(p->j->store, "uname");
	const char *s = text ? text->bytes : "";
	char bytes[64] = { 0 };
	u32 len = sizeof bytes;

	for (; line && *s; line--)
		s += strcspn(s, "\n") + 1;
	memcpy(bytes, s, MIN(strcspn(s, "\n"), sizeof bytes - 1));
	add(p, &len, sizeof len);
	add(p, bytes, sizeof bytes);
}

static void add_cpus(struct perf *p)
{
	u32 cpus[2] = { p->j->tables->head.n_cpus, p->j->tables->head.n_cpus };

	add(p, cpus, sizeof cpus);
}

static void add_clock(struct perf *p)
{
	const struct file_head *h = &p->j->tables->head;
	struct clock_data d = { 1, CLOCK_BOOTTIME, h->start_ns + (u64)h->to_real, h->start_ns };

	add(p, &d, sizeof d);
}

static void begin_feature(struct perf *p, u32 number)
{
	struct section *s;

	if (p->features.n) {
		s = vec_last(&p->features);
		s->size = position(p) - s->offset;
	}
	vec_push(&p->arena, &p->features, (struct section){ .offset = position(p) });
	p->has_features |= 1ull << number;
}

/* In the order of their numbers, their sections before them. */
static void add_features(struct perf *p)
{
	static const struct section empty[N_FEATURES + 1];
	u64 table = position(p);

	add(p, empty, N_FEATURES * sizeof *empty);
	begin_feature(p, TRACING_DATA);
	add_tracing_data(p);
	begin_feature(p, HOSTNAME);
	add_uname(p, 1);
	begin_feature(p, OSRELEASE);
	add_uname(p, 2);
	begin_feature(p, ARCH);
	add_uname(p, 4);
	begin_feature(p, NRCPUS);
	add_cpus(p);
	begin_feature(p, SAMPLE_TIME);
	add(p, p->times, sizeof p->times);
	begin_feature(p, CLOCK_DATA);
	add_clock(p);
	begin_feature(p, 0); /* the end of the last one */
	p->has_features &= ~1ull;
	out_patch(&p->out, table, p->features.v, N_FEATURES * sizeof *empty);
}

static int run(const struct export_job *j, struct err *err)
{
	struct perf p = { .j = j };
	struct perf_header h = { .size = sizeof h,
				 .attr_size = ATTR_SIZE + sizeof(struct section) };

	if (out_open(&p.out, j->path, err) < 0)
		return err->code;
	arena_init(&p.arena);
	p.has_stacks = j->tables->n_stacks;
	memcpy(h.magic, "PERFILE2", sizeof h.magic);
	add(&p, &h, sizeof h);
	h.attrs = add_attrs(&p);
	h.data = add_records(&p);
	add_features(&p);
	h.features[0] = p.has_features;
	out_patch(&p.out, 0, &h, sizeof h);
	hash_release(&p.comms);
	arena_release(&p.arena);
	return out_close(&p.out, j->path, err);
}

const struct exporter export_perf = { .name = "perf",
				      .brief = "perf.data, for perf script and perf report",
				      .suffix = ".perf.data",
				      .run = run };
