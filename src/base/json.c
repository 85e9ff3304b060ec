/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON values into a buf. Strings come from the kernel and from traced programs: each byte
 * that is not well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF) becomes U+FFFD, so that the output is always valid JSON. Control characters are
 * escaped, including DEL and C1, although JSON requires it for C0 only (RFC 8259, 7): terminals
 * obey those, too.
 */
#include "base/json.h"
#include "base/visible.h"

static void escape_code(struct buf *b, u32 c)
{
	static const char digit[] = "0123456789abcdef";

	buf_add(b,
		(char[]){ '\\', 'u', digit[c >> 12], digit[c >> 8 & 15], digit[c >> 4 & 15],
			  digit[c & 15] },
		6);
}

/* Returns the number of bytes at s that were consumed. */
static size_t escape_char(struct buf *b, const u8 *s, size_t left)
{
	size_t n = utf8_len(s, left);
	u8 c = *s;

	switch (c) {
	case '"': buf_add(b, "\\\"", 2); break;
	case '\\': buf_add(b, "\\\\", 2); break;
	case '\n': buf_add(b, "\\n", 2); break;
	case '\r': buf_add(b, "\\r", 2); break;
	case '\t': buf_add(b, "\\t", 2); break;
	default:
		if (c < 0x80) {
			escape_code(b, c);
		} else if (utf8_is_control(s, n)) {
			escape_code(b, utf8_code(s, n));
			return n;
		} else {
			buf_add(b, "\xef\xbf\xbd", 3); /* U+FFFD */
		}
	}
	return 1;
}

/* Length of the character at s if it needs no escape, else 0. */
static size_t plain_len(const u8 *s, size_t left)
{
	size_t n;

	if (*s < 0x80)
		return *s >= ' ' && *s != '"' && *s != '\\' && *s != 0x7f;
	n = utf8_len(s, left);
	return utf8_is_control(s, n) ? 0 : n;
}

void json_escape(struct buf *b, const char *s, size_t len)
{
	const u8 *p = (const u8 *)s;
	size_t from = 0, i = 0; /* bytes in [from, i) need no escape */

	while (i < len) {
		size_t n = plain_len(p + i, len - i);

		i += n;
		if (n)
			continue;
		buf_add(b, p + from, i - from);
		i += escape_char(b, p + i, len - i);
		from = i;
	}
	if (i > from)
		buf_add(b, p + from, i - from);
}

void json_str(struct buf *b, const char *s, size_t len)
{
	buf_putc(b, '"');
	json_escape(b, s, len);
	buf_putc(b, '"');
}

void json_strz(struct buf *b, const char *s)
{
	json_str(b, s, strlen(s));
}

/* By range: above 2^53 a double holds some integers exactly, but a reader could not tell which. */
void json_u64(struct buf *b, u64 v)
{
	bool quote = v > 1ull << 53;

	if (quote)
		buf_putc(b, '"');
	buf_u64(b, v);
	if (quote)
		buf_putc(b, '"');
}
