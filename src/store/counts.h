/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many events of each format a chunk has. */
#ifndef SONDE_STORE_COUNTS_H
#define SONDE_STORE_COUNTS_H

#include "base/buf.h"
#include "store/layout.h"

/* Adds a store_count for each number that is not 0, in the order of formats; sets those numbers to
 * 0. Returns how many rows there are. */
u32 counts_put(struct buf *rows, u32 *by_format, u32 n);
/* The same for the body of a chunk of events, after decompression. 0: it is damaged. */
u32 counts_of_chunk(struct buf *rows, const struct chunk_head *h, const u8 *raw);

#endif
