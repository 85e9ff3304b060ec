/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that writes to a file in memory: outputs flush when they like, and nothing is lost. */
#include <sys/mman.h>
#include <unistd.h>
#include "output/output.h"
#include "session/capture.h"

static void count_message(struct sink *s, enum sink_level level, struct span span, const char *text)
{
	struct capture *c = (struct capture *)s;

	c->n_errors += level == LEVEL_ERRORF;
	output_text.message(s, level, span, text);
}

void capture_begin(struct capture *c, struct run *r)
{
	*c = (struct capture){ .sink = *r->sink, .before = r->sink };
	c->output = output_text;
	c->output.message = count_message;
	c->sink.output = &c->output;
	c->sink.out = c->sink.err = (struct buf){ 0 };
	c->sink.fd = memfd_create("output", MFD_CLOEXEC);
	c->sink.buffering = SINK_FULL;
	r->sink = &c->sink;
	r->actor.sink = &c->sink;
}

void capture_take(struct capture *c, struct buf *out)
{
	char piece[4096];
	ssize_t n;

	sink_flush(&c->sink);
	if (lseek(c->sink.fd, 0, SEEK_SET) < 0)
		return;
	while ((n = read(c->sink.fd, piece, sizeof piece)) > 0)
		buf_add(out, piece, (size_t)n);
	if (ftruncate(c->sink.fd, 0) == 0)
		lseek(c->sink.fd, 0, SEEK_SET);
}

void capture_end(struct capture *c, struct run *r)
{
	r->sink = c->before;
	r->actor.sink = r->sink;
	sink_release(&c->sink);
	if (c->sink.fd >= 0)
		close(c->sink.fd);
}
