/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block is a run of sequences: token (u4 literals, u4 match - 4), more bytes of each length if it
 * is 15, the literals, u16 distance of the match. The last sequence ends after its literals; the
 * last five bytes are always literals, and a match begins twelve bytes before the end at the
 * latest.
 */
#include "store/lz4.h"

enum { HASH_BITS = 14, MIN_MATCH = 4, LAST_LITERALS = 5, LAST_MATCH = 12, MOST_BACK = 65535 };

size_t lz4_bound(size_t n)
{
	return n + n / 255 + 16;
}

static u32 read32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* The rest of a length that did not fit the token. */
static u8 *put_length(u8 *to, size_t n)
{
	for (; n >= 255; n -= 255)
		*to++ = 255;
	*to++ = (u8)n;
	return to;
}

static u8 *put_sequence(u8 *to, const u8 *literals, size_t n, size_t match, size_t back)
{
	size_t more = match - MIN_MATCH;
	u8 *token = to++;

	*token = (u8)(MIN(n, 15u) << 4 | MIN(more, 15u));
	if (n >= 15)
		to = put_length(to, n - 15);
	memcpy(to, literals, n);
	to += n;
	*to++ = (u8)back;
	*to++ = (u8)(back >> 8);
	return more >= 15 ? put_length(to, more - 15) : to;
}

static u8 *put_last(u8 *to, const u8 *literals, size_t n)
{
	*to++ = (u8)(MIN(n, 15u) << 4);
	if (n >= 15)
		to = put_length(to, n - 15);
	memcpy(to, literals, n);
	return to + n;
}

static size_t match_length(const u8 *a, const u8 *b, const u8 *end)
{
	const u8 *start = b;

	while (b < end && *a == *b) {
		a++;
		b++;
	}
	return (size_t)(b - start);
}

size_t lz4_pack(u8 *to, const u8 *from, size_t n)
{
	static u32 seen[1 << HASH_BITS]; /* position + 1 of the last four bytes with that hash */
	const u8 *at = from, *literals = from, *end = from + n;
	u8 *out = to;
	u32 misses = 0;

	memset(seen, 0, sizeof seen);
	while (n > LAST_MATCH && at < end - LAST_MATCH) {
		u32 word = read32(at), *slot = &seen[word * 2654435761u >> (32 - HASH_BITS)];
		const u8 *before = from + *slot - 1;
		bool is_match = *slot && at - before <= MOST_BACK && read32(before) == word;

		*slot = (u32)(at - from) + 1;
		if (!is_match) {
			at += 1 + (misses++ >> 6); /* bytes that do not repeat are passed over */
			continue;
		}
		size_t len = match_length(before, at, end - LAST_LITERALS);

		out = put_sequence(out, literals, (size_t)(at - literals), len,
				   (size_t)(at - before));
		literals = at += len;
		misses = 0;
	}
	return (size_t)(put_last(out, literals, (size_t)(end - literals)) - to);
}

/* Adds bytes to a length of 15; false at the end of the input. */
static bool more_length(const u8 **at, const u8 *end, size_t *len)
{
	u8 byte = 255;

	while (byte == 255) {
		if (*at == end)
			return false;
		byte = *(*at)++;
		*len += byte;
	}
	return true;
}

bool lz4_unpack(u8 *to, size_t to_len, const u8 *from, size_t n)
{
	const u8 *at = from, *end = from + n;
	u8 *out = to, *out_end = to + to_len;

	while (at < end) {
		u8 token = *at++;
		size_t len = token >> 4, match = token & 15, back;

		if (len == 15 && !more_length(&at, end, &len))
			return false;
		if (len > (size_t)(end - at) || len > (size_t)(out_end - out))
			return false;
		memcpy(out, at, len);
		out += len;
		at += len;
		if (at == end)
			return out == out_end;
		if (end - at < 2)
			return false;
		back = at[0] | (size_t)at[1] << 8;
		at += 2;
		if (match == 15 && !more_length(&at, end, &match))
			return false;
		match += MIN_MATCH;
		if (!back || back > (size_t)(out - to) || match > (size_t)(out_end - out))
			return false;
		for (const u8 *p = out - back; match--;) /* it may overlap what it makes */
			*out++ = *p++;
	}
	return false;
}
