/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffers: growth, numbers against printf, files, and moving the string out. */
#include <errno.h>
#include <inttypes.h>

#include "base/buf.h"
#include "tap.h"

static void test_append(void)
{
	struct buf b = { 0 };

	buf_clear(&b);
	buf_add(&b, NULL, 0);
	is_str(b.s, "", "adding nothing makes an empty string");
	buf_puts(&b, "ab");
	buf_putc(&b, 'c');
	buf_pad(&b, '.', 3);
	buf_add(&b, "\0z", 2);
	is_int(b.len, 8, "length");
	is_mem(b.s, "abc...\0z", 9, "bytes and the NUL");
	buf_clear(&b);
	is_str(b.s, "", "clear");
	for (int i = 0; i < 1000; i++)
		buf_putc(&b, (char)('a' + i % 26));
	is_int(strlen(b.s), 1000, "putc grows");
	buf_release(&b);
	ok(!b.s && !b.len && !b.cap, "release");
	buf_release(&b);
}

static void test_printf(void)
{
	struct buf b = { 0 };
	bool same = true;
	char want[400];

	for (int w = 0; w < 300; w++) {
		buf_release(&b);
		buf_puts(&b, "x");
		buf_printf(&b, "%*d", w, 7);
		snprintf(want, sizeof want, "x%*d", w, 7);
		same &= streq(b.s, want) && b.len == strlen(want);
	}
	ok(same, "printf of every width grows right");
	buf_release(&b);
}

static bool same_numbers(u64 v)
{
	struct buf b = { 0 };
	char want[100];

	buf_u64(&b, v);
	buf_putc(&b, ' ');
	buf_s64(&b, (s64)v);
	buf_putc(&b, ' ');
	buf_hex(&b, v);
	snprintf(want, sizeof want, "%" PRIu64 " %" PRId64 " %" PRIx64, v, (s64)v, v);

	bool same = streq(b.s, want);

	if (!same)
		note("got %s, want %s", b.s, want);
	buf_release(&b);
	return same;
}

static void test_numbers(void)
{
	bool same = true;

	for (u64 v = 0; v < 12000; v++)
		same &= same_numbers(v) && same_numbers(-v);
	for (u64 p = 1, i = 0; i < 20; i++, p *= 10)
		same &= same_numbers(p - 1) && same_numbers(p) && same_numbers(p + 1);
	for (int i = 0; i < 64; i++)
		same &= same_numbers(1ull << i) && same_numbers((1ull << i) - 1);
	same &= same_numbers(UINT64_MAX) && same_numbers((u64)INT64_MIN);
	ok(same, "numbers are as printf writes them");
}

static void test_steal(void)
{
	struct buf b = { 0 };
	char *s = buf_steal(&b);

	is_str(s, "", "an empty buffer gives an empty string");
	free(s);
	buf_puts(&b, "abc");
	s = buf_steal(&b);
	is_str(s, "abc", "steal moves the string");
	ok(!b.s && !b.len, "and leaves an empty buffer");
	free(s);
}

static void test_read_file(void)
{
	struct buf b = { 0 };

	buf_puts(&b, ">");
	is_int(buf_read_file(&b, "/no/such/file"), -ENOENT, "a missing file");
	is_int(buf_read_file(&b, "/"), -EISDIR, "a directory");
	is_str(b.s, ">", "failure leaves the buffer alone");
	is_int(buf_read_file(&b, "/dev/null"), 0, "an empty file");
	is_str(b.s, ">", "adds nothing");
	is_int(buf_read_file(&b, "/proc/self/status"), 0, "a file of unknown size");
	ok(starts_with(b.s, ">Name:"), "is appended");
	is_int(strlen(b.s), b.len, "whole, with its NUL");
	buf_release(&b);
}

int main(void)
{
	test_append();
	test_printf();
	test_numbers();
	test_steal();
	test_read_file();
	return done();
}
