/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffered writes. Input: s->out and s->err, filled by outputs. Output: bytes on s->fd, then on
 * stderr, so an error text never precedes earlier results.
 *
 * EPIPE (the reader is gone) is not an error of the run: it sets s->closed, further output is
 * dropped, and the session ends the run. SIGPIPE must be ignored.
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
	drain(&s->err, STDERR_FILENO); /* an error here cannot be reported */
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

void sink_warn(struct sink *s, const char *text)
{
	s->output->message(s, LEVEL_WARNF, (struct span){ 0, 0 }, text);
}
