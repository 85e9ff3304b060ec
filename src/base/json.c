/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values into a buf. Strings come from kernels and strangers: what is not well-formed UTF-8
 * (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) becomes U+FFFD, one for
 * each bad byte, so that the output is always valid JSON.
 */
#include "base/json.h"

/* Bytes of the well-formed sequence at s (a non-ASCII one), or 0. */
static size_t utf8_len(const u8 *s, size_t left)
{
	u8 c = s[0], lo = 0x80, hi = 0xbf; /* range of the second byte */
	size_t n;

	if (c >= 0xc2 && c <= 0xdf)
		n = 2;
	else if (c >= 0xe0 && c <= 0xef)
		n = 3;
	else if (c >= 0xf0 && c <= 0xf4)
		n = 4;
	else
		return 0;
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	if (n > left || s[1] < lo || s[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void escape_char(struct buf *b, u8 c)
{
	static const char digit[] = "0123456789abcdef";

	switch (c) {
	case '"': buf_add(b, "\\\"", 2); break;
	case '\\': buf_add(b, "\\\\", 2); break;
	case '\n': buf_add(b, "\\n", 2); break;
	case '\r': buf_add(b, "\\r", 2); break;
	case '\t': buf_add(b, "\\t", 2); break;
	default:
		if (c >= 0x80)
			buf_add(b, "\xef\xbf\xbd", 3); /* U+FFFD */
		else
			buf_add(b, (char[]){ '\\', 'u', '0', '0', digit[c >> 4], digit[c & 15] },
				6);
	}
}

void json_escape(struct buf *b, const char *s, size_t len)
{
	const u8 *p = (const u8 *)s;
	size_t from = 0, i = 0; /* bytes in [from, i) are good as they are */

	while (i < len) {
		u8 c = p[i];
		size_t n = c >= 0x80 ? utf8_len(p + i, len - i) : c >= ' ' && c != '"' && c != '\\';

		i += n;
		if (n)
			continue;
		buf_add(b, p + from, i - from);
		escape_char(b, c);
		from = ++i;
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

/* By range: above 2^53 a double holds some integers, but a reader could not tell which. */
void json_u64(struct buf *b, u64 v)
{
	bool quote = v > 1ull << 53;

	if (quote)
		buf_putc(b, '"');
	buf_u64(b, v);
	if (quote)
		buf_putc(b, '"');
}
