/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: the bytes of a file. Out: tables, and events in the order of time. Opening reads the heads of
 * all chunks, from the index of a file that was closed, else one after the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "base/crc32.h"
#include "store/lz4.h"
#include "store/read.h"
#include "sym/event_layout.h"

struct chunk_ref { /* of a chunk of events */
	u64 offset, t0, t1;
};

struct decoded {
	u64 time;
	u32 row; /* offset of the event_row in lane.raw */
};

struct lane {
	VEC(struct chunk_ref) chunks;
	u32 next_chunk;
	u32 cpu;
	u8 *raw;
	size_t raw_room;
	struct decoded *events;
	u32 *rows; /* offset of each row */
	u32 n_events, at, events_room, rows_room;
	u32 stacks_len; /* of its rows */
};

struct stack_frames {
	u32 n;
	u64 ips[];
};

struct store {
	int fd;
	struct arena arena;
	struct store_tables t;
	struct event_format **by_id;        /* 65536 */
	const struct stack_frames **stacks; /* by number, up to t.n_stacks */
	u32 stacks_room;
	struct lane **lanes; /* by processor */
	u32 n_lanes;
	struct lane **heap; /* lanes that have an event, the earliest first */
	u32 n_heap;
	bool began;
	u64 from, to;
	struct buf stored, body;
	char damage[256];
};

/* ---- bytes */

static void note_damage(struct store *s, u64 offset, const char *what)
{
	if (!s->damage[0])
		snprintf(s->damage, sizeof s->damage, "%s at byte %llu", what,
			 (unsigned long long)offset);
}

static bool read_at(const struct store *s, void *to, size_t len, u64 offset)
{
	u8 *at = to;

	while (len) {
		ssize_t n = pread(s->fd, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
		offset += (u64)n;
	}
	return true;
}

/* NULL: it is one, else what is wrong with it. */
static const char *fault_of_head(const struct store *s, const struct chunk_head *h, u64 offset)
{
	if (h->magic != CHUNK_MAGIC)
		return "no chunk begins where one should";
	if (h->crc != crc32_of(h, offsetof(struct chunk_head, crc)))
		return "a chunk's head is damaged";
	if ((h->kind != CHUNK_GONE && MAX(h->raw_len, h->stored_len) > CHUNK_MOST) ||
	    (h->codec == CODEC_STORED && h->raw_len != h->stored_len) || h->codec > CODEC_LZ4)
		return "a chunk's lengths are not possible";
	if (h->stored_len > s->t.size - offset - sizeof *h)
		return "the file ends within a chunk";
	return NULL;
}

static bool read_head(struct store *s, struct chunk_head *h, u64 offset)
{
	const char *fault = "the file ends within the head of a chunk";

	if (s->t.size >= sizeof *h && offset <= s->t.size - sizeof *h &&
	    read_at(s, h, sizeof *h, offset))
		fault = fault_of_head(s, h, offset);
	if (fault)
		note_damage(s, offset, fault);
	return !fault;
}

/* The body as it was before compression, to `to`, of raw_len bytes. */
static bool read_body(struct store *s, const struct chunk_head *h, u64 offset, u8 *to)
{
	bool is_stored = h->codec == CODEC_STORED;
	u8 *stored = to;

	if (!is_stored) {
		buf_clear(&s->stored);
		buf_reserve(&s->stored, h->stored_len + 1ul);
		stored = (u8 *)s->stored.s;
	}
	if (read_at(s, stored, h->stored_len, offset + sizeof *h) &&
	    crc32_of(stored, h->stored_len) == h->body_crc &&
	    (is_stored || lz4_unpack(to, h->raw_len, stored, h->stored_len)))
		return true;
	note_damage(s, offset, "a chunk is damaged");
	return false;
}

/* ---- tables */

struct bytes {
	const u8 *at, *end;
};

static const void *take(struct bytes *b, size_t len)
{
	const u8 *at = b->at;

	if (len > (size_t)(b->end - at))
		return NULL;
	b->at += len;
	return at;
}

/* A copy that ends with NUL; NULL if it is not there. */
static char *take_string(struct store *s, struct bytes *b, size_t len)
{
	const void *at = take(b, len);

	return at ? arena_strndup(&s->arena, at, len) : NULL;
}

static bool take_text(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct text_row));
	struct store_text text = { 0 };
	struct text_row row;
	char *copy;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	text.name = row.name_len <= NAME_MOST ? take_string(s, b, row.name_len) : NULL;
	at = text.name ? take(b, row.len) : NULL;
	if (!at)
		return false;
	text.bytes = copy = arena_alloc(&s->arena, row.len + 1ul);
	memcpy(copy, at, row.len);
	text.len = row.len;
	vec_push(&s->arena, &s->t.texts, text);
	return true;
}

static bool take_format(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct format_row));
	struct tp_format *f;
	struct format_row row;
	char *name, *text, *colon;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	name = row.name_len <= NAME_MOST ? take_string(s, b, row.name_len) : NULL;
	text = name ? take_string(s, b, row.len) : NULL;
	if (!text || row.id > 0xffff || s->by_id[row.id])
		return false;
	f = tracefs_parse_format(&s->arena, text, strlen(text));
	colon = strchr(name, ':');
	if (!f || !colon)
		return false;
	f->category = arena_strndup(&s->arena, name, (size_t)(colon - name));
	f->name = colon + 1;
	s->by_id[row.id] = event_layout(&s->arena, f);
	vec_push(&s->arena, &s->t.formats, s->by_id[row.id]);
	return true;
}

static bool take_task(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct task_row));
	struct task_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	vec_push(&s->arena, &s->t.tasks, row);
	return true;
}

static bool take_loss(struct store *s, struct bytes *b)
{
	enum { HEAD = offsetof(struct lost_row, len) + sizeof(u32) };
	const void *at = take(b, HEAD);
	struct lost_row row = { 0 };
	char *why;

	if (!at)
		return false;
	memcpy(&row, at, HEAD);
	why = take_string(s, b, row.len);
	if (why)
		vec_push(&s->arena, &s->t.losses, (struct store_loss){ row.time, row.count, why });
	return why;
}

static bool take_clock(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct clock_row));
	struct clock_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	vec_push(&s->arena, &s->t.clocks, row);
	return true;
}

static void keep_stack(struct store *s, u32 number, const struct stack_frames *f)
{
	if (number >= s->stacks_room) {
		u32 room = MAX(number + 1, 2 * s->stacks_room);

		s->stacks = xrealloc(s->stacks, room * sizeof(*s->stacks));
		memset(s->stacks + s->stacks_room, 0, (room - s->stacks_room) * sizeof(*s->stacks));
		s->stacks_room = room;
	}
	s->stacks[number] = f;
	s->t.n_stacks = MAX(s->t.n_stacks, number);
}

static bool take_stack(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct stack_row));
	struct stack_frames *f;
	struct stack_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	if (!row.number || row.number > STACKS_MOST || row.n > FRAMES_MOST)
		return false;
	at = take(b, row.n * sizeof *f->ips);
	if (!at)
		return false;
	f = arena_alloc(&s->arena, sizeof *f + row.n * sizeof *f->ips);
	f->n = row.n;
	memcpy(f->ips, at, row.n * sizeof *f->ips);
	keep_stack(s, row.number, f);
	return true;
}

static bool take_mapping(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct mapping_row));
	struct store_mapping m = { .number = s->t.mappings.n };

	if (!at)
		return false;
	memcpy(&m.row, at, sizeof m.row);
	m.path = take_string(s, b, m.row.path_len);
	if (!m.path || m.row.kind >= N_MAPPING_KINDS || m.row.build_id_len > sizeof m.row.build_id)
		return false;
	vec_push(&s->arena, &s->t.mappings, m);
	return true;
}

static bool take_function(struct store *s, struct bytes *b)
{
	const void *at = take(b, sizeof(struct function_row));
	struct store_function f = { 0 };
	struct function_row row;

	if (!at)
		return false;
	memcpy(&row, at, sizeof row);
	f.address = row.address;
	f.name = take_string(s, b, row.name_len);
	f.module = f.name ? take_string(s, b, row.module_len) : NULL;
	if (f.module)
		vec_push(&s->arena, &s->t.functions, f);
	return f.module;
}

static bool (*const takers[])(struct store *s, struct bytes *b) = {
	[CHUNK_TEXTS] = take_text,       [CHUNK_FORMATS] = take_format,
	[CHUNK_TASKS] = take_task,       [CHUNK_LOST] = take_loss,
	[CHUNK_CLOCKS] = take_clock,     [CHUNK_STACKS] = take_stack,
	[CHUNK_MAPPINGS] = take_mapping, [CHUNK_FUNCTIONS] = take_function,
};

static void read_table(struct store *s, const struct chunk_head *h, u64 offset)
{
	struct bytes b;

	buf_clear(&s->body);
	buf_reserve(&s->body, h->raw_len + 1ul);
	if (!read_body(s, h, offset, (u8 *)s->body.s))
		return;
	b = (struct bytes){ (u8 *)s->body.s, (u8 *)s->body.s + h->raw_len };
	for (u32 i = 0; i < h->count; i++)
		if (!takers[h->kind](s, &b)) {
			note_damage(s, offset, "a table has a row that cannot be");
			return;
		}
}

/* ---- the list of chunks */

static struct lane *lane_of(struct store *s, u32 cpu)
{
	if (cpu >= s->n_lanes) {
		s->lanes = xrealloc(s->lanes, (cpu + 1) * sizeof(*s->lanes));
		memset(s->lanes + s->n_lanes, 0, (cpu + 1 - s->n_lanes) * sizeof(*s->lanes));
		s->n_lanes = cpu + 1;
	}
	if (!s->lanes[cpu]) {
		s->lanes[cpu] = xcalloc(1, sizeof(struct lane));
		s->lanes[cpu]->cpu = cpu;
	}
	return s->lanes[cpu];
}

static void note_events(struct store *s, u64 offset, u32 cpu, u32 count, u64 t0, u64 t1)
{
	struct chunk_ref chunk = { offset, t0, t1 };

	vec_push(&s->arena, &lane_of(s, cpu)->chunks, chunk);
	s->t.t0 = s->t.n_events ? MIN(s->t.t0, t0) : t0;
	s->t.t1 = MAX(s->t.t1, t1);
	s->t.n_events += count;
}

/* Chunks of kinds that are not known are passed over. */
static void note_chunk(struct store *s, const struct chunk_head *h, u64 offset)
{
	s->t.n_chunks += h->kind != CHUNK_GONE;
	if (h->kind != CHUNK_GONE)
		s->t.n_written = MAX(s->t.n_written, h->number + 1);
	if (h->kind == CHUNK_EVENTS)
		note_events(s, offset, h->cpu, h->count, h->t0, h->t1);
	else if (h->kind < ARRAY_SIZE(takers) && takers[h->kind])
		read_table(s, h, offset);
}

/* One chunk after the other. */
static void scan(struct store *s)
{
	u64 offset = s->t.head.size;
	struct chunk_head h;

	while (offset < s->t.size && !s->damage[0]) {
		if (s->t.was_closed && offset == s->t.size - sizeof(struct file_end))
			return;
		if (!read_head(s, &h, offset))
			return;
		note_chunk(s, &h, offset);
		offset += sizeof h + h.stored_len;
	}
}

static void note_index_row(struct store *s, const struct index_row *row)
{
	struct chunk_head h;

	if (row->kind == CHUNK_EVENTS) {
		s->t.n_chunks++;
		s->t.n_written = MAX(s->t.n_written, row->number + 1);
		note_events(s, row->offset, row->cpu, row->count, row->t0, row->t1);
	} else if (read_head(s, &h, row->offset)) {
		note_chunk(s, &h, row->offset);
	}
}

/* False: there is no index that can be used. */
static bool read_index(struct store *s)
{
	struct file_end end;
	struct chunk_head h;
	struct index_row row;
	const u64 room = s->t.head.size + sizeof h + sizeof end;
	char before[sizeof s->damage];

	if (s->t.size < room || !read_at(s, &end, sizeof end, s->t.size - sizeof end) ||
	    memcmp(end.magic, STORE_END_MAGIC, sizeof end.magic))
		return false;
	s->t.was_closed = true;
	memcpy(before, s->damage, sizeof before);
	buf_clear(&s->body);
	if (!read_head(s, &h, end.index_offset) || h.kind != CHUNK_INDEX ||
	    h.raw_len != (u64)h.count * sizeof row)
		goto none;
	buf_reserve(&s->body, h.raw_len + 1ul);
	if (!read_body(s, &h, end.index_offset, (u8 *)s->body.s))
		goto none;
	struct buf rows = s->body;

	s->body = (struct buf){ 0 };
	for (u32 i = 0; i < h.count; i++) {
		memcpy(&row, rows.s + i * sizeof row, sizeof row);
		note_index_row(s, &row);
	}
	buf_release(&rows);
	return true;
none:
	memcpy(s->damage, before, sizeof before);
	return false;
}

/* ---- events of a chunk */

static u64 take_varint(struct bytes *b)
{
	u64 v = 0;

	for (u32 shift = 0; b->at < b->end; shift += 7) {
		u8 byte = *b->at++;

		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

static s64 unzigzag(u64 v)
{
	return (s64)(v >> 1 ^ -(v & 1));
}

static void *room_for(void *old, u32 *room, u32 n, size_t size)
{
	if (n <= *room)
		return old;
	*room = n + n / 2;
	return xrealloc(old, *room * size);
}

/* Offsets of the rows. */
static bool read_rows(struct store *s, struct lane *l, u32 n, u32 from, u32 to)
{
	const u32 head = (u32)sizeof(struct event_row) + l->stacks_len;
	u32 at = from;

	l->rows = room_for(l->rows, &l->rows_room, n, sizeof *l->rows);
	for (u32 i = 0; i < n; i++) {
		struct event_row row;

		if (to - at < head)
			return false;
		memcpy(&row, l->raw + at, sizeof row);
		if (row.len < sizeof(struct common_fields) || row.len > to - at - head ||
		    !s->by_id[row.format])
			return false;
		l->rows[i] = at;
		at += head + row.len;
	}
	return true;
}

/* A probe that interrupts another one has the later time and the earlier record. */
static void sort_events(struct lane *l)
{
	for (u32 i = 1; i < l->n_events; i++) {
		struct decoded e = l->events[i];
		u32 at = i;

		for (; at && l->events[at - 1].time > e.time; at--)
			l->events[at] = l->events[at - 1];
		l->events[at] = e;
	}
}

/* How out of order times may be before sorting them by insertion takes long. */
enum { MOST_BACKWARDS = 1000 };

static bool read_stream(struct lane *l, const struct chunk_head *h, u64 base, u32 from)
{
	struct bytes b = { l->raw + from, l->raw + h->raw_len };
	u32 backwards = 0;
	u64 time = base;

	l->events = room_for(l->events, &l->events_room, h->count, sizeof *l->events);
	for (l->n_events = 0; l->n_events < h->count; l->n_events++) {
		s64 later = unzigzag(take_varint(&b));
		u64 row = take_varint(&b);

		if (row >= h->n_rows)
			return false;
		backwards += later < 0;
		time += (u64)later;
		l->events[l->n_events] = (struct decoded){ time, l->rows[row] };
	}
	if (backwards > MOST_BACKWARDS)
		return false;
	if (backwards)
		sort_events(l);
	return true;
}

static bool decode(struct store *s, struct lane *l, const struct chunk_head *h)
{
	struct events_head eh;
	u32 rows = sizeof eh;

	if (h->raw_len < sizeof eh)
		return false;
	memcpy(&eh, l->raw, sizeof eh);
	l->stacks_len = eh.stacks_len;
	if ((eh.stacks_len && eh.stacks_len != sizeof(struct row_stacks)) ||
	    eh.rows_len > h->raw_len - rows || h->count > h->raw_len / 2 ||
	    h->n_rows > eh.rows_len / sizeof(struct event_row))
		return false;
	return read_rows(s, l, h->n_rows, rows, rows + eh.rows_len) &&
	       read_stream(l, h, eh.base, rows + eh.rows_len);
}

/* The next chunk of the lane that has events in the range; false: there is none. */
static bool load(struct store *s, struct lane *l)
{
	l->at = l->n_events = 0;
	while (l->next_chunk < l->chunks.n) {
		const struct chunk_ref *p = &l->chunks.v[l->next_chunk++];
		struct chunk_head h;

		if (p->t1 < s->from || p->t0 > s->to || !read_head(s, &h, p->offset))
			continue;
		if (h.raw_len >= l->raw_room)
			l->raw = xrealloc(l->raw, l->raw_room = h.raw_len + 1ul);
		if (!read_body(s, &h, p->offset, l->raw))
			continue;
		if (h.kind == CHUNK_EVENTS && decode(s, l, &h) && l->n_events)
			return true;
		note_damage(s, p->offset, "a chunk has events that cannot be");
		l->n_events = 0;
	}
	return false;
}

/* ---- the order of time */

static bool is_earlier(const struct lane *a, const struct lane *b)
{
	u64 ta = a->events[a->at].time, tb = b->events[b->at].time;

	return ta != tb ? ta < tb : a->cpu < b->cpu;
}

static void sink_down(struct store *s, u32 at)
{
	struct lane **h = s->heap;

	for (;;) {
		u32 child = 2 * at + 1;
		struct lane *l = h[at];

		if (child + 1 < s->n_heap && is_earlier(h[child + 1], h[child]))
			child++;
		if (child >= s->n_heap || !is_earlier(h[child], l))
			return;
		h[at] = h[child];
		h[child] = l;
		at = child;
	}
}

static void begin(struct store *s)
{
	s->began = true;
	free(s->heap);
	s->heap = xcalloc(s->n_lanes + 1, sizeof(*s->heap));
	s->n_heap = 0;
	for (u32 i = 0; i < s->n_lanes; i++)
		if (s->lanes[i] && load(s, s->lanes[i]))
			s->heap[s->n_heap++] = s->lanes[i];
	for (u32 i = s->n_heap; i-- > 0;)
		sink_down(s, i);
}

static void drop_first(struct store *s)
{
	struct lane *l = s->heap[0];

	if (++l->at == l->n_events && !load(s, l))
		s->heap[0] = s->heap[--s->n_heap];
	if (s->n_heap)
		sink_down(s, 0);
}

static void give_stacks(const struct store *s, const u8 *at, struct trace_event *e)
{
	struct row_stacks stacks;

	memcpy(&stacks, at, sizeof stacks);
	for (u32 i = 0; i < N_STACK_SIDES; i++) {
		const struct stack_frames *f =
			stacks.number[i] < s->stacks_room ? s->stacks[stacks.number[i]] : NULL;

		if (f)
			e->stack[i] = (struct event_stack){ f->ips, f->n };
	}
}

static void give(struct store *s, const struct lane *l, struct trace_event *e)
{
	const struct decoded *d = &l->events[l->at];
	const u8 *at = l->raw + d->row, *record = at + sizeof(struct event_row) + l->stacks_len;
	struct event_row row;

	memcpy(&row, at, sizeof row);
	*e = (struct trace_event){ .time = d->time,
				   .pid = row.pid,
				   .cpu = l->cpu,
				   .comm = (const char *)at + offsetof(struct event_row, comm),
				   .format = s->by_id[row.format],
				   .record = record,
				   .has_stacks = l->stacks_len,
				   .len = row.len };
	if (l->stacks_len)
		give_stacks(s, at + sizeof row, e);
	memcpy(&e->tid, record + offsetof(struct common_fields, tid), sizeof e->tid);
}

bool store_next(struct store *s, struct trace_event *e)
{
	if (!s->began)
		begin(s);
	else if (s->n_heap)
		drop_first(s);
	for (; s->n_heap; drop_first(s)) {
		const struct lane *l = s->heap[0];
		u64 time = l->events[l->at].time;

		if (time < s->from || time > s->to)
			continue;
		give(s, l, e);
		return true;
	}
	return false;
}

void store_rewind(struct store *s)
{
	s->began = false;
	for (u32 i = 0; i < s->n_lanes; i++)
		if (s->lanes[i])
			s->lanes[i]->next_chunk = 0;
}

void store_range(struct store *s, u64 from, u64 to)
{
	s->from = from;
	s->to = to;
}

/* ---- opening */

static int read_file_head(struct store *s, const char *name, struct err *err)
{
	struct file_head *h = &s->t.head;

	if (s->t.size < sizeof *h || !read_at(s, h, sizeof *h, 0) ||
	    memcmp(h->magic, STORE_MAGIC, sizeof h->magic))
		return err_usage(err, -EINVAL, "%s is no recording of sonde", name);
	if (h->version > STORE_VERSION) {
		err_set(err, -EINVAL,
			"%s is a recording of version %u; this sonde reads version %u", name,
			h->version, STORE_VERSION);
		err_help(err, "read it with the sonde that made it, or a newer one");
		return err->code;
	}
	if (h->size < sizeof *h || h->crc != crc32_of(h, offsetof(struct file_head, crc)))
		return err_set(err, -EINVAL, "the head of %s is damaged", name);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct store_mapping *x = a, *y = b;

	if (x->row.time != y->row.time)
		return x->row.time < y->row.time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_address(const void *a, const void *b)
{
	const struct store_function *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void sort_tables(struct store_tables *t)
{
	if (t->mappings.n)
		qsort(t->mappings.v, t->mappings.n, sizeof *t->mappings.v, by_time);
	if (t->functions.n)
		qsort(t->functions.v, t->functions.n, sizeof *t->functions.v, by_address);
}

struct store *store_open_fd(int fd, const char *name, struct err *err)
{
	struct store *s = xcalloc(1, sizeof *s);
	struct stat st;

	s->fd = fd;
	s->to = ~0ull;
	arena_init(&s->arena);
	s->by_id = xcalloc(0x10000, sizeof(*s->by_id));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_usage(err, -EINVAL, "%s is no file", name);
	} else {
		s->t.size = (u64)st.st_size;
		read_file_head(s, name, err);
	}
	if (err->code) {
		store_close(s);
		return NULL;
	}
	if (!read_index(s))
		scan(s);
	sort_tables(&s->t);
	return s;
}

struct store *store_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		err_sys(err, "open %s", path);
		return NULL;
	}
	return store_open_fd(fd, path, err);
}

const struct store_tables *store_tables(const struct store *s)
{
	return &s->t;
}

const struct store_text *store_find_text(const struct store *s, const char *name)
{
	for (u32 i = 0; i < s->t.texts.n; i++)
		if (streq(s->t.texts.v[i].name, name))
			return &s->t.texts.v[i];
	return NULL;
}

const char *store_damage(const struct store *s)
{
	return s->damage[0] ? s->damage : NULL;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->n_lanes; i++)
		if (s->lanes[i]) {
			free(s->lanes[i]->raw);
			free(s->lanes[i]->events);
			free(s->lanes[i]->rows);
			free(s->lanes[i]);
		}
	fd_close(&s->fd);
	buf_release(&s->stored);
	buf_release(&s->body);
	arena_release(&s->arena);
	free(s->by_id);
	free(s->stacks);
	free(s->lanes);
	free(s->heap);
	free(s);
}
