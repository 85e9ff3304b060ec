/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs iterators. Reading an iterator runs its program for each object, and the program writes one
 * byte per object to the text that is read (ir/lower.c: mark_object). So a short read ends after a
 * known number of objects, and their output is taken from the ring before the next read. A script
 * that has only iterators ends after them.
 *
 * A pinned iterator becomes a file and the run ends at once: readers of the file get the text.
 */
#include <errno.h>
#include <unistd.h>
#include "session/run.h"

enum { OBJECTS_AT_A_TIME = 64 };

static bool read_some(struct run *r, int fd, struct err *err)
{
	char marks[OBJECTS_AT_A_TIME];
	ssize_t n = read(fd, marks, sizeof marks);

	if (n < 0 && errno != EINTR && errno != EAGAIN) {
		err_sys(err, "read the iterator");
		return false;
	}
	records_drain(r);
	return n != 0 && !signals_stop();
}

static int run_one(struct run *r, const struct target_site *t, struct err *err)
{
	const struct used_engine *u = engine_of(&r->engines, t);
	int fd = u->ops->iter_open(u->self, t->func, err);

	if (fd < 0)
		return fd;
	while (!r->end.exiting && !r->sink->closed && read_some(r, fd, err))
		;
	close(fd);
	records_command_wait(r);
	return err->code;
}

static int tell_pin(struct run *r, const struct target_site *t)
{
	buf_printf(&r->sink->out, "Program pinned to %s\n", t->site.pin);
	return sink_flush(r->sink);
}

int iter_run_all(struct run *r, struct err *err)
{
	bool alone = true;

	for (u32 i = 0; i < r->c.sites.n && !r->end.exiting; i++) {
		const struct target_site *t = &r->c.sites.v[i];
		int ret = 0;

		if (t->site.kind == SITE_ITER)
			ret = t->site.pin ? tell_pin(r, t) : run_one(r, t, err);
		if (ret < 0)
			return ret;
	}
	for (u32 i = 0; i < r->c.sites.n; i++)
		alone &= r->c.sites.v[i].site.kind == SITE_ITER ||
			 r->c.sites.v[i].site.kind == SITE_ONCE;
	r->end.exiting |= alone && iter_is_wanted(&r->c);
	return 0;
}

bool iter_is_wanted(const struct compiled *c)
{
	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].site.kind == SITE_ITER)
			return true;
	return false;
}
