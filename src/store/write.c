/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: events in the order in which a ring had them. Out: chunks, see layout.h. Each processor has a
 * lane, whose chunk is being filled. A row that a chunk has already is found by its hash in a table
 * of one slot for each hash: a row that lost its slot is stored again.
 */
#include <stdlib.h>
#include <unistd.h>
#include "base/fd.h"
#include "base/arena.h"
#include "base/crc32.h"
#include "base/hash.h"
#include "store/counts.h"
#include "store/lz4.h"
#include "store/overwrite.h"
#include "store/write.h"

enum {
	ROWS_FULL = 256 << 10,
	STREAM_FULL = 256 << 10,
	LANE_SLOTS = 4096,
	TABLE_CHUNK =
		16 << 20, /* bytes in a chunk of the index or of counts: less than CHUNK_MOST */
};

struct slot {
	u32 at, row; /* offset of the row + 1, its number */
};

struct lane {
	struct buf rows, stream;
	u32 count, n_rows;
	u64 base, last, t0, t1;
	u32 *by_format; /* events of each format */
	u32 formats_room;
	struct slot slots[LANE_SLOTS];
};

struct stack { /* in the table of stacks */
	u32 number, n;
	u64 frames[];
};

struct table { /* rows that were not written yet */
	struct buf rows;
	u32 count;
};

struct store_writer {
	int fd, error;
	bool is_cut; /* after an error the file ends with its last whole chunk */
	u64 offset, n_events, n_written;
	u64 n_chunks;
	struct lane **lanes;
	u32 n_lanes;
	struct table tables[N_CHUNK_KINDS];
	bool has_stacks;
	struct hash stacks; /* by their frames: struct stack * */
	u32 n_stacks;
	struct arena arena; /* of stacks */
	struct buf index, chunk, raw, packed;
	struct buf counts; /* struct store_count, which rows of the index refer to */
	struct overwrite overwrite;
	bool overwrites;
};

/* ---- bytes to the file */

/* All or nothing: half a chunk is cut off again. */
static void put_bytes(struct store_writer *w, const void *bytes, size_t len)
{
	if (w->error)
		return;
	w->error = write_all(w->fd, bytes, len);
	if (w->error)
		w->is_cut = ftruncate(w->fd, (off_t)w->offset) == 0 &&
			    lseek(w->fd, (off_t)w->offset, SEEK_SET) >= 0;
	else
		w->offset += len;
}

/* The last n_counts rows are those of the chunk. */
static void add_to_index(struct store_writer *w, const struct chunk_head *h, u64 offset,
			 u32 n_counts)
{
	u32 n_rows = (u32)(w->counts.len / sizeof(struct store_count));
	struct index_row row = { .offset = offset,
				 .t0 = h->t0,
				 .t1 = h->t1,
				 .number = h->number,
				 .count = h->count,
				 .cpu = h->cpu,
				 .kind = h->kind,
				 .first_count = n_counts ? n_rows - n_counts : 0,
				 .n_counts = n_counts };

	buf_add(&w->index, &row, sizeof row);
}

static void write_chunk(struct store_writer *w, const struct chunk_head *h, const void *stored,
			u32 n_counts)
{
	u64 offset = w->offset;

	buf_clear(&w->chunk);
	buf_add(&w->chunk, h, sizeof *h);
	buf_add(&w->chunk, stored, h->stored_len);
	put_bytes(w, w->chunk.s, w->chunk.len);
	if (w->error) {
		w->counts.len -= n_counts * sizeof(struct store_count);
		return;
	}
	if (h->kind != CHUNK_INDEX)
		add_to_index(w, h, offset, n_counts);
	if (h->kind == CHUNK_EVENTS)
		w->n_written += h->count;
	if (w->overwrites)
		overwrite_note(&w->overwrite, h, offset, (u32)w->chunk.len);
}

/* Compressed if that is shorter. */
static void put_counted(struct store_writer *w, struct chunk_head h, const struct buf *body,
			u32 n_counts)
{
	const size_t len = body->len;
	const void *stored = len ? body->s : "";

	buf_clear(&w->packed);
	buf_reserve(&w->packed, lz4_bound(len));
	h.magic = CHUNK_MAGIC;
	h.number = w->n_chunks++;
	h.raw_len = h.stored_len = (u32)len;
	w->packed.len = lz4_pack((u8 *)w->packed.s, stored, len);
	if (w->packed.len < len) {
		h.codec = CODEC_LZ4;
		h.stored_len = (u32)w->packed.len;
		stored = w->packed.s;
	}
	h.body_crc = crc32_of(stored, h.stored_len);
	h.crc = crc32_of(&h, offsetof(struct chunk_head, crc));
	write_chunk(w, &h, stored, n_counts);
}

static void put_chunk(struct store_writer *w, struct chunk_head h, const struct buf *body)
{
	put_counted(w, h, body, 0);
}

/* The events of a chunk of another recording are counted again. */
void store_chunk(struct store_writer *w, const struct chunk_head *h, const void *stored)
{
	const u8 *raw = stored;
	u32 n_counts = 0;

	if (h->kind == CHUNK_EVENTS && h->codec == CODEC_LZ4) {
		buf_clear(&w->raw);
		buf_reserve(&w->raw, h->raw_len);
		raw = (u8 *)w->raw.s;
		if (!lz4_unpack((u8 *)w->raw.s, h->raw_len, stored, h->stored_len))
			raw = NULL;
	}
	if (h->kind == CHUNK_EVENTS && raw)
		n_counts = counts_of_chunk(&w->counts, h, raw);
	write_chunk(w, h, stored, n_counts);
}

/* ---- what is overwritten */

void store_overwrite(struct store_writer *w, u64 most_bytes, u64 most_ns)
{
	w->overwrites = true;
	w->overwrite.most_bytes = most_bytes;
	w->overwrite.most_ns = most_ns;
}

/* The rows of the index from `at` on: their counts have moved. */
static void move_counts(struct store_writer *w, size_t at, u32 n)
{
	for (; n && at < w->index.len; at += sizeof(struct index_row)) {
		struct index_row row;

		memcpy(&row, w->index.s + at, sizeof row);
		row.first_count -= row.n_counts ? n : 0;
		memcpy(w->index.s + at, &row, sizeof row);
	}
}

/* The index has its rows in the order of offsets, as have counts. */
static void forget_row(void *ctx, u64 offset)
{
	struct store_writer *w = ctx;

	for (size_t at = 0; at < w->index.len; at += sizeof(struct index_row)) {
		struct index_row row;

		memcpy(&row, w->index.s + at, sizeof row);
		if (row.offset != offset)
			continue;
		buf_cut(&w->index, at, sizeof row);
		if (row.n_counts)
			buf_cut(&w->counts, row.first_count * sizeof(struct store_count),
				row.n_counts * sizeof(struct store_count));
		move_counts(w, at, row.n_counts);
		return;
	}
}

static void drop_old(struct store_writer *w, u64 now)
{
	if (w->overwrites && !w->error)
		w->error = overwrite_drop(&w->overwrite, w->fd, now, forget_row, w);
}

/* ---- tables */

static void put_table(struct store_writer *w, u32 kind)
{
	struct table *t = &w->tables[kind];
	struct chunk_head h = { .kind = (u8)kind, .cpu = CHUNK_NO_CPU, .count = t->count };

	if (t->count)
		put_chunk(w, h, &t->rows);
	buf_clear(&t->rows);
	t->count = 0;
}

/* Before what refers to them. */
static void put_tables(struct store_writer *w)
{
	for (u32 i = 0; i < N_CHUNK_KINDS; i++)
		put_table(w, i);
}

static struct buf *table_row(struct store_writer *w, enum chunk_kind kind)
{
	struct table *t = &w->tables[kind];

	if (t->rows.len >= ROWS_FULL)
		put_table(w, kind);
	t->count++;
	return &t->rows;
}

void store_text(struct store_writer *w, const char *name, const void *bytes, size_t len)
{
	struct text_row row = { (u32)strlen(name), (u32)len };
	struct buf *b = table_row(w, CHUNK_TEXTS);

	buf_add(b, &row, sizeof row);
	buf_add(b, name, row.name_len);
	buf_add(b, bytes, len);
}

void store_format(struct store_writer *w, u32 id, const char *name, const char *text)
{
	struct format_row row = { id, (u32)strlen(name), (u32)strlen(text) };
	struct buf *b = table_row(w, CHUNK_FORMATS);

	buf_add(b, &row, sizeof row);
	buf_add(b, name, row.name_len);
	buf_add(b, text, row.len);
}

void store_task(struct store_writer *w, const struct task_row *row)
{
	buf_add(table_row(w, CHUNK_TASKS), row, sizeof *row);
}

void store_clock(struct store_writer *w, u64 time, s64 to_real)
{
	struct clock_row row = { time, to_real };

	buf_add(table_row(w, CHUNK_CLOCKS), &row, sizeof row);
}

void store_lost(struct store_writer *w, u64 time, u64 count, const char *why)
{
	struct lost_row row = { time, count, (u32)strlen(why) };
	struct buf *b = table_row(w, CHUNK_LOST);

	buf_add(b, &row, offsetof(struct lost_row, len) + sizeof row.len);
	buf_add(b, why, row.len);
}

u32 store_stack(struct store_writer *w, const u64 *frames, u32 n)
{
	size_t len = MIN(n, (u32)FRAMES_MOST) * sizeof *frames;
	struct stack *s = len ? hash_get(&w->stacks, frames, len) : NULL;
	struct stack_row row = { w->n_stacks + 1, (u32)(len / sizeof *frames) };
	struct buf *b;

	if (s || !len || w->n_stacks == STACKS_MOST)
		return s ? s->number : 0;
	s = arena_alloc(&w->arena, sizeof *s + len);
	*s = (struct stack){ .number = ++w->n_stacks, .n = row.n };
	memcpy(s->frames, frames, len);
	hash_put(&w->stacks, s->frames, len, s);
	b = table_row(w, CHUNK_STACKS);
	buf_add(b, &row, sizeof row);
	buf_add(b, frames, len);
	return s->number;
}

void store_mapping(struct store_writer *w, const struct mapping_row *mapping, const char *path)
{
	struct mapping_row row = *mapping;
	struct buf *b = table_row(w, CHUNK_MAPPINGS);

	row.path_len = (u16)MIN(strlen(path), (size_t)UINT16_MAX);
	buf_add(b, &row, sizeof row);
	buf_add(b, path, row.path_len);
}

void store_function(struct store_writer *w, u64 address, const char *name, const char *module)
{
	struct function_row row = { .address = address,
				    .name_len = name ? (u16)strlen(name) : 0,
				    .module_len = module ? (u16)strlen(module) : 0 };
	struct buf *b = table_row(w, CHUNK_FUNCTIONS);

	buf_add(b, &row, sizeof row);
	buf_add(b, name, row.name_len);
	buf_add(b, module, row.module_len);
}

/* ---- events */

static struct lane *lane_of(struct store_writer *w, u32 cpu)
{
	if (cpu >= w->n_lanes) {
		w->lanes = xrealloc(w->lanes, (cpu + 1) * sizeof *w->lanes);
		memset(w->lanes + w->n_lanes, 0, (cpu + 1 - w->n_lanes) * sizeof *w->lanes);
		w->n_lanes = cpu + 1;
	}
	if (!w->lanes[cpu])
		w->lanes[cpu] = xcalloc(1, sizeof(struct lane));
	return w->lanes[cpu];
}

static void put_lane(struct store_writer *w, u32 cpu)
{
	struct lane *l = w->lanes[cpu];
	struct events_head eh = { .base = l->base,
				  .rows_len = (u32)l->rows.len,
				  .stacks_len = w->has_stacks ? sizeof(struct row_stacks) : 0 };
	struct chunk_head h = { .kind = CHUNK_EVENTS,
				.cpu = (u16)cpu,
				.count = l->count,
				.n_rows = l->n_rows,
				.t0 = l->t0,
				.t1 = l->t1 };
	u32 n_counts;

	put_tables(w);
	buf_clear(&w->raw);
	buf_add(&w->raw, &eh, sizeof eh);
	buf_add(&w->raw, l->rows.s, l->rows.len);
	buf_add(&w->raw, l->stream.s, l->stream.len);
	n_counts = counts_put(&w->counts, l->by_format, l->formats_room);
	put_counted(w, h, &w->raw, n_counts);
	buf_clear(&l->rows);
	buf_clear(&l->stream);
	l->count = l->n_rows = 0;
	memset(l->slots, 0, sizeof l->slots);
}

/* They are numbered from 0 on, so few numbers are not there. */
static void count_event(struct lane *l, u32 format)
{
	if (format >= l->formats_room) {
		u32 room = 2 * format + 8;

		l->by_format = xrealloc(l->by_format, room * sizeof *l->by_format);
		memset(l->by_format + l->formats_room, 0,
		       (room - l->formats_room) * sizeof *l->by_format);
		l->formats_room = room;
	}
	l->by_format[format]++;
}

static u64 zigzag(s64 v)
{
	return (u64)v << 1 ^ (u64)(v >> 63);
}

/* Multiplies and adds words: rows differ in few bytes, anywhere. */
static u32 hash_of(const u8 *p, u32 len)
{
	u64 h = len, word;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	word = 0;
	memcpy(&word, p, len);
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return (u32)(h >> 40) % LANE_SLOTS;
}

/* The number of the row, which lies at the end of the lane's rows: there it stays, unless there is
 * an equal one. */
static u32 number_of(struct lane *l, size_t at)
{
	const u8 *rows = (const u8 *)l->rows.s;
	u32 len = (u32)(l->rows.len - at);
	struct slot *slot = &l->slots[hash_of(rows + at, len)];

	if (slot->at && slot->at - 1 + len <= at && !memcmp(rows + slot->at - 1, rows + at, len)) {
		l->rows.len = at;
		return slot->row;
	}
	*slot = (struct slot){ (u32)at + 1, l->n_rows };
	return l->n_rows++;
}

static u32 add_row(struct store_writer *w, struct lane *l, const struct store_event *e)
{
	struct common_fields common = { .type = e->type, .tid = e->tid };
	struct event_row row = { .format = (u16)e->format,
				 .len = (u16)(sizeof common + e->len),
				 .pid = e->pid };
	size_t at = l->rows.len;

	memcpy(row.comm, e->comm, strnlen(e->comm, sizeof row.comm));
	buf_add(&l->rows, &row, sizeof row);
	if (w->has_stacks)
		buf_add(&l->rows, &e->stacks, sizeof e->stacks);
	buf_add(&l->rows, &common, sizeof common);
	buf_add(&l->rows, e->fields, e->len);
	return number_of(l, at);
}

void store_event(struct store_writer *w, const struct store_event *e)
{
	u32 cpu = MIN(e->cpu, CHUNK_NO_CPU - 1u);
	struct lane *l = lane_of(w, cpu);

	if (l->count && (l->rows.len >= ROWS_FULL || l->stream.len >= STREAM_FULL)) {
		put_lane(w, cpu);
		drop_old(w, e->time);
	}
	if (!l->count)
		l->base = l->last = l->t0 = l->t1 = e->time;
	buf_varint(&l->stream, zigzag((s64)(e->time - l->last)));
	buf_varint(&l->stream, add_row(w, l, e));
	l->last = e->time;
	l->t0 = MIN(l->t0, e->time);
	l->t1 = MAX(l->t1, e->time);
	l->count++;
	count_event(l, (u16)e->format);
	w->n_events++;
}

void store_flush(struct store_writer *w)
{
	for (u32 i = 0; i < w->n_lanes; i++)
		if (w->lanes[i] && w->lanes[i]->count)
			put_lane(w, i);
	put_tables(w);
}

void store_tick(struct store_writer *w, u64 now)
{
	for (u32 i = 0; i < w->n_lanes; i++)
		if (w->lanes[i] && w->lanes[i]->count && now >= w->lanes[i]->base + CHUNK_NS)
			put_lane(w, i);
	put_table(w, CHUNK_LOST); /* a killed recorder shows what it knew */
	drop_old(w, now);
}

/* ---- begin and end */

struct store_writer *store_writer_new(int fd, const struct file_head *head)
{
	struct store_writer *w = xcalloc(1, sizeof *w);
	struct file_head h = *head;

	w->fd = fd;
	memcpy(h.magic, STORE_MAGIC, sizeof h.magic);
	h.version = MAX(h.version, (u16)STORE_PLAIN);
	w->has_stacks = h.version > STORE_PLAIN;
	arena_init(&w->arena);
	h.size = sizeof h;
	h.crc = crc32_of(&h, offsetof(struct file_head, crc));
	put_bytes(w, &h, sizeof h);
	return w;
}

int store_error(const struct store_writer *w)
{
	return w->error;
}

u64 store_events(const struct store_writer *w)
{
	return w->n_events;
}

u64 store_events_written(const struct store_writer *w)
{
	return w->n_written;
}

u64 store_bytes(const struct store_writer *w)
{
	return w->offset;
}

/* Rows of that size, in several chunks if there are very many. Their number is count. */
static void put_rows(struct store_writer *w, enum chunk_kind kind, const struct buf *rows, u32 size)
{
	const size_t most = TABLE_CHUNK / size * size;

	for (size_t at = 0; at < rows->len || (!at && kind == CHUNK_INDEX); at += most) {
		size_t len = MIN(most, rows->len - at);
		struct chunk_head h = { .kind = (u8)kind,
					.cpu = CHUNK_NO_CPU,
					.count = (u32)(len / size) };

		buf_clear(&w->raw);
		if (len)
			buf_add(&w->raw, rows->s + at, len);
		put_chunk(w, h, &w->raw);
	}
}

static void put_index(struct store_writer *w)
{
	struct file_end end = { 0 };

	put_rows(w, CHUNK_COUNTS, &w->counts, sizeof(struct store_count));
	end.index_offset = w->offset;
	put_rows(w, CHUNK_INDEX, &w->index, sizeof(struct index_row));
	memcpy(end.magic, STORE_END_MAGIC, sizeof end.magic);
	put_bytes(w, &end, sizeof end);
}

/* The disk is full: what was cut off has left room for a few words. */
static void put_last_words(struct store_writer *w, u64 now)
{
	const int error = w->error;

	if (!w->is_cut)
		return;
	w->error = 0;
	store_lost(w, now, w->n_events - w->n_written, strerror(-error));
	put_table(w, CHUNK_LOST);
	if (!w->error)
		put_index(w);
	w->error = error;
}

int store_writer_end(struct store_writer *w)
{
	u64 latest = 0;

	store_flush(w);
	for (u32 i = 0; i < w->n_lanes; i++)
		latest = w->lanes[i] ? MAX(latest, w->lanes[i]->t1) : latest;
	w->overwrite.most_bytes = 0; /* the last chunk of each processor stays */
	drop_old(w, latest);
	if (!w->error)
		put_index(w);
	if (w->error)
		put_last_words(w, latest);
	return w->error;
}

void store_writer_free(struct store_writer *w)
{
	if (!w)
		return;
	for (u32 i = 0; i < w->n_lanes; i++)
		if (w->lanes[i]) {
			buf_release(&w->lanes[i]->rows);
			buf_release(&w->lanes[i]->stream);
			free(w->lanes[i]->by_format);
			free(w->lanes[i]);
		}
	for (u32 i = 0; i < N_CHUNK_KINDS; i++)
		buf_release(&w->tables[i].rows);
	hash_release(&w->stacks);
	arena_release(&w->arena);
	overwrite_release(&w->overwrite);
	buf_release(&w->index);
	buf_release(&w->counts);
	buf_release(&w->chunk);
	buf_release(&w->raw);
	buf_release(&w->packed);
	free(w->lanes);
	free(w);
}
