/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random access to a recording, for a reader that jumps about in it as a viewer does. After
 * store_open() (store/read.h), which reads the index and no events:
 *
 *	for (u32 cpu = 0; cpu < store_cpus(s); cpu++) {
 *		chunk = store_chunks(s, cpu, from, to, &n);      a binary search
 *		for (i = 0; i < n; i++)
 *			counts = store_counts(s, &chunk[i], &kinds);     from the index, no event is read
 *	}
 *	cursor = store_chunk_open(s, chunk);                     one pread(2), one decompression
 *	while (store_chunk_next(cursor, &e)) ...
 *
 * store_tables() has the first and the last time. Times are nanoseconds of the boot clock; a range
 * is from <= time < to. An index that is missing or damaged is made again from the heads of the
 * chunks, and counts that it lacks (of a recorder that was killed, of version 1) from the chunk
 * itself.
 */
#ifndef SONDE_STORE_CHUNKS_H
#define SONDE_STORE_CHUNKS_H

#include "store/read.h"

struct store_chunk { /* of the events of one processor */
	u64 offset;  /* in the file */
	u64 t0, t1;  /* of its first and its last event */
	u32 n_events, cpu;
	/* The rest is for this room: times for the search, which are in order even if chunks
	 * overlap, and where its counts are. */
	u64 earliest, latest;
	u32 first_count, n_counts;
};

/* One more than the highest number of a processor that has events. */
u32 store_cpus(const struct store *s);
/* Chunks of that processor which may have events of that range, in the order of time, valid until
 * store_close(); *n: their number. All: from 0, to ~0. */
const struct store_chunk *store_chunks(const struct store *s, u32 cpu, u64 from, u64 to, u32 *n);
/* How many events the chunk has of each format; *n: the number of formats, 0 if the chunk is
 * damaged. Valid until the next call. */
const struct store_count *store_counts(struct store *s, const struct store_chunk *c, u32 *n);
/* The format of a store_count; NULL: there is none. */
const struct event_format *store_format_of(const struct store *s, u32 number);
/* Events that were noticed to be lost in that range, of any processor. */
u64 store_lost_between(const struct store *s, u64 from, u64 to);

/* The events of a chunk in the order of their times. NULL: it cannot be read; store_damage(). */
struct store_cursor *store_chunk_open(struct store *s, const struct store_chunk *c);
/* False: there is no more. The event is valid until store_chunk_close(). */
bool store_chunk_next(struct store_cursor *c, struct trace_event *e);
/* The next event is the first one at or after that time. */
void store_chunk_seek(struct store_cursor *c, u64 time);
void store_chunk_close(struct store_cursor *c);

#endif
