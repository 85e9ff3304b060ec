/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buffered writes to a file, and the table of formats. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "export/export.h"

enum { FULL = 256 << 10 };

const struct exporter *const exporters[] = {
#define X(name) &export_##name,
#include "export/index.h"
#undef X
	NULL,
};

int out_open(struct out *o, const char *path, struct err *err)
{
	*o = (struct out){ .fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) };
	return o->fd < 0 ? err_sys(err, "create %s", path) : 0;
}

int out_open_nameless(struct out *o, const char *path, struct err *err)
{
	struct buf name = { 0 };

	buf_printf(&name, "%s.XXXXXX", path);
	*o = (struct out){ .fd = mkostemp(name.s, O_CLOEXEC) };
	if (o->fd < 0)
		err_sys(err, "create %s", name.s);
	else
		unlink(name.s);
	buf_release(&name);
	return o->fd < 0 ? err->code : 0;
}

void out_drain(struct out *o)
{
	if (!o->error)
		o->error = write_all(o->fd, o->buf.s ? o->buf.s : "", o->buf.len);
	o->offset += o->buf.len;
	buf_clear(&o->buf);
}

void out_room(struct out *o)
{
	if (o->buf.len >= FULL)
		out_drain(o);
}

void out_add(struct out *o, const void *bytes, size_t len)
{
	buf_add(&o->buf, bytes, len);
	out_room(o);
}

void out_patch(struct out *o, u64 offset, const void *bytes, size_t len)
{
	out_drain(o);
	if (!o->error && pwrite(o->fd, bytes, len, (off_t)offset) != (ssize_t)len)
		o->error = -errno;
}

int out_close(struct out *o, const char *path, struct err *err)
{
	out_drain(o);
	buf_release(&o->buf);
	fd_close(&o->fd);
	return o->error ? err_set(err, o->error, "write %s: %s", path, strerror(-o->error)) : 0;
}
