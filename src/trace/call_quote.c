/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include "trace/call_quote.h"

enum { AT_CWD = -100 };

/* An octal escape is as short as the next character permits. */
static void put_char(struct buf *b, u8 c, bool digit_follows)
{
	static const char plain[] = "\t\n\v\f\r\"\\", letter[] = "tnvfr\"\\";
	const char *at = c ? strchr(plain, c) : NULL;

	if (at)
		buf_printf(b, "\\%c", letter[at - plain]);
	else if (c >= ' ' && c <= '~')
		buf_putc(b, (char)c);
	else
		buf_printf(b, digit_follows ? "\\%03o" : "\\%o", c);
}

static bool is_plain(u8 c)
{
	return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r');
}

/* -x and -xx of strace. */
static bool wants_hex(enum call_hex hex, const u8 *p, u32 n)
{
	u32 i = 0;

	while (i < n && is_plain(p[i]))
		i++;
	return hex == CALL_HEX_ALL || (hex == CALL_HEX_NON_ASCII && i < n);
}

void put_quoted(struct buf *b, const u8 *p, u32 n, enum call_hex hex)
{
	bool all = wants_hex(hex, p, n);

	buf_putc(b, '"');
	for (u32 i = 0; i < n; i++)
		if (all || (hex == CALL_HEX_ESCAPES && !is_plain(p[i])))
			buf_printf(b, "\\x%02x", p[i]);
		else
			put_char(b, p[i], i + 1 < n && p[i + 1] >= '0' && p[i + 1] <= '7');
	buf_putc(b, '"');
}

/* Characters that are not plain, and '<' and '>', in octal. */
static void put_in_angles(struct buf *b, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] == '<' || text[i] == '>')
			buf_printf(b, "\\%o", text[i]);
		else
			put_char(b, (u8)text[i], text[i + 1] >= '0' && text[i + 1] <= '7');
}

/* "</etc/passwd>"; what follows a path, such as its device, is text already: NAMES_REST is
 * between. */
static void put_file_text(struct buf *b, const char *text)
{
	static const char deleted[] = " (deleted)";
	size_t n = strcspn(text, NAMES_REST), tail = sizeof deleted - 1;
	bool is_deleted = n > tail && !memcmp(text + n - tail, deleted, tail);

	buf_putc(b, '<');
	put_in_angles(b, text, n - (is_deleted ? tail : 0));
	buf_puts(b, text[n] ? text + n + 1 : "");
	buf_puts(b, is_deleted ? ">(deleted)" : ">");
}

void put_comm(struct buf *b, const struct call_style *style, s64 pid)
{
	const char *text = style && style->comm && pid > 0 && pid == (s32)pid ?
				   style->comm(style->comm_ctx, (u32)pid) :
				   NULL;

	if (!text)
		return;
	buf_putc(b, '<');
	put_in_angles(b, text, strlen(text));
	buf_putc(b, '>');
}

void put_file(struct buf *b, const struct names *names, s32 fd, bool is_arg)
{
	const char *text = names && names->file && (fd >= 0 || fd == AT_CWD) ?
				   names->file(names->file_ctx, fd, is_arg) :
				   NULL;

	if (text)
		put_file_text(b, text);
}

void put_dump_row(struct buf *b, const u8 *p, u32 at, u32 n)
{
	buf_printf(b, " | %05x ", at);
	for (u32 i = 0; i < CALL_DUMP_ROW; i++) {
		buf_puts(b, i == CALL_DUMP_ROW / 2 ? "  " : " ");
		buf_printf(b, i < n ? "%02x" : "  ", i < n ? p[at + i] : 0);
	}
	buf_puts(b, "  ");
	for (u32 i = 0; i < CALL_DUMP_ROW; i++) {
		u8 c = i < n ? p[at + i] : ' ';

		buf_putc(b, c >= ' ' && c <= '~' ? (char)c : '.');
	}
	buf_puts(b, " |\n");
}
