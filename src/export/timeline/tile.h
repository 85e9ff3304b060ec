/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans of a range of time as bytes, for the page (view/tile.js reads them). With a step, spans
 * that are shorter than it are merged: a lane has one record for each step at most, and one for
 * each longer span. With step 0 all are there.
 *
 *	tile: varint step, varint events, record ...
 *	record: varint code, varint zigzag(t0 - t0 of the record before), varint t1 - t0, varint arg, varint extra
 *	code: key << 5 | kind << 2 | is_open << 1 | is_merged
 *
 * The first t0 is relative to the beginning of the recording. Of a merged record t0 is a multiple
 * of the step, arg is that of the longest span in it, and extra is number << 16 | waits << 8 |
 * fills: how much of the step they fill, 0 to 255; of threads fills is how long it runs, and waits
 * how long it is runnable.
 */
#ifndef SONDE_EXPORT_TIMELINE_TILE_H
#define SONDE_EXPORT_TIMELINE_TILE_H

#include "base/buf.h"
#include "export/timeline/model.h"

struct tile_cell { /* of a lane: short spans of the same step */
	u64 step, filled, waits, longest, arg;
	u32 n, reserved;
};

struct tiler {
	u64 origin, step; /* origin: time 0 of the page */
	u64 last;         /* t0 of the last record */
	struct buf out;   /* records */
	u64 n_events;
	struct tile_cell *cells[N_LANE_KINDS]; /* by key */
	u32 n_cells[N_LANE_KINDS];
};

/* Zeroed before: only origin and step are set. */
void tiler_add(struct tiler *t, const struct timeline_span *s);
/* What is merged goes out, and the tile to *to, which it replaces; the next one can begin. */
void tiler_end(struct tiler *t, struct buf *to);
void tiler_copy(struct tiler *to, const struct tiler *from);
void tiler_release(struct tiler *t);

#endif
