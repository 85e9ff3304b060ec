/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of a chunk that are taken one after the other. */
#ifndef SONDE_STORE_BYTES_H
#define SONDE_STORE_BYTES_H

#include "base/base.h"

struct bytes {
	const u8 *at, *end;
};

/* The next len bytes; NULL: fewer are left. */
static inline const void *bytes_take(struct bytes *b, size_t len)
{
	const u8 *at = b->at;

	if (len > (size_t)(b->end - at))
		return NULL;
	b->at += len;
	return at;
}

/* A number as buf_varint() writes it; a truncated one ends where the bytes end. */
static inline u64 bytes_varint(struct bytes *b)
{
	u64 v = 0;

	for (u32 shift = 0; b->at < b->end; shift += 7) {
		u8 byte = *b->at++;

		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

#endif
