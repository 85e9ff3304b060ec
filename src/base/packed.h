/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data of the program that few runs need is compressed in it (deflate, RFC 1951) and unpacked on
 * first use. src/ROOM/packed.def lists the tables of a room; build-aux/packed.py packs.
 */
#ifndef SONDE_BASE_PACKED_H
#define SONDE_BASE_PACKED_H

#include "base/base.h"

struct packed_data {
	const u8 *bytes;
	u32 len, whole; /* bytes packed and unpacked */
};

/* In memory of its own, with a NUL behind it. */
char *unpack(const struct packed_data *p);
/* Whether `from` holds exactly `whole` bytes, which are then in `to`. */
bool inflate_bytes(u8 *to, size_t whole, const u8 *from, size_t len);

#endif
