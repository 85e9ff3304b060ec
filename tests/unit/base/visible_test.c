/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control characters of foreign text: escaped for terminals, everything else as it was. */
#include "base/visible.h"
#include "tap.h"

static void is_visible(const char *in, size_t len, enum visible how, const char *want)
{
	struct buf b = { 0 };

	buf_puts(&b, "\033["); /* our own: stays */
	buf_add(&b, in, len);
	buf_visible(&b, 2, how);
	is_str(b.s + 2, want, "%s", want);
	ok(!memcmp(b.s, "\033[", 2), "what was there before is not touched");
	buf_release(&b);
}
#define NAME(in, want) is_visible(in, sizeof(in) - 1, VISIBLE_NAME, want)
#define TEXT(in, want) is_visible(in, sizeof(in) - 1, VISIBLE_TEXT, want)

static void is_blanked(const char *in, const char *want)
{
	struct buf b = { 0 };

	buf_add_blanked(&b, in, strlen(in));
	is_str(b.s, want, "a line with blanks");
	buf_release(&b);
}

/* Every pair of bytes: the result is valid UTF-8 without controls. */
static void all_pairs(void)
{
	u32 bad = 0;

	for (u32 v = 0; v < 0x10000; v++) {
		struct buf b = { 0 };

		buf_add(&b, (char[]){ (char)(v >> 8), (char)v }, 2);
		buf_visible(&b, 0, VISIBLE_NAME);
		for (size_t i = 0, n; i < b.len; i += n) {
			u8 c = (u8)b.s[i];

			n = c < 0x80 ? 1 : utf8_len((u8 *)b.s + i, b.len - i);
			bad += !n || (c < ' ' && c != '\t') || c == 0x7f ||
			       utf8_is_control((u8 *)b.s + i, n);
			n = MAX(n, (size_t)1);
		}
		buf_release(&b);
	}
	is_int(bad, 0, "no pair of bytes leaves a control");
}

int main(void)
{
	NAME("", "");
	NAME("plain\ttext\\", "plain\ttext\\");
	NAME("\033]0;title\007", "\\x1b]0;title\\x07");
	NAME("a\nb\rc", "a\\nb\\rc");
	TEXT("a\nb\rc", "a\nb\\rc");
	NAME("a\0b\x7f", "a\\x00b\\x7f");
	NAME("caf\xc3\xa9 \xf0\x9f\x90\x9d", "caf\xc3\xa9 \xf0\x9f\x90\x9d");
	NAME("\xc2\x9b"
	     "31m\xc2\xa0",
	     "\\xc2\\x9b"
	     "31m\xc2\xa0");
	NAME("\x9b"
	     "31m\xc3",
	     "\\x9b"
	     "31m\\xc3");
	NAME("a\xe2\x80\xae"
	     "gpj.exe",
	     "a\\xe2\\x80\\xae"
	     "gpj.exe"); /* U+202E */
	NAME("\xd8\x9c\xe2\x80\x8f\xe2\x81\xa6", "\\xd8\\x9c\\xe2\\x80\\x8f\\xe2\\x81\\xa6");
	TEXT("a\xe2\x80\xa8"
	     "b",
	     "a\\xe2\\x80\\xa8"
	     "b"); /* ends a line */
	NAME("\xd7\xa9\xd8\xb9 \xe2\x80\x8d\xe2\x80\xa7",
	     "\xd7\xa9\xd8\xb9 \xe2\x80\x8d\xe2\x80\xa7");
	is_int(utf8_code((const u8 *)"\xc3\xa9", 2), 0xe9, "code of two bytes");
	is_int(utf8_code((const u8 *)"\xe2\x80\xae", 3), 0x202e, "code of three bytes");
	is_int(utf8_code((const u8 *)"\xf0\x9f\x90\x9d", 4), 0x1f41d, "code of four bytes");
	is_blanked("a\033b\xc2\x9b"
		   "c\x9b"
		   "d\xc3\xa9\xe2\x80\xae"
		   "e\xc3",
		   "a b cd\xc3\xa9 e ");
	all_pairs();
	return done();
}
