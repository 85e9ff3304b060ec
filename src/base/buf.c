/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing byte buffer. Invariant after every call: s[len] is NUL and cap > len. Decimal numbers,
 * most of what a tracer prints, are written from the right, two digits at a time from a table.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"

enum { FIRST_CAP = 64, READ_STEP = 4096, MAX_DIGITS = 20 };

void buf_release(struct buf *b)
{
	free(b->s);
	*b = (struct buf){ 0 };
}

void buf_reserve(struct buf *b, size_t more)
{
	if (more > SIZE_MAX / 4 || b->len > SIZE_MAX / 4)
		oom();

	size_t need = b->len + more + 1;

	if (need <= b->cap)
		return;
	b->cap = MAX(need, MAX(b->cap * 2, (size_t)FIRST_CAP));
	b->s = xrealloc(b->s, b->cap);
	b->s[b->len] = '\0';
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	buf_reserve(b, len);
	if (len)
		memcpy(b->s + b->len, bytes, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
	if (b->len + 2 > b->cap)
		buf_reserve(b, 1);
	b->s[b->len++] = c;
	b->s[b->len] = '\0';
}

void buf_pad(struct buf *b, char c, size_t n)
{
	buf_reserve(b, n);
	memset(b->s + b->len, c, n);
	b->len += n;
	b->s[b->len] = '\0';
}

FORMAT(2, 0) void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	buf_reserve(b, 0);
	int n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);

	if (n < 0)
		BUG("cannot format \"%s\"", fmt);
	if ((size_t)n >= b->cap - b->len) {
		buf_reserve(b, (size_t)n);
		vsnprintf(b->s + b->len, b->cap - b->len, fmt, again);
	}
	b->len += (size_t)n;
	va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

static const char two_digits[] = "00010203040506070809"
				 "10111213141516171819"
				 "20212223242526272829"
				 "30313233343536373839"
				 "40414243444546474849"
				 "50515253545556575859"
				 "60616263646566676869"
				 "70717273747576777879"
				 "80818283848586878889"
				 "90919293949596979899";

void buf_u64(struct buf *b, u64 v)
{
	char text[MAX_DIGITS], *end = text + sizeof text, *p = end;

	while (v >= 100) {
		p -= 2;
		memcpy(p, two_digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, two_digits + v * 2, 2);
	} else {
		*--p = (char)('0' + v);
	}
	buf_add(b, p, (size_t)(end - p));
}

void buf_s64(struct buf *b, s64 v)
{
	if (v < 0)
		buf_putc(b, '-');
	buf_u64(b, v < 0 ? -(u64)v : (u64)v);
}

void buf_hex(struct buf *b, u64 v)
{
	char text[16], *end = text + sizeof text, *p = end;

	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	buf_add(b, p, (size_t)(end - p));
}

void buf_varint(struct buf *b, u64 v)
{
	u8 bytes[10];
	u32 n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (u8)(v | 0x80);
	bytes[n++] = (u8)v;
	buf_add(b, bytes, n);
}

void buf_cut(struct buf *b, size_t at, size_t len)
{
	b->len -= len;
	memmove(b->s + at, b->s + at + len, b->len - at);
	b->s[b->len] = '\0';
}

void buf_trim_end(struct buf *b)
{
	while (b->len && b->s[b->len - 1] == ' ')
		b->s[--b->len] = '\0';
}

char *buf_steal(struct buf *b)
{
	buf_reserve(b, 0);

	char *s = b->s;

	*b = (struct buf){ 0 };
	return s;
}

int buf_read_file(struct buf *b, const char *path)
{
	size_t before = b->len;
	_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (;;) {
		buf_reserve(b, READ_STEP);
		ssize_t n = read(fd, b->s + b->len, b->cap - b->len - 1);
		int err = n < 0 ? errno : 0;

		if (err == EINTR)
			continue;
		b->len = err ? before : b->len + (size_t)n;
		b->s[b->len] = '\0';
		if (n <= 0)
			return -err;
	}
}
