/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eight bytes at a time, by tables that are made on first use. */
#include "base/crc32.h"

static u32 table[8][256];

static void make_tables(void)
{
	for (u32 i = 0; i < 256; i++) {
		u32 c = i;

		for (u32 bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
		table[0][i] = c;
	}
	for (u32 k = 1; k < 8; k++)
		for (u32 i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
}

u32 crc32_of(const void *bytes, size_t len)
{
	const u8 *p = bytes;
	u32 c = ~0u;

	if (!table[0][1])
		make_tables();
	for (; len >= 8; len -= 8, p += 8) {
		u32 a, b;

		memcpy(&a, p, 4);
		memcpy(&b, p + 4, 4);
		a ^= c;
		c = table[7][a & 0xff] ^ table[6][a >> 8 & 0xff] ^ table[5][a >> 16 & 0xff] ^
		    table[4][a >> 24] ^ table[3][b & 0xff] ^ table[2][b >> 8 & 0xff] ^
		    table[1][b >> 16 & 0xff] ^ table[0][b >> 24];
	}
	while (len--)
		c = c >> 8 ^ table[0][(c ^ *p++) & 0xff];
	return ~c;
}
