/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing byte buffer on malloc; always NUL-terminated after buf_* calls, so .s is a C string. */
#ifndef SONDE_BASE_BUF_H
#define SONDE_BASE_BUF_H

#include <stdarg.h>
#include "base/base.h"

struct buf {
	char *s;
	size_t len, cap;
};

void buf_release(struct buf *b);
static inline void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = '\0';
}
/* Room for `more` bytes and the NUL. */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_pad(struct buf *b, char c, size_t n); /* c, n times */
void buf_printf(struct buf *b, const char *fmt, ...) FORMAT(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
/* Decimal without printf: on the per-event path. */
void buf_u64(struct buf *b, u64 v);
void buf_s64(struct buf *b, s64 v);
void buf_hex(struct buf *b, u64 v); /* no prefix, lower case */
/* LEB128: seven bits a byte, the lowest first; the top bit is set in all but the last. */
void buf_varint(struct buf *b, u64 v);
/* Takes len bytes at `at` out. */
void buf_cut(struct buf *b, size_t at, size_t len);
/* Takes blanks at the end off. */
void buf_trim_end(struct buf *b);
/* Moves the string out; the caller frees it. Never NULL. */
char *buf_steal(struct buf *b);
/* Appends a whole file; 0 or -errno. Works for /proc and /sys files of unknown size. */
int buf_read_file(struct buf *b, const char *path);

#endif
