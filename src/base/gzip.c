/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: bytes. Out: a gzip file: header, stored blocks of at most 65535 bytes, checksum, length. */
#include "base/crc32.h"
#include "base/gzip.h"

enum { MOST_STORED = 65535 };

static void put_le(struct buf *b, u32 v, u32 n_bytes)
{
	for (u32 i = 0; i < n_bytes; i++)
		buf_putc(b, (char)(v >> 8 * i));
}

void gzip_store(struct buf *out, const void *bytes, size_t len)
{
	/* method 8, no flags, no time, no level, unknown system */
	static const u8 header[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	size_t at = 0;

	buf_add(out, header, sizeof header);
	do {
		u32 n = (u32)MIN(len - at, (size_t)MOST_STORED);

		buf_putc(out, at + n == len); /* the last block */
		put_le(out, n, 2);
		put_le(out, ~n, 2);
		buf_add(out, (const char *)bytes + at, n);
		at += n;
	} while (at < len);
	put_le(out, crc32_of(bytes, len), 4);
	put_le(out, (u32)len, 4);
}
