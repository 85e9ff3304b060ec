/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads bytes that are not trusted, from the beginning to the end. What is not there reads as zero,
 * and then the cursor has failed and is at its end: one look at `failed` after many reads is
 * enough.
 */
#ifndef SONDE_BASE_CURSOR_H
#define SONDE_BASE_CURSOR_H

#include "base/base.h"

struct cursor {
	const u8 *at, *end;
	bool failed;
};

/* bytes: may be NULL if there are none. */
static inline struct cursor cursor_of(const void *bytes, size_t len)
{
	return (struct cursor){ bytes, len ? (const u8 *)bytes + len : bytes, false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* len bytes, or NULL. A cursor that is all zero is at its end. */
static inline const u8 *take_bytes(struct cursor *c, u64 len)
{
	const u8 *at = c->at;

	if (!len)
		return at;
	if (len > cursor_left(c)) {
		c->failed = true;
		c->at = c->end;
		return NULL;
	}
	c->at += len;
	return at;
}

static inline void take_to(struct cursor *c, void *to, size_t len)
{
	const u8 *at = take_bytes(c, len);

	if (at)
		memcpy(to, at, len);
	else
		memset(to, 0, len);
}

static inline u8 take_u8(struct cursor *c)
{
	u8 n;

	take_to(c, &n, sizeof n);
	return n;
}

static inline u16 take_u16(struct cursor *c)
{
	u16 n;

	take_to(c, &n, sizeof n);
	return n;
}

static inline u32 take_u32(struct cursor *c)
{
	u32 n;

	take_to(c, &n, sizeof n);
	return n;
}

static inline u64 take_u64(struct cursor *c)
{
	u64 n;

	take_to(c, &n, sizeof n);
	return n;
}

/* Up to its NUL, which is passed; "" if there is none. */
static inline const char *take_cstring(struct cursor *c)
{
	const u8 *begin = c->at;

	while (begin && c->at < c->end)
		if (!*c->at++)
			return (const char *)begin;
	c->failed = true;
	return "";
}

/* The bytes from offset on, up to len of them; failed if they are not all there. */
static inline struct cursor cursor_part(const void *bytes, size_t len, u64 offset, u64 want)
{
	struct cursor c = cursor_of(bytes, len);

	take_bytes(&c, offset);
	if (c.failed)
		return c;
	c.failed = want > cursor_left(&c);
	c.end = c.failed ? c.end : c.at + want;
	return c;
}

#endif
