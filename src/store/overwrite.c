/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hole begins with its head and grows at its end: first its head covers the next chunk, by one
 * write, then the bytes are given back (fallocate(2), FALLOC_FL_PUNCH_HOLE).
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

static int put_hole(const struct overwrite *o, int fd)
{
	struct chunk_head h = { .magic = CHUNK_MAGIC,
				.kind = CHUNK_GONE,
				.cpu = CHUNK_NO_CPU,
				.stored_len = (u32)(o->hole_len - sizeof h),
				.raw_len = (u32)(o->hole_len - sizeof h) };

	h.crc = crc32_of(&h, offsetof(struct chunk_head, crc));
	return pwrite(fd, &h, sizeof h, (off_t)o->hole) == (ssize_t)sizeof h ? 0 : -errno;
}

static int drop(struct overwrite *o, int fd, const struct live_chunk *c)
{
	u64 from;
	int ret;

	if (!o->hole_len || o->hole + o->hole_len != c->offset || o->hole_len > HOLE_MOST) {
		o->hole = c->offset;
		o->hole_len = 0;
	}
	o->hole_len += c->len;
	ret = put_hole(o, fd);
	if (ret)
		return ret;
	/* from the beginning of a block: only whole ones are given back */
	from = MAX(c->offset & ~(u64)(BLOCK - 1), o->hole + sizeof(struct chunk_head));
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			 (off_t)(c->offset + c->len - from)) < 0 ?
		       -errno :
		       0;
}

static bool is_beyond(const struct overwrite *o, const struct live_chunk *c, u64 now)
{
	return (o->most_bytes && o->bytes > o->most_bytes) ||
	       (o->most_ns && c->t1 + o->most_ns < now);
}

/* Forgets removed chunks. */
static void forget(struct overwrite *o)
{
	if (o->first < o->live.len / 2)
		return;
	memmove(o->live.s, o->live.s + o->first, o->live.len - o->first);
	o->live.len -= o->first;
	o->first = 0;
}

int overwrite_drop(struct overwrite *o, int fd, u64 now, void (*gone)(void *ctx, u64 offset),
		   void *ctx)
{
	struct live_chunk c;

	/* the newest stays, however small the limit */
	while (o->live.len - o->first > sizeof c) {
		int ret;

		memcpy(&c, o->live.s + o->first, sizeof c);
		if (!is_beyond(o, &c, now))
			break;
		ret = drop(o, fd, &c);
		if (ret)
			return ret;
		o->first += sizeof c;
		o->bytes -= c.len;
		gone(ctx, c.offset);
	}
	forget(o);
	return 0;
}

void overwrite_release(struct overwrite *o)
{
	buf_release(&o->live);
}
