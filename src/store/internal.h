/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that read recordings. */
#ifndef SONDE_STORE_INTERNAL_H
#define SONDE_STORE_INTERNAL_H

#include "base/buf.h"
#include "store/bytes.h"
#include "store/chunks.h"

struct decoded {
	u64 time;
	u32 row; /* offset of the event_row in the cursor's raw */
};

/* The events of a chunk: its body, and where in it they are. The buffers serve one chunk after
 * another. */
struct store_cursor {
	struct store *store;
	u32 cpu;
	u8 *raw;
	size_t raw_room;
	struct decoded *events;
	u32 *rows; /* offset of each row */
	u32 n_events, at, events_room, rows_room;
	u32 stacks_len; /* of its rows */
};

struct lane { /* of a processor */
	VEC(struct store_chunk) chunks;
	u32 next_chunk, end_chunk;
	struct store_cursor cursor;
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
	u64 from, to; /* the span that is read now */
	const struct store_span *spans;
	u32 n_spans, next_span;
	struct store_span one;
	VEC(u64) count_chunks; /* offsets of CHUNK_COUNTS */
	struct buf counts; /* struct store_count: those of the file, then those that were counted */
	bool has_counts;
	struct buf stored, body;
	char damage[256];
	s64 mtime_ns; /* when it was opened */
};

/* ---- read.c */
/* The first damage is kept. */
void store_note_damage(struct store *s, u64 offset, const char *what);
bool store_read_at(const struct store *s, void *to, size_t len, u64 offset);
/* False: there is no chunk; the damage is noted. */
bool store_read_head(struct store *s, struct chunk_head *h, u64 offset);
/* The body as it was before compression, to `to`, of raw_len bytes. False likewise. */
bool store_read_body(struct store *s, const struct chunk_head *h, u64 offset, u8 *to);
/* The same to s->body. */
bool store_read_whole(struct store *s, const struct chunk_head *h, u64 offset);
/* Rows of a chunk to s->t; nothing of kinds that are not tables. */
void store_read_table(struct store *s, const struct chunk_head *h, u64 offset);

/* ---- chunks.c */
/* Finds the chunks and reads the tables. False: those at the end may not be there. */
bool store_find_chunks(struct store *s);

/* ---- events.c */
/* The events of the chunk, from the first one on; false: it has none, or is damaged. */
bool store_cursor_load(struct store_cursor *c, const struct store_chunk *chunk);
void store_cursor_give(const struct store_cursor *c, struct trace_event *e);
void store_cursor_release(struct store_cursor *c);

#endif
