/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hole begins with its head and grows at both ends: first its head covers the chunk, and the hole
 * after that, by one write, then the bytes are given back (fallocate(2), FALLOC_FL_PUNCH_HOLE).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <unistd.h>
#include "base/crc32.h"
#include "store/overwrite.h"

struct live_chunk {
	u64 offset, t1;
	u64 len;
};

struct hole {
	u64 offset, len;
};

enum { BLOCK = 4096 };
#define HOLE_MOST (2ull << 30) /* its length is a u32 */

void overwrite_note(struct overwrite *o, const struct chunk_head *h, u64 offset, u32 len)
{
	struct live_chunk c = { offset, h->t1, len };

	if (h->kind != CHUNK_EVENTS && h->kind != CHUNK_CLOCKS && h->kind != CHUNK_LOST)
		return;
	buf_add(&o->live, &c, sizeof c);
	o->bytes += len;
}

static int put_hole(int fd, const struct hole *hole)
{
	struct chunk_head h = { .magic = CHUNK_MAGIC,
				.kind = CHUNK_GONE,
				.cpu = CHUNK_NO_CPU,
				.stored_len = (u32)(hole->len - sizeof h),
				.raw_len = (u32)(hole->len - sizeof h) };

	h.crc = crc32_of(&h, offsetof(struct chunk_head, crc));
	return pwrite(fd, &h, sizeof h, (off_t)hole->offset) == (ssize_t)sizeof h ? 0 : -errno;
}

/* Takes the hole that ends (or begins) there and has room for len bytes more out of the list. */
static struct hole take_hole(struct overwrite *o, u64 offset, bool ends, u64 len)
{
	for (size_t at = 0; at < o->holes.len; at += sizeof(struct hole)) {
		struct hole h;

		memcpy(&h, o->holes.s + at, sizeof h);
		if (h.offset + (ends ? h.len : 0) != offset || h.len + len > HOLE_MOST)
			continue;
		buf_cut(&o->holes, at, sizeof h);
		return h;
	}
	return (struct hole){ offset, 0 };
}

/* Only whole blocks are given back, so it takes some of the holes beside it. */
static int make_hole(struct overwrite *o, int fd, const struct live_chunk *c)
{
	u64 end = c->offset + c->len, from, to;
	struct hole before = take_hole(o, c->offset, true, c->len),
		    after = take_hole(o, end, false, before.len + c->len),
		    hole = { before.offset, before.len + c->len + after.len };
	int ret = put_hole(fd, &hole);

	if (ret)
		return ret;
	buf_add(&o->holes, &hole, sizeof hole);
	from = MAX(c->offset & ~(u64)(BLOCK - 1), hole.offset + sizeof(struct chunk_head));
	to = MIN((end + sizeof(struct chunk_head) + BLOCK - 1) & ~(u64)(BLOCK - 1),
		 hole.offset + hole.len);
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			 (off_t)(to - from)) < 0 ?
		       -errno :
		       0;
}

static bool is_beyond(const struct overwrite *o, const struct live_chunk *c, u64 now)
{
	return (o->most_bytes && o->bytes > o->most_bytes) ||
	       (o->most_ns && c->t1 + o->most_ns < now);
}

/* Processors write when they have enough or a second is over, so a later chunk may have earlier
 * events. Where it is among the live ones. */
static size_t oldest(const struct overwrite *o, struct live_chunk *c)
{
	size_t found = 0;

	for (size_t at = 0; at < o->live.len; at += sizeof *c) {
		struct live_chunk other;

		memcpy(&other, o->live.s + at, sizeof other);
		if (at && other.t1 >= c->t1)
			continue;
		*c = other;
		found = at;
	}
	return found;
}

int overwrite_drop(struct overwrite *o, int fd, u64 now, void (*gone)(void *ctx, u64 offset),
		   void *ctx)
{
	struct live_chunk c;

	/* the newest stays, however small the limit */
	while (o->live.len > sizeof c) {
		size_t at = oldest(o, &c);
		int ret;

		if (!is_beyond(o, &c, now))
			break;
		ret = make_hole(o, fd, &c);
		if (ret)
			return ret;
		buf_cut(&o->live, at, sizeof c);
		o->bytes -= c.len;
		gone(ctx, c.offset);
	}
	return 0;
}

void overwrite_release(struct overwrite *o)
{
	buf_release(&o->live);
	buf_release(&o->holes);
}
