/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: blocks of deflate (RFC 1951). Out: the bytes. Bits are read from the lowest on, and a Huffman
 * code begins with its highest bit, so a table is indexed by reversed codes: each entry is
 * symbol << 4 | bits of its code.
 *
 *	block	1 bit: the last one; 2 bits: 0 stored, 1 fixed codes, 2 codes follow
 *	symbol	0..255 a byte, 256 the end of the block, 257.. the length of a match, then its distance
 */
#include <stdlib.h>
#include "base/packed.h"

enum { MOST_BITS = 15, LENGTHS = 288, DISTANCES = 32, END = 256, FIRST_LENGTH = 257 };

struct input {
	const u8 *at, *end;
	u32 held, n; /* bits that were read and not used yet */
	bool is_short;
};

struct codes {
	u32 bits; /* of the longest one */
	u16 table[1 << MOST_BITS];
};

struct inflate {
	struct input in;
	u8 *to;
	size_t at, whole;
	struct codes lengths, distances;
};

/* Bits beyond the end are zero: a code may be shorter than what is looked at. */
static u32 peek(struct input *in, u32 n)
{
	while (in->n < n) {
		in->held |= in->at < in->end ? (u32)*in->at << in->n : 0;
		in->is_short |= in->at++ >= in->end + 3;
		in->n += 8;
	}
	return in->held & ((1u << n) - 1);
}

static u32 take(struct input *in, u32 n)
{
	u32 bits = peek(in, n);

	in->held >>= n;
	in->n -= n;
	return bits;
}

static u32 reversed(u32 code, u32 n)
{
	u32 r = 0;

	for (u32 i = 0; i < n; i++)
		r |= (code >> i & 1) << (n - 1 - i);
	return r;
}

/* Codes of one length are consecutive numbers, in the order of the symbols. */
static void make_codes(struct codes *c, const u8 *bits, u32 n)
{
	u32 code = 0;

	c->bits = 1;
	for (u32 i = 0; i < n; i++)
		c->bits = MAX(c->bits, (u32)bits[i]);
	memset(c->table, 0, sizeof c->table[0] << c->bits);
	for (u32 len = 1; len <= c->bits; len++, code <<= 1)
		for (u32 i = 0; i < n; i++) {
			if (bits[i] != len)
				continue;
			for (u32 k = reversed(code, len); k < 1u << c->bits; k += 1u << len)
				c->table[k] = (u16)(i << 4 | len);
			code++;
		}
}

/* A code that no symbol has takes no bits: only damaged input has one. */
static u32 symbol(struct input *in, const struct codes *c)
{
	u32 entry = c->table[peek(in, c->bits)];

	in->is_short |= !(entry & 15);
	take(in, entry & 15);
	return entry >> 4;
}

static bool stored(struct inflate *f)
{
	struct input *in = &f->in;
	u32 n;

	take(in, in->n % 8);
	n = take(in, 16);
	take(in, 16); /* its complement */
	if (in->at > in->end || n > (size_t)(in->end - in->at) || n > f->whole - f->at)
		return false;
	memcpy(f->to + f->at, in->at, n);
	in->at += n;
	f->at += n;
	return true;
}

static void fixed_codes(struct inflate *f)
{
	u8 bits[LENGTHS];

	for (u32 i = 0; i < LENGTHS; i++)
		bits[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	make_codes(&f->lengths, bits, LENGTHS);
	memset(bits, 5, DISTANCES);
	make_codes(&f->distances, bits, DISTANCES);
}

/* The bits of each code, themselves coded: 16 repeats the one before, 17 and 18 are zeros. */
static bool read_codes(struct inflate *f)
{
	static const u8 order[] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
	};
	static const u8 least[] = { 3, 3, 11 }, more[] = { 2, 3, 7 };
	u8 bits[LENGTHS + DISTANCES + 138] = { 0 };
	u32 n_lengths = take(&f->in, 5) + FIRST_LENGTH, n = n_lengths + take(&f->in, 5) + 1;
	u32 n_order = take(&f->in, 4) + 4;

	for (u32 i = 0; i < n_order; i++)
		bits[order[i]] = (u8)take(&f->in, 3);
	make_codes(&f->lengths, bits, ARRAY_SIZE(order));
	memset(bits, 0, sizeof bits);
	for (u32 i = 0; i < n && !f->in.is_short;) {
		u32 s = symbol(&f->in, &f->lengths), times;

		if (s < 16) {
			bits[i++] = (u8)s;
			continue;
		}
		times = least[s - 16] + take(&f->in, more[s - 16]);
		memset(bits + i, s == 16 && i ? bits[i - 1] : 0, times);
		i += times;
	}
	if (f->in.is_short || n_lengths > LENGTHS)
		return false;
	make_codes(&f->lengths, bits, n_lengths);
	make_codes(&f->distances, bits + n_lengths, n - n_lengths);
	return true;
}

/* Four codes for each number of further bits, beginning with eight lengths of none. */
static u32 match_length(struct input *in, u32 code)
{
	u32 more = code < 8 ? 0 : code / 4 - 1;

	if (code >= 28)
		return 258;
	return 3 + (code < 8 ? code : (4 + code % 4) << more) + take(in, more);
}

/* Two codes for each number of further bits. */
static u32 match_distance(struct input *in, u32 code)
{
	u32 more = code < 4 ? 0 : code / 2 - 1;

	return 1 + (code < 4 ? code : (2 + code % 2) << more) + take(in, more);
}

static bool coded(struct inflate *f)
{
	for (;;) {
		u32 s = symbol(&f->in, &f->lengths), len, distance;

		if (f->in.is_short)
			return false;
		if (s == END)
			return true;
		len = s < END ? 1 : match_length(&f->in, s - FIRST_LENGTH);
		if (len > f->whole - f->at)
			return false;
		if (s < END) {
			f->to[f->at++] = (u8)s;
			continue;
		}
		distance = match_distance(&f->in, symbol(&f->in, &f->distances));
		if (f->in.is_short || distance > f->at)
			return false;
		for (; len; len--, f->at++)
			f->to[f->at] = f->to[f->at - distance];
	}
}

static bool block(struct inflate *f)
{
	u32 type = take(&f->in, 2);

	if (type == 0)
		return stored(f);
	if (type == 1)
		fixed_codes(f);
	return type < 3 && (type == 1 || read_codes(f)) && coded(f);
}

bool inflate_bytes(u8 *to, size_t whole, const u8 *from, size_t len)
{
	struct inflate *f = xmalloc(sizeof *f);
	bool is_last, good;

	f->in = (struct input){ .at = from, .end = from + len };
	f->to = to;
	f->at = 0;
	f->whole = whole;
	do {
		is_last = take(&f->in, 1);
		good = block(f);
	} while (good && !is_last);
	good = good && f->at == whole && f->in.at <= f->in.end + f->in.n / 8;
	free(f);
	return good;
}

char *unpack(const struct packed_data *p)
{
	char *to = xmalloc((size_t)p->whole + 1);

	if (!inflate_bytes((u8 *)to, p->whole, p->bytes, p->len))
		BUG("build-aux/packed.py");
	to[p->whole] = '\0';
	return to;
}
