/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The encoding of protocol buffers. */
#include "base/protobuf.h"

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, LENGTH_BYTES = 4 };

void pb_number(struct buf *b, u32 field, u64 v)
{
	buf_varint(b, field << 3 | WIRE_NUMBER);
	buf_varint(b, v);
}

void pb_bytes(struct buf *b, u32 field, const void *bytes, size_t len)
{
	buf_varint(b, field << 3 | WIRE_BYTES);
	buf_varint(b, len);
	if (len)
		buf_add(b, bytes, len);
}

void pb_message(struct buf *b, u32 field, struct buf *from)
{
	pb_bytes(b, field, from->s, from->len);
	buf_clear(from);
}

/* The length has the room of four digits, whatever it is. */
size_t pb_begin(struct buf *b, u32 field)
{
	static const u8 room[LENGTH_BYTES];

	buf_varint(b, field << 3 | WIRE_BYTES);
	buf_add(b, room, sizeof room);
	return b->len;
}

void pb_end(struct buf *b, size_t begin)
{
	size_t len = b->len - begin;
	u8 digits[LENGTH_BYTES];

	for (u32 i = 0; i < LENGTH_BYTES; i++)
		digits[i] = (u8)(len >> 7 * i & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0);
	memcpy(b->s + begin - LENGTH_BYTES, digits, sizeof digits);
}
