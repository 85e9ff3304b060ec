/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Untrusted text on a terminal. A string of a traced process may hold control characters, which a
 * terminal obeys: they move the cursor, set the title, or make it send replies. They are escaped
 * here.
 */
#ifndef SONDE_BASE_VISIBLE_H
#define SONDE_BASE_VISIBLE_H

#include "base/buf.h"

enum visible {
	VISIBLE_NAME, /* one line: \n is escaped as well */
	VISIBLE_TEXT, /* newlines are kept */
};

/*
 * Escapes what a terminal would obey in the bytes of b from offset `from` on: C0 controls except
 * tab, and DEL, as \n, \r, \xNN; C1 controls (U+0080 to U+009F), direction controls and bytes that
 * are not UTF-8 as \xNN for each byte (ECMA-48, RFC 3629).
 */
void buf_visible(struct buf *b, size_t from, enum visible how);
/*
 * Appends text with a blank for each character that would be escaped, so that columns stay aligned.
 */
void buf_add_blanked(struct buf *b, const char *s, size_t len);

/*
 * Length of the well-formed UTF-8 sequence at s, whose first byte is 0x80 or more; 0: not
 * well-formed.
 */
size_t utf8_len(const u8 *s, size_t left);
/* The code point of the well-formed sequence of n >= 2 bytes at s. */
u32 utf8_code(const u8 *s, size_t n);
/*
 * The n bytes of the UTF-8 sequence at s are a C1 control, a line separator, or change the
 * direction of text, so that it reads differently from its bytes (UAX #9: marks, embeddings,
 * overrides, isolates).
 */
bool utf8_is_control(const u8 *s, size_t n);

#endif
