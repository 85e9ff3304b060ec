/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a recording whose oldest chunks are holes. Out: one of the chunks that are left, and an
 * index. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/crc32.h"
#include "base/fd.h"
#include "store/compact.h"
#include "store/write.h"

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

int store_compact(const char *from, const char *to, struct err *err)
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
