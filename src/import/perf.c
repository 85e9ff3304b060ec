/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, version 2, as a file or as perf writes it to a pipe
 * (tools/perf/Documentation/perf.data-file-format.txt of Linux, include/uapi/linux/perf_event.h):
 * samples, with the names that their threads had then. Those of events that are not tracepoints
 * become events of the group "perf" (perf_formats.h).
 *
 * Records of one processor are in order, others are not. FINISHED_ROUND says that what is older
 * than the latest time of the round before is complete: then it is sorted and given, as perf's
 * ordered-events.c does.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include "base/hash.h"
#include "import/import.h"
#include "import/perf_formats.h"
#include "import/perf_records.h"
#include "import/perf_stacks.h"
#include "import/perf_zstd.h"
#include "import/tracing_data.h"

enum {
	/* Formats of events that are not tracepoints have numbers from here on, which tracepoints
	 * do not reach. */
	FIRST_FORMAT = 0xff00,
	MOST_FORMATS = 0xff,
};

struct attr {
	u64 sample_type, read_format, branch_type, user_regs,
		period;    /* period: of all samples, or 0 */
	u32 type, skipped; /* skipped: samples whose format is not known */
	u64 config;
	u32 format;   /* its number if it is not a tracepoint; 0: a tracepoint's, or none */
	bool has_ids; /* records other than samples end with an id, too */
};

struct queued {
	u64 time, number; /* number: of the record in the file */
	const u8 *at;
};

struct thread {
	u32 tid;
	char comm[COMM_SIZE];
};

struct input {
	struct importing *to;
	const u8 *bytes;
	size_t len;
	struct arena arena;
	struct perf_stacks *stacks;
	VEC(struct attr) attrs;
	struct hash ids;     /* u64 -> index of its attr + 1 */
	struct hash threads; /* tid -> struct thread * */
	struct queued *queue;
	size_t n_queue, room;
	u64 n_records, latest, complete; /* latest time; what is complete at the next round */
	struct file_head head;
	struct cursor features[N_FEATURES];
};

/* ---- what is known of the machine */

/* u32 length with padding, text */
static const char *text_of(struct input *in, u32 feature)
{
	struct cursor c = in->features[feature];
	u32 len = take_u32(&c);
	const u8 *at = take_bytes(&c, MIN(len, 256u));

	return at ? arena_strndup(&in->arena, (const char *)at,
				  strnlen((const char *)at, MIN(len, 256u))) :
		    "";
}

static void put_uname(struct input *in)
{
	char *text = arena_printf(&in->arena, "Linux\n%s\n%s\n\n%s\n",
				  text_of(in, FEATURE_HOSTNAME), text_of(in, FEATURE_OSRELEASE),
				  text_of(in, FEATURE_ARCH));

	store_text(in->to->writer, "uname", text, strlen(text));
}

static void read_clock(struct input *in)
{
	struct cursor c = in->features[FEATURE_CLOCK_DATA],
		      first = in->features[FEATURE_SAMPLE_TIME];
	u64 wall, clock;

	take_u32(&c); /* version */
	take_u32(&c); /* which clock */
	wall = take_u64(&c);
	clock = take_u64(&c);
	if (!c.failed)
		in->head.to_real = (s64)(wall - clock);
	in->head.start_ns = take_u64(&first);
}

static bool has_tracepoints(const struct input *in)
{
	for (u32 i = 0; i < in->attrs.n; i++)
		if (in->attrs.v[i].type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* perf's names of its events, in the order of their attrs: u32 n, size, then
 * { attr, u32 n_ids, u32 length, text, u64 ids[] }. */
static void read_names(struct input *in, const char **name, u32 n_names)
{
	struct cursor c = in->features[FEATURE_EVENT_DESC];
	u32 n = take_u32(&c), size = take_u32(&c);

	for (u32 i = 0; i < n && i < n_names && !c.failed; i++) {
		u32 n_ids, len;
		const u8 *at;

		take_bytes(&c, size);
		n_ids = take_u32(&c);
		len = take_u32(&c);
		at = take_bytes(&c, len);
		take_bytes(&c, (u64)n_ids * sizeof(u64));
		if (!c.failed)
			name[i] = arena_strndup(&in->arena, (const char *)at,
						strnlen((const char *)at, MIN(len, 128u)));
	}
}

static void add_formats(struct input *in)
{
	const char **name = arena_array(&in->arena, const char *, in->attrs.n + 1);
	u32 n = 0;

	read_names(in, name, in->attrs.n);
	for (u32 i = 0; i < in->attrs.n && n < MOST_FORMATS; i++) {
		struct attr *a = &in->attrs.v[i];

		if (a->type != PERF_TYPE_TRACEPOINT &&
		    perf_formats_add(in->to, FIRST_FORMAT + n, a->type, a->config, name[i]))
			a->format = FIRST_FORMAT + n++;
	}
}

/* Whether samples have what user stacks are unwound from. */
static bool has_stacks(const struct input *in)
{
	for (u32 i = 0; i < in->attrs.n; i++)
		if (in->attrs.v[i].sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

/* A pipe does not say. */
static bool is_same(struct input *in, u32 feature, const char *here)
{
	const char *there = text_of(in, feature);

	return !*there || streq(there, here);
}

static void begin(struct input *in, struct cursor tracing)
{
	struct tracing_data t;
	struct cursor cpus = in->features[FEATURE_NRCPUS], symbols = { 0 };
	struct utsname here;

	if (in->to->writer)
		return;
	if (!tracing_data_read_head(&tracing, &t)) {
		if (has_tracepoints(in) || !in->attrs.n)
			import_damage(in->to, "it does not describe its tracepoints, or was cut");
		t.page_size = 4096;
	}
	in->head.page_size = t.page_size;
	in->head.n_cpus = take_u32(&cpus);
	for (u32 i = 0; i < in->attrs.n; i++)
		if (in->attrs.v[i].sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER) ||
		    in->attrs.v[i].type != PERF_TYPE_TRACEPOINT)
			in->head.version = STORE_VERSION;
	read_clock(in);
	import_begin(in->to, &in->head);
	put_uname(in);
	if (!tracing.failed && !tracing_data_read(in->to, &tracing, &symbols))
		import_damage(in->to, "the descriptions of tracepoints end too early");
	perf_stacks_symbols_text(in->stacks, symbols.at, cursor_left(&symbols));
	add_formats(in);
	uname(&here);
	perf_stacks_begin(in->stacks, is_same(in, FEATURE_OSRELEASE, here.release),
			  has_stacks(in) && is_same(in, FEATURE_ARCH, here.machine));
}

/* ---- attrs and ids */

static void add_attr(struct input *in, struct cursor attr, struct cursor ids)
{
	struct perf_event_attr a = { 0 };
	size_t len = MIN(cursor_left(&attr), sizeof a);

	memcpy(&a, attr.at, len);
	vec_push(&in->arena, &in->attrs,
		 (struct attr){ .sample_type = a.sample_type,
				.read_format = a.read_format,
				.branch_type = a.branch_sample_type,
				.user_regs = a.sample_regs_user,
				.period = a.freq ? 0 : a.sample_period,
				.type = a.type,
				.config = a.config,
				.has_ids = a.sample_id_all });
	while (cursor_left(&ids) >= sizeof(u64)) {
		u64 *id = arena_new(&in->arena, u64);

		*id = take_u64(&ids);
		hash_put(&in->ids, id, sizeof *id, (void *)(uintptr_t)in->attrs.n);
	}
}

/* The first one if ids are not in samples: then all of them have the same layout. */
static struct attr *attr_of(struct input *in, u64 id)
{
	uintptr_t i = (uintptr_t)hash_get(&in->ids, &id, sizeof id);

	if (!in->attrs.n)
		return NULL;
	return &in->attrs.v[i ? i - 1 : 0];
}

static bool have_identifier(const struct input *in)
{
	return in->attrs.n && in->attrs.v[0].sample_type & PERF_SAMPLE_IDENTIFIER;
}

/* ---- samples */

struct sample {
	u64 id, time;
	u32 pid, tid, cpu;
	u64 ip, addr, period;
	const u8 *raw;
	u32 raw_len;
	struct cursor chain;
	struct unwind_sample user;
};

static void pass_read(struct cursor *c, u64 format)
{
	u64 each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1 << 4) /* PERF_FORMAT_LOST */);
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 n = format & PERF_FORMAT_GROUP ? take_u64(c) : 1;

	take_bytes(c, n > cursor_left(c) ? n : (times + n * each) * sizeof(u64));
}

static struct cursor take_chain(struct cursor *c)
{
	u64 n = take_u64(c), len = n > cursor_left(c) ? n : n * sizeof(u64);

	return cursor_of(take_bytes(c, len), c->failed ? 0 : len);
}

/* u64 n; u64 index of the hardware; n entries of 24 bytes; counters of each */
static void pass_branches(struct cursor *c, u64 type)
{
	enum { HW_INDEX = 1 << 17, COUNTERS = 1 << 19, ENTRY = 24 }; /* PERF_SAMPLE_BRANCH_* */
	u64 n = take_u64(c);

	if (type & HW_INDEX)
		take_u64(c);
	n = MIN(n, cursor_left(c));
	take_bytes(c, n * (ENTRY + (type & COUNTERS ? sizeof(u64) : 0)));
}

/* u64 ABI; unless it is 0, u64 for each bit of the mask */
static void take_registers(struct cursor *c, u64 mask, struct unwind_sample *u)
{
	u->abi = take_u64(c);
	u->mask = mask;
	u->regs = u->abi ? take_bytes(c, (u64)__builtin_popcountll(mask) * sizeof(u64)) : NULL;
}

/* u64 size, the bytes; unless it is 0, u64 how many of them are valid */
static void take_stack(struct cursor *c, struct unwind_sample *u)
{
	u64 size = take_u64(c), valid;

	u->stack = take_bytes(c, size);
	valid = size ? take_u64(c) : 0;
	u->stack_len = MIN(valid, size);
}

static bool read_sample(const struct attr *a, struct cursor c, struct sample *s)
{
	u64 type = a->sample_type;

	*s = (struct sample){ 0 };
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = take_u64(&c);
	s->ip = type & PERF_SAMPLE_IP ? take_u64(&c) : 0;
	if (type & PERF_SAMPLE_TID) {
		s->pid = take_u32(&c);
		s->tid = take_u32(&c);
	}
	s->time = type & PERF_SAMPLE_TIME ? take_u64(&c) : 0;
	s->addr = type & PERF_SAMPLE_ADDR ? take_u64(&c) : 0;
	if (type & PERF_SAMPLE_ID)
		s->id = take_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_u64(&c);
	s->cpu = type & PERF_SAMPLE_CPU ? (u32)take_u64(&c) : 0;
	s->period = type & PERF_SAMPLE_PERIOD ? take_u64(&c) : a->period;
	if (type & PERF_SAMPLE_READ)
		pass_read(&c, a->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		s->chain = take_chain(&c);
	s->raw_len = type & PERF_SAMPLE_RAW ? take_u32(&c) : 0;
	s->raw = take_bytes(&c, s->raw_len);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		pass_branches(&c, a->branch_type);
	if (type & PERF_SAMPLE_REGS_USER)
		take_registers(&c, a->user_regs, &s->user);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&c, &s->user);
	return !c.failed;
}

/* ---- names of threads */

static struct thread *thread_of(struct input *in, u32 tid)
{
	struct thread *t = hash_get(&in->threads, &tid, sizeof tid);

	if (t)
		return t;
	t = arena_new(&in->arena, struct thread);
	t->tid = tid;
	snprintf(t->comm, sizeof t->comm, ":%u", tid); /* as perf calls one without a name */
	hash_put(&in->threads, &t->tid, sizeof t->tid, t);
	return t;
}

static void see_comm(struct input *in, struct cursor c)
{
	struct thread *t;
	u32 tid;

	take_u32(&c);
	tid = take_u32(&c);
	if (c.failed)
		return;
	t = thread_of(in, tid);
	memset(t->comm, 0, sizeof t->comm);
	memcpy(t->comm, c.at, strnlen((const char *)c.at, MIN(cursor_left(&c), sizeof t->comm)));
}

static void see_fork(struct input *in, struct cursor c)
{
	u32 tid, parent;

	take_u64(&c); /* processes */
	tid = take_u32(&c);
	parent = take_u32(&c);
	if (!c.failed)
		memcpy(thread_of(in, tid)->comm, thread_of(in, parent)->comm, COMM_SIZE);
}

/* ---- records in the order of time */

static void name_members(struct input *in, const struct sample *s)
{
	const struct import_format *f;
	u16 type;

	if (s->raw_len < sizeof(struct common_fields))
		return;
	memcpy(&type, s->raw, sizeof type);
	f = import_find_format(in->to, type);
	if (f)
		perf_stacks_name_members(in->stacks, f->format, s->raw, s->raw_len);
}

/* The record of a tracepoint is in the sample. */
static bool give_record(struct input *in, const struct attr *a, const struct sample *s,
			const struct store_event *e)
{
	struct perf_sample_record r = { .type = (u16)a->format,
					.tid = (s32)s->tid,
					.ip = s->ip,
					.addr = s->addr,
					.period = s->period };

	if (a->format)
		return import_event(in->to, e, &r, sizeof r);
	if (!s->raw || !s->raw_len)
		return false;
	name_members(in, s);
	return import_event(in->to, e, s->raw, s->raw_len);
}

/* cpu_mode: of the sample's header. */
static void give_sample(struct input *in, struct cursor c, u16 cpu_mode)
{
	struct cursor id = c;
	struct attr *a = attr_of(in, have_identifier(in) ? take_u64(&id) : 0);
	struct sample s;
	struct store_event e;

	if (!a || !read_sample(a, c, &s)) {
		import_damage(in->to, "a sample is shorter than its fields");
		return;
	}
	a = attr_of(in, s.id); /* in the sample itself, if all have the same layout */
	e = (struct store_event){ .time = s.time,
				  .cpu = s.cpu,
				  .pid = s.pid,
				  .tid = s.tid,
				  .comm = thread_of(in, s.tid)->comm };
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN || !a->format)
		e.stacks = perf_stacks_of(in->stacks, s.chain, &s.user, s.pid);
	else if (cpu_mode == PERF_RECORD_MISC_KERNEL || cpu_mode == PERF_RECORD_MISC_USER)
		e.stacks = perf_stacks_one(in->stacks, s.ip, cpu_mode == PERF_RECORD_MISC_USER);
	a->skipped += !give_record(in, a, &s, &e);
}

static void give_lost(struct input *in, u64 time, u64 count)
{
	if (count)
		store_lost(in->to->writer, time, count, "perf's ring buffer was full");
}

static struct cursor body_of(const u8 *record, struct perf_event_header *h)
{
	memcpy(h, record, sizeof *h);
	return cursor_of(record + sizeof *h, h->size - sizeof *h);
}

static void give(struct input *in, const struct queued *q)
{
	struct perf_event_header h;
	struct cursor c = body_of(q->at, &h);

	begin(in, cursor_of(in->bytes, 0)); /* a pipe without tracepoints does not describe any */
	perf_stacks_see(in->stacks, &h, c, q->time);
	if (h.type == PERF_RECORD_SAMPLE) {
		give_sample(in, c, h.misc & PERF_RECORD_MISC_CPUMODE_MASK);
	} else if (h.type == PERF_RECORD_MMAP || h.type == PERF_RECORD_MMAP2) {
		return;
	} else if (h.type == PERF_RECORD_COMM) {
		see_comm(in, c);
	} else if (h.type == PERF_RECORD_FORK) {
		see_fork(in, c);
	} else if (h.type == PERF_RECORD_LOST) {
		take_u64(&c);
		give_lost(in, q->time, take_u64(&c));
	} else {
		give_lost(in, q->time, take_u64(&c));
	}
}

static int by_time(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Gives what is not later than `until`. */
static void flush(struct input *in, u64 until)
{
	size_t n = 0;

	if (!in->n_queue)
		return;
	qsort(in->queue, in->n_queue, sizeof *in->queue, by_time);
	for (; n < in->n_queue && in->queue[n].time <= until; n++)
		give(in, &in->queue[n]);
	in->n_queue -= n;
	memmove(in->queue, in->queue + n, in->n_queue * sizeof *in->queue);
}

static void end_round(struct input *in)
{
	flush(in, in->complete);
	in->complete = in->latest;
}

/* The end of a record that is no sample: thread, time, id ..., by the sample's type. */
static u64 time_of_other(struct input *in, struct cursor c)
{
	const struct attr *a = in->attrs.n ? &in->attrs.v[0] : NULL;
	u64 type = a && a->has_ids ? a->sample_type : 0;
	u64 after = !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ID) +
		    !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU) +
		    !!(type & PERF_SAMPLE_IDENTIFIER);

	if (!(type & PERF_SAMPLE_TIME) || cursor_left(&c) < after * sizeof(u64))
		return 0;
	take_bytes(&c, cursor_left(&c) - after * sizeof(u64));
	return take_u64(&c);
}

static u64 time_of_sample(struct input *in, struct cursor c)
{
	struct cursor id = c;
	const struct attr *a = attr_of(in, have_identifier(in) ? take_u64(&id) : 0);
	struct sample s;

	return a && read_sample(a, c, &s) ? s.time : 0;
}

static void enqueue(struct input *in, const u8 *at, u64 time)
{
	if (in->n_queue == in->room) {
		in->room = in->room ? 2 * in->room : 1024;
		in->queue = xrealloc(in->queue, in->room * sizeof *in->queue);
	}
	in->queue[in->n_queue++] = (struct queued){ time, in->n_records, at };
	in->latest = MAX(in->latest, time);
}

/* ---- records as they come */

static struct cursor rest(const struct input *in, const u8 *at, u64 len)
{
	return cursor_part(at, (size_t)(in->bytes + in->len - at), 0, len);
}

/* Of a pipe: the attr and its ids. */
static void take_attr(struct input *in, struct cursor c)
{
	struct perf_event_attr a;
	struct cursor attr = c;
	u32 size;

	take_bytes(&c, offsetof(struct perf_event_attr, size));
	size = take_u32(&c);
	c = attr;
	if (!take_bytes(&c, size ? size : sizeof a))
		return;
	attr.end = c.at;
	add_attr(in, attr, c);
}

static bool is_queued(u32 type)
{
	return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_COMM || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_LOST ||
	       type == PERF_RECORD_LOST_SAMPLES;
}

static void take_record(struct input *in, const u8 *at, u32 type, struct cursor c, u64 trailer)
{
	in->n_records++;
	if (type == HEADER_ATTR) {
		take_attr(in, c);
	} else if (type == HEADER_TRACING_DATA) {
		begin(in, rest(in, c.end, trailer));
	} else if (type == FINISHED_ROUND) {
		end_round(in);
	} else if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2) {
		import_damage(
			in->to, "%s (perf inject -i FILE -o COPY unpacks them)",
			SONDE_STATIC ?
				"its records are compressed, and a static program cannot load libzstd" :
				"its compressed records are damaged, or libzstd.so.1 is missing");
	} else if (is_queued(type)) {
		enqueue(in, at,
			type == PERF_RECORD_SAMPLE ? time_of_sample(in, c) : time_of_other(in, c));
	}
}

static void take_records(struct input *in, struct cursor data)
{
	while (cursor_left(&data)) {
		const u8 *at = data.at;
		struct perf_event_header h;
		struct cursor c;
		u64 trailer;

		take_to(&data, &h, sizeof h);
		if (data.failed || h.size < sizeof h || !take_bytes(&data, h.size - sizeof h)) {
			import_damage(in->to, "a record at byte %llu ends too early",
				      (unsigned long long)(at - in->bytes));
			return;
		}
		c = body_of(at, &h);
		trailer = perf_trailer(h.type, c);
		take_bytes(&data, trailer);
		if (data.failed)
			import_damage(in->to, "a record at byte %llu ends too early",
				      (unsigned long long)(at - in->bytes));
		else
			take_record(in, at, h.type, c, trailer);
	}
}

/* ---- the file */

static struct cursor section_at(const struct input *in, struct cursor *c)
{
	u64 offset = take_u64(c), size = take_u64(c);

	return cursor_part(in->bytes, in->len, offset, size);
}

static void read_attrs(struct input *in, struct cursor attrs, u64 each)
{
	while (cursor_left(&attrs) >= each && each > 16) {
		struct cursor entry = cursor_of(take_bytes(&attrs, each), each), attr = entry, ids;

		attr.end -= 16;
		entry.at = attr.end;
		ids = section_at(in, &entry);
		add_attr(in, attr, ids);
	}
}

/* Sections of features follow the data, in the order of their bits. */
static void read_features(struct input *in, struct cursor data, const u64 bits[N_FEATURES / 64])
{
	struct cursor c = cursor_of(data.end, (size_t)(in->bytes + in->len - data.end));

	for (u32 i = 0; i < N_FEATURES; i++)
		if (bits[i / 64] >> i % 64 & 1)
			in->features[i] = section_at(in, &c);
}

static struct cursor read_header(struct input *in)
{
	struct cursor c = cursor_of(in->bytes, in->len), attrs, data;
	u64 bits[N_FEATURES / 64], each;

	take_u64(&c); /* magic */
	if (take_u64(&c) == PIPE_HEADER)
		return c;
	each = take_u64(&c);
	attrs = section_at(in, &c);
	data = section_at(in, &c);
	section_at(in, &c); /* event types: of old perf */
	take_to(&c, bits, sizeof bits);
	if (c.failed || attrs.failed || data.failed)
		import_damage(in->to,
			      "it ends before its records: perf was killed, or the file was cut");
	read_attrs(in, attrs, each);
	if (!data.failed)
		read_features(in, data, bits);
	begin(in, in->features[FEATURE_TRACING_DATA]);
	return data;
}

/* Events that no line of a recording can be. */
static void tell_skipped(struct input *in)
{
	for (u32 i = 0; i < in->attrs.n; i++) {
		const struct attr *a = &in->attrs.v[i];
		const char *what = a->type == PERF_TYPE_TRACEPOINT ?
					   "a tracepoint that is not described" :
					   "not known";
		char *why = arena_printf(&in->arena, "perf's event %u:%llu is %s", a->type,
					 (unsigned long long)a->config, what);

		if (a->skipped)
			store_lost(in->to->writer, in->latest, a->skipped, why);
	}
}

static bool knows(const u8 *bytes, size_t len)
{
	return !memcmp(bytes, "PERFILE2", 8);
}

static int run(struct importing *to, const u8 *bytes, size_t len, struct err *err)
{
	struct input in = { .to = to, .bytes = bytes, .len = len };

	arena_init(&in.arena);
	in.stacks = perf_stacks_new(to);
	take_records(&in, read_header(&in));
	begin(&in, cursor_of(bytes, 0));
	flush(&in, ~0ull);
	tell_skipped(&in);
	perf_stacks_free(in.stacks);
	free(in.queue);
	hash_release(&in.ids);
	hash_release(&in.threads);
	arena_release(&in.arena);
	return 0;
}

const struct importer import_perf = { .name = "perf.data",
				      .brief = "recorded by perf record",
				      .knows = knows,
				      .run = run,
				      .convert = perf_unpacked };
