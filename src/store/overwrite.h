/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flight recording: the chunks of a file that is being written whose events are the oldest become
 * holes; one CHUNK_GONE covers those that follow each other. So the file is readable at any time,
 * as any other, and takes no more of the disk than was allowed.
 */
#ifndef SONDE_STORE_OVERWRITE_H
#define SONDE_STORE_OVERWRITE_H

#include "base/buf.h"
#include "store/layout.h"

struct overwrite {
	u64 most_bytes, most_ns; /* 0: no such limit */
	struct buf live;         /* struct live_chunk, as they were written */
	u64 bytes;               /* of live chunks */
	struct buf holes;        /* struct hole: each is one CHUNK_GONE */
};

/* A chunk of len bytes, its head included, was written. Tables that events need are never
 * dropped. */
void overwrite_note(struct overwrite *o, const struct chunk_head *h, u64 offset, u32 len);
/* Drops what is beyond the limits; now: the latest time. Calls gone() for each chunk. 0 or
 * -errno. */
int overwrite_drop(struct overwrite *o, int fd, u64 now, void (*gone)(void *ctx, u64 offset),
		   void *ctx);
void overwrite_release(struct overwrite *o);

#endif
