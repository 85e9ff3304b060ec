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
 * C1 controls (U+0080 to U+009F), controls of direction and bytes that are no UTF-8 as \xNN for each byte (ECMA-48, RFC 3629).
 */
void buf_visible(struct buf *b, size_t from, enum visible how);
/* Appends such bytes with a blank for each character that would be replaced: what stands below it keeps its column. */
void buf_add_blanked(struct buf *b, const char *s, size_t len);

/* Bytes of the well-formed UTF-8 sequence at s, which begins with a byte of 0x80 or more; 0: it is none. */
size_t utf8_len(const u8 *s, size_t left);
/* The code of the well-formed sequence of n bytes at s, two or more. */
u32 utf8_code(const u8 *s, size_t n);
/*
 * Whether the n bytes of a UTF-8 sequence at s are a C1 control, or end a line or turn the direction in which text is shown,
 * so that what is read is not what is there (UAX #9: marks, embeddings, overrides, isolates).
 */
bool utf8_is_control(const u8 *s, size_t n);

#endif
