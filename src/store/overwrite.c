/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hole begins with its head and grows at its end: first its head covers the next chunk, by one
 * write, then the bytes are given back (fallocate(2), FALLOC_FL_PUNCH_HOLE).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crc32.h"
#include "base/fd.h"
#include "store/overwrite.h"
#include "store/write.h"

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
	int rc;

	if (!o->hole_len || o->hole + o->hole_len != c->offset || o->hole_len > HOLE_MOST) {
		o->hole = c->offset;
		o->hole_len = 0;
	}
	o->hole_len += c->len;
	rc = put_hole(o, fd);
	if (rc)
		return rc;
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

/* What is gone need not be remembered. */
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
		int rc;

		memcpy(&c, o->live.s + o->first, sizeof c);
		if (!is_beyond(o, &c, now))
			break;
		rc = drop(o, fd, &c);
		if (rc)
			return rc;
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

/* ---- a file without holes */

struct copy {
	int from, to;
	struct file_head head;
	struct store_writer *w;
	struct buf body;
};

/* False: the file ends here. */
static bool copy_chunk(struct copy *c, u64 *offset)
{
	struct chunk_head h;

	if (pread(c->from, &h, sizeof h, (off_t)*offset) != (ssize_t)sizeof h ||
	    h.magic != CHUNK_MAGIC || h.crc != crc32_of(&h, offsetof(struct chunk_head, crc)))
		return false;
	if (h.kind != CHUNK_GONE && h.kind != CHUNK_INDEX) {
		if (h.stored_len > CHUNK_MOST)
			return false;
		buf_clear(&c->body);
		buf_reserve(&c->body, h.stored_len);
		if (pread(c->from, c->body.s, h.stored_len, (off_t)(*offset + sizeof h)) !=
		    (ssize_t)h.stored_len)
			return false;
		store_chunk(c->w, &h, c->body.s);
	}
	*offset += sizeof h + h.stored_len;
	return true;
}

static int copy_chunks(struct copy *c, struct err *err)
{
	u64 offset = sizeof c->head;

	if (pread(c->from, &c->head, sizeof c->head, 0) != (ssize_t)sizeof c->head)
		return err_set(err, -EIO, "the recording cannot be read");
	c->w = store_writer_new(c->to, &c->head);
	while (copy_chunk(c, &offset))
		;
	if (store_writer_end(c->w))
		err_set(err, store_error(c->w), "write the recording without holes: %s",
			strerror(-store_error(c->w)));
	store_writer_free(c->w);
	return err->code;
}

int overwrite_compact(const char *from, const char *to, struct err *err)
{
	struct copy c = { .from = open(from, O_RDONLY | O_CLOEXEC), .to = -1 };

	if (c.from < 0)
		return err_sys(err, "open %s", from);
	c.to = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (c.to < 0)
		err_sys(err, "create %s", to);
	else
		copy_chunks(&c, err);
	buf_release(&c.body);
	fd_close(&c.from);
	fd_close(&c.to);
	return err->code;
}
