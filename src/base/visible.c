/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control characters as text. In: a buffer whose end came from a traced process or a foreign file. Out: the same
 * buffer, in which nothing is left that a terminal obeys. Text without such bytes is only read.
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

/* Bytes at s that may stay as they are: a character, or 0. */
static size_t plain_len(const u8 *s, size_t left, enum visible how)
{
	size_t n;

	if (*s < 0x80)
		return (*s >= ' ' && *s != 0x7f) || *s == '\t' || (*s == '\n' && how == VISIBLE_TEXT);
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

/* Appends the character at s, as it is or escaped byte by byte; returns its length. */
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
