/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When bytes leave, in what order, and what happens when the reader has gone. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tap.h"
#include "trace/sink.h"

static int waiting(int fd)
{
	char text[1 << 17];
	ssize_t n = read(fd, text, sizeof text);

	return n < 0 ? 0 : (int)n;
}

static void buffering(void)
{
	int p[2];

	if (pipe2(p, O_NONBLOCK))
		return;
	fcntl(p[1], F_SETPIPE_SZ, 1 << 17);

	struct sink s = { .fd = p[1], .buffering = SINK_FULL };

	buf_puts(&s.out, "hello\n");
	sink_item(&s);
	is_int(waiting(p[0]), 0, "full: nothing yet");
	buf_pad(&s.out, 'x', 65536);
	sink_row(&s);
	is_int(waiting(p[0]), 65542, "full: 64 KiB leave");
	buf_puts(&s.out, "a");
	is_int(sink_flush(&s), 0, "flush");
	is_int(waiting(p[0]), 1, "flushed");
	s.buffering = SINK_LINE;
	buf_puts(&s.out, "line\n");
	sink_row(&s);
	is_int(waiting(p[0]), 0, "a row is not an item");
	sink_item(&s);
	is_int(waiting(p[0]), 5, "line: an item leaves");
	buf_puts(&s.out, "last");
	sink_release(&s);
	is_int(waiting(p[0]), 4, "release writes what waits");
	close(p[0]);
	close(p[1]);
}

static void reader_gone(void)
{
	int p[2];

	if (pipe(p))
		return;

	struct sink s = { .fd = p[1] };

	close(p[0]);
	buf_puts(&s.out, "x");
	is_int(sink_flush(&s), -EPIPE, "the reader has gone");
	ok(s.closed, "closed");
	buf_puts(&s.out, "y");
	is_int(sink_flush(&s), 0, "later results are dropped quietly");
	is_int((long long)s.out.len, 0, "and do not gather");
	sink_release(&s);
	close(p[1]);
}

/* stdout and stderr into one pipe: the error comes after the results before it. */
static void order(void)
{
	int p[2], err = dup(STDERR_FILENO);
	char text[32] = "";

	if (pipe2(p, O_NONBLOCK) || err < 0)
		return;
	dup2(p[1], STDERR_FILENO);

	struct sink s = { .fd = p[1] };

	buf_puts(&s.err, "err\n");
	buf_puts(&s.out, "out\n");
	sink_item(&s);
	dup2(err, STDERR_FILENO);
	if (read(p[0], text, sizeof text - 1) < 0)
		note("nothing to read");
	is_str(text, "out\nerr\n", "results first, then the error, at once");
	sink_release(&s);
	close(err);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	buffering();
	reader_gone();
	order();
	return done();
}
