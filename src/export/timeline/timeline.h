/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as a picture: tiles at levels of zoom, over one pass of the file. Level k has 4^k
 * tiles. Those of the first levels are made in that pass and kept; for the others the pass leaves
 * checkpoints, and a tile is made from the one before it. Memory is bounded, whatever the length of
 * the file.
 */
#ifndef SONDE_EXPORT_TIMELINE_TIMELINE_H
#define SONDE_EXPORT_TIMELINE_TIMELINE_H

#include "export/timeline/tile.h"

enum {
	TIMELINE_STEPS = 1024, /* in a tile */
	TIMELINE_LEVELS = 3,   /* that are kept */
	TIMELINE_CHECKPOINTS = 128,
	TIMELINE_EXACT = 128 << 10, /* bytes of a tile up to which nothing in it is merged */
};

struct timeline_checkpoint {
	u64 time, number; /* of the first event after it, counted from 0 */
	struct timeline_now now;
};

struct timeline_level {
	struct tiler tiler;
	struct buf *tiles; /* of n_done; NULL: the level has become too large */
	u32 n_done;
	u64 bytes;
};

struct timeline { /* timeline_init(), timeline_release() */
	struct store *store;
	struct model model;
	u64 from, to;       /* the range: of its first and last possible event */
	const char *damage; /* what an importer could not read, set by the caller; or NULL */
	u64 most_bytes;     /* of tiles that are kept, and again of checkpoints */
	/* The pass over the file. */
	struct timeline_now now;
	u64 done_to, n_done; /* events before this time are in it */
	bool is_done;
	struct timeline_level levels[TIMELINE_LEVELS];
	VEC(struct timeline_checkpoint *) checkpoints;
	u64 n_between; /* events from a checkpoint to the next */
};

/* from, to: of --time; 0, ~0: all of it. */
void timeline_init(struct timeline *t, struct store *s, u64 from, u64 to, u64 most_bytes);
void timeline_release(struct timeline *t);
/* Goes on with the pass, for some n events. False: it is done. */
bool timeline_advance(struct timeline *t, u64 n);
/* How long a tile of the level is, and its beginning, in ns from t->from. */
u64 timeline_tile_len(const struct timeline *t, u32 level);
/* False: the pass has not come so far, or there is no such tile. Of a tile of the first levels that
 * the pass is in, what is known so far. */
bool timeline_tile(struct timeline *t, u32 level, u64 index, struct buf *to);
/* All of it, without steps. */
void timeline_exact(struct timeline *t, struct buf *to);

/* store_next() returns the events from `from` to `to`. Later calls for the timeline restore their
 * own position. */
void timeline_range(struct timeline *t, u64 from, u64 to);
/* Before the event of that number, or before the first one at that time: the next store_next() is
 * at or before it, and *number is that of what it will return. */
void timeline_seek_number(struct timeline *t, u64 wanted, u64 *number);
void timeline_seek_time(struct timeline *t, u64 time, u64 *number);

#endif
