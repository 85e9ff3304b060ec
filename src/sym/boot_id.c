/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "2c9f1f0e-...": 32 hexadecimal digits and dashes. */
#include "base/buf.h"
#include "sym/boot_id.h"

static u8 hex_digit(char c)
{
	return (u8)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

void boot_id_read(u8 id[16])
{
	struct buf b = { 0 };
	u32 n = 0;

	memset(id, 0, 16);
	if (!buf_read_file(&b, "/proc/sys/kernel/random/boot_id"))
		for (const char *s = b.s; *s && *s != '\n' && n < 32; s++)
			if (*s != '-') {
				id[n / 2] = (u8)(id[n / 2] << 4 | hex_digit(*s));
				n++;
			}
	buf_release(&b);
}
