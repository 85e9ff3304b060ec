/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bits and bytes as text. Bitmaps are little-endian, as on all supported kernels: bit i is bit i
 * % 8 of byte i / 8. */
#include "trace/event_bits.h"

void put_hex_bytes(struct buf *b, const u8 *p, u32 n, char between)
{
	for (u32 i = 0; i < n; i++) {
		if (i && between)
			buf_putc(b, between);
		buf_printf(b, "%02x", p[i]);
	}
}

static bool bit(const u8 *p, u32 n_bits, u32 i)
{
	return i < n_bits && p[i / 8] >> i % 8 & 1;
}

void put_bit_list(struct buf *b, const u8 *p, u32 n_bits)
{
	const char *between = "";

	for (u32 i = 0, end; i < n_bits; i = end + 1) {
		for (end = i; bit(p, n_bits, end); end++)
			;
		if (end == i)
			continue;
		buf_printf(b, "%s%u", between, i);
		if (end - i > 1)
			buf_printf(b, "-%u", end - 1);
		between = ",";
	}
}

static u32 word_at(const u8 *p, u32 n_bits, u32 word)
{
	u32 n = 0;

	for (u32 i = 0; i < 32; i++)
		n |= (u32)bit(p, n_bits, 32 * word + i) << i;
	return n;
}

void put_bit_words(struct buf *b, const u8 *p, u32 n_bits)
{
	int digits = n_bits % 32 ? (int)(n_bits % 32 + 3) / 4 : 8;

	for (u32 i = (n_bits + 31) / 32; i-- > 0; digits = 8)
		buf_printf(b, "%0*x%s", digits, word_at(p, n_bits, i), i ? "," : "");
}
