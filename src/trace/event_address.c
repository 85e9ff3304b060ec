/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %pI4, %pI6 and %pU of lib/vsprintf.c: bytes of a record as the text of an address. */
#include "trace/event_address.h"

void put_ip4(struct buf *b, const u8 *p)
{
	buf_printf(b, "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
}

/* ::ffff:1.2.3.4, and ISATAP's ...:0:5efe:1.2.3.4 (lib/vsprintf.c, ip6_compressed_string) */
static bool ends_as_ip4(const u8 *p)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff }, isatap[4] = { 0, 0, 0x5e, 0xfe };

	return memcmp(p, mapped, sizeof mapped) == 0 ||
	       ((p[8] & ~2) == 0 && memcmp(p + 9, isatap + 1, 3) == 0);
}

void put_ip6(struct buf *b, const u8 *p)
{
	bool with_ip4 = ends_as_ip4(p);
	u32 best = 0, at = 8, groups = with_ip4 ? 6 : 8;

	for (u32 i = 0; i < groups; i++) {
		u32 n = 0;

		while (i + n < groups && !p[2 * (i + n)] && !p[2 * (i + n) + 1])
			n++;
		if (n > 1 && n > best)
			best = n, at = i;
	}
	for (u32 i = 0; i < groups; i++) {
		if (i == at) {
			buf_puts(b, "::");
			i += best - 1;
			continue;
		}
		buf_printf(b, "%s%x", i && i != at + best ? ":" : "", p[2 * i] << 8 | p[2 * i + 1]);
	}
	if (!with_ip4)
		return;
	if (at + best != groups)
		buf_putc(b, ':');
	put_ip4(b, p + 12);
}

void put_ip6_whole(struct buf *b, const u8 *p, const char *between)
{
	for (u32 i = 0; i < 8; i++)
		buf_printf(b, "%s%02x%02x", i ? between : "", p[2 * i], p[2 * i + 1]);
}

void put_uuid(struct buf *b, const u8 *p, u32 n, bool little)
{
	static const u8 turned[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (u32 i = 0; n >= 16 && i < 16; i++)
		buf_printf(b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			   p[little ? turned[i] : i]);
}
