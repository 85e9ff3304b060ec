/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of LZ4, by its public description (lz4_Block_format.md): compressed greedily, for
 * speed. */
#ifndef SONDE_STORE_LZ4_H
#define SONDE_STORE_LZ4_H

#include "base/base.h"

/* The most bytes that lz4_pack() writes for n. */
size_t lz4_bound(size_t n);
/* Returns the length. `to` has lz4_bound(n) bytes; n < 2 GB. */
size_t lz4_pack(u8 *to, const u8 *from, size_t n);
/* Whether `from` is a valid block of exactly to_len bytes, which are then in `to`. */
bool lz4_unpack(u8 *to, size_t to_len, const u8 *from, size_t n);

#endif
