/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flight recording: the oldest chunks of a file that is being written become a hole, which one
 * CHUNK_GONE covers. So the file is readable at any time, as any other, and takes no more of the
 * disk than was allowed.
 */
#ifndef SONDE_STORE_OVERWRITE_H
#define SONDE_STORE_OVERWRITE_H

#include "base/buf.h"
#include "store/layout.h"

struct overwrite {
	u64 most_bytes, most_ns; /* 0: no such limit */
	struct buf live;         /* struct live_chunk, the oldest first */
	size_t first;            /* offset of the first in live: those before it are gone */
	u64 bytes;               /* of live chunks */
	u64 hole, hole_len;      /* the CHUNK_GONE that is growing; hole_len 0: none */
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
