/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of DWARF, read sequentially from untrusted bytes. */
#ifndef SONDE_OBJECT_BYTES_H
#define SONDE_OBJECT_BYTES_H

#include "base/base.h"

struct bytes {
	const u8 *at, *end;
	bool bad; /* the bytes ended early; what was read past the end is 0 */
};

static inline u64 bytes_take(struct bytes *b, u32 size)
{
	u64 v = 0;

	if ((u64)(b->end - b->at) < size) {
		b->bad = true;
		return 0;
	}
	memcpy(&v, b->at, size); /* little-endian, like this machine */
	b->at += size;
	return v;
}

static inline u64 bytes_uleb(struct bytes *b)
{
	u64 v = 0;
	u32 shift = 0;
	u8 byte;

	do {
		byte = (u8)bytes_take(b, 1);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad);
	return v;
}

static inline s64 bytes_sleb(struct bytes *b)
{
	const u8 *from = b->at;
	u64 v = bytes_uleb(b);
	u32 bits = (u32)(b->at - from) * 7;

	return bits && bits < 64 && b->at[-1] & 0x40 ? (s64)(v | ~0ull << bits) : (s64)v;
}

#endif
