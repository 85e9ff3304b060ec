/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes control characters. Input: a buffer whose tail came from a traced process or a foreign
 * file. Output: the same buffer without any byte that a terminal obeys. Text without such bytes is
 * only read.
 */
#include "base/visible.h"

size_t utf8_len(const u8 *s, size_t left)
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

u32 utf8_code(const u8 *s, size_t n)
{
	u32 code = s[0] & (0x7f >> n);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

bool utf8_is_control(const u8 *s, size_t n)
{
	static const struct {
		u16 first, last;
	} rows[] = { { 0x80, 0x9f },
		     { 0x61c, 0x61c },
		     { 0x200e, 0x200f },
		     { 0x2028, 0x202e },
		     { 0x2066, 0x2069 } };
	u32 code = n == 2 || n == 3 ? utf8_code(s, n) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (code >= rows[i].first && code <= rows[i].last)
			return true;
	return false;
}

/* Length of the character at s if it needs no escape, else 0. */
static size_t plain_len(const u8 *s, size_t left, enum visible how)
{
	size_t n;

	if (*s < 0x80)
		return (*s >= ' ' && *s != 0x7f) || *s == '\t' ||
		       (*s == '\n' && how == VISIBLE_TEXT);
	n = utf8_len(s, left);
	return n && !utf8_is_control(s, n) ? n : 0;
}

static size_t plain_prefix(const u8 *s, size_t len, enum visible how)
{
	size_t i = 0, n;

	while (i < len && (n = plain_len(s + i, len - i, how)))
		i += n;
	return i;
}

static void put_escaped(struct buf *b, u8 c)
{
	static const char digit[] = "0123456789abcdef";

	if (c == '\n' || c == '\r')
		buf_add(b, c == '\n' ? "\\n" : "\\r", 2);
	else
		buf_add(b, (char[]){ '\\', 'x', digit[c >> 4], digit[c & 15] }, 4);
}

/* Appends the character at s, unchanged or escaped byte by byte; returns its length. */
static size_t put_visible(struct buf *b, const u8 *s, size_t left, enum visible how)
{
	size_t n = plain_len(s, left, how);

	if (n) {
		buf_add(b, s, n);
		return n;
	}
	n = *s >= 0x80 ? MAX(utf8_len(s, left), (size_t)1) : 1;
	for (size_t i = 0; i < n; i++)
		put_escaped(b, s[i]);
	return n;
}

void buf_visible(struct buf *b, size_t from, enum visible how)
{
	size_t len = b->len - from, plain = len ? plain_prefix((u8 *)b->s + from, len, how) : 0;
	struct buf rest = { 0 };

	if (plain == len)
		return;
	buf_add(&rest, b->s + from + plain, len - plain);
	b->len = from + plain;
	for (size_t i = 0; i < rest.len;)
		i += put_visible(b, (u8 *)rest.s + i, rest.len - i, how);
	buf_release(&rest);
}

void buf_add_blanked(struct buf *b, const char *text, size_t len)
{
	const u8 *s = (const u8 *)text;

	for (size_t i = 0, n; i < len; i += n) {
		bool plain = (n = plain_len(s + i, len - i, VISIBLE_NAME));

		n = plain ? n : MAX(s[i] >= 0x80 ? utf8_len(s + i, len - i) : 0, (size_t)1);
		if (plain)
			buf_add(b, s + i, n);
		/* A stray continuation byte is not a character and has no column. */
		else if ((s[i] & 0xc0) != 0x80)
			buf_putc(b, ' ');
	}
}
