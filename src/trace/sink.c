/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What outputs write is gathered and leaves in large pieces. In: s->out and s->err as outputs
 * filled them. Out: bytes on s->fd, then on stderr: an error text never overtakes the results
 * before it.
 *
 * A reader that went away (EPIPE) is not an error of the run: from then on everything is dropped,
 * and the session sees s->closed and ends. SIGPIPE must be ignored for that.
 */
#include <errno.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/visible.h"
#include "trace/sink.h"

enum { FULL_SIZE = 64 << 10 };

static int drain(struct buf *b, int fd)
{
	int ret = b->len ? write_all(fd, b->s, b->len) : 0;

	buf_clear(b);
	return ret;
}

int sink_flush(struct sink *s)
{
	int ret = 0;

	if (s->closed)
		buf_clear(&s->out);
	else
		ret = drain(&s->out, s->fd);
	if (ret == -EPIPE)
		s->closed = true;
	else if (ret && !s->error)
		s->error = ret;
	drain(&s->err, STDERR_FILENO); /* nobody is left to tell when this fails */
	return ret;
}

void sink_say(struct sink *s, const char *fmt, ...)
{
	size_t start = s->err.len;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&s->err, fmt, ap);
	va_end(ap);
	if (s->visible_err)
		buf_visible(&s->err, start, VISIBLE_TEXT);
}

void sink_item(struct sink *s)
{
	if (s->buffering != SINK_FULL || s->err.len || s->out.len >= FULL_SIZE)
		sink_flush(s);
}

void sink_row(struct sink *s)
{
	if (s->out.len >= FULL_SIZE)
		sink_flush(s);
}

void sink_release(struct sink *s)
{
	sink_flush(s);
	buf_release(&s->out);
	buf_release(&s->err);
}
