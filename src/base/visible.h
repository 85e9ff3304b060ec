/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of strangers on a terminal. A string of a traced process may hold control characters, which a terminal obeys:
 * they move the cursor, set the title, or make it type answers. Here they become text.
 */
#ifndef SONDE_BASE_VISIBLE_H
#define SONDE_BASE_VISIBLE_H

#include "base/buf.h"

enum visible {
	VISIBLE_NAME, /* one line: \n is written out as well */
	VISIBLE_TEXT, /* lines keep their ends */
};

/*
 * Replaces what a terminal would obey in the bytes of b from `from` on: C0 controls except tab and DEL as \n, \r, \xNN,
 * C1 controls (U+0080 to U+009F) and bytes that are no UTF-8 as \xNN for each byte (ECMA-48, RFC 3629).
 */
void buf_visible(struct buf *b, size_t from, enum visible how);

/* Bytes of the well-formed UTF-8 sequence at s, which begins with a byte of 0x80 or more; 0: it is none. */
size_t utf8_len(const u8 *s, size_t left);
/* Whether the n bytes of a UTF-8 sequence at s are a C1 control. */
static inline bool utf8_is_control(const u8 *s, size_t n)
{
	return n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

#endif
