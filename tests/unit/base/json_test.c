/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON strings from good and bad bytes, and integers around 2^53. */
#include "base/json.h"
#include "tap.h"

#define BAD "\xef\xbf\xbd"

static void is_escaped(const char *in, size_t len, const char *want)
{
	struct buf b = { 0 };

	json_str(&b, in, len);
	is_str(b.s, want, "%s", want);
	buf_release(&b);
}
#define ESCAPED(in, want) is_escaped(in, sizeof(in) - 1, "\"" want "\"")

static void is_number(u64 v, const char *want)
{
	struct buf b = { 0 };

	json_u64(&b, v);
	is_str(b.s, want, "%s", want);
	buf_release(&b);
}

int main(void)
{
	struct buf b = { 0 };

	ESCAPED("", "");
	ESCAPED("plain text", "plain text");
	ESCAPED("a\"b\\c", "a\\\"b\\\\c");
	ESCAPED("\n\r\t", "\\n\\r\\t");
	ESCAPED("\0\x01\x1f\x7f", "\\u0000\\u0001\\u001f\\u007f");
	ESCAPED("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d",
		"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d");
	ESCAPED("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
	ESCAPED("a\xc2\x9b"
		"b\xc2\xa0",
		"a\\u009bb\xc2\xa0");
	ESCAPED("a\xe2\x80\xae"
		"b\xd8\x9c",
		"a\\u202eb\\u061c");
	ESCAPED("\x80", BAD);
	ESCAPED("a\377b", "a" BAD "b");
	ESCAPED("\xc3", BAD); /* cut short */
	ESCAPED("\xe2\x82", BAD BAD);
	ESCAPED("\xe2\x82\"", BAD BAD "\\\"");
	ESCAPED("\xc0\xaf", BAD BAD); /* overlong */
	ESCAPED("\xe0\x80\xaf", BAD BAD BAD);
	ESCAPED("\xf0\x80\x80\xaf", BAD BAD BAD BAD);
	ESCAPED("\xed\xa0\x80", BAD BAD BAD);         /* a surrogate */
	ESCAPED("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* above U+10FFFF */

	json_strz(&b, "z");
	json_escape(&b, "\"q\"", 3);
	is_str(b.s, "\"z\"\\\"q\\\"", "strz, and escape without quotes");
	buf_release(&b);

	is_number(0, "0");
	is_number(1ull << 53, "9007199254740992");
	is_number((1ull << 53) + 1, "\"9007199254740993\"");
	is_number(UINT64_MAX, "\"18446744073709551615\"");
	return done();
}
