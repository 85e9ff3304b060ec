/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --emit-elf FILE: the compiled programs as an object file; nothing is run. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "base/fd.h"
#include "cli/cli.h"
#include "target/target.h"

static int write_object(const struct cli *c, const struct buf *object)
{
	_fd int fd = open(c->own.build.object, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int ret = fd < 0 ? -errno : write_all(fd, object->s, object->len);

	if (!ret)
		return 0;
	say(c, "write %s: %s", c->own.build.object, strerror(-ret));
	return 255;
}

static int run(struct cli *c)
{
	struct compiled *compiled;
	struct buf object = { 0 };
	struct err err = { 0 };
	int ret = script_read(c);

	if (ret)
		return ret;
	c->request.compile.no_dispatch = true;
	compiled = xcalloc(1, sizeof *compiled);
	ret = session_compile(compiled, &c->request, &c->host, &err);
	say_diags(c, &compiled->diags);
	say_err(c, &err);
	ret = session_status(compiled, ret);
	if (!ret) {
		target_object(&object, &compiled->prog, compiled->env.config.license);
		ret = write_object(c, &object);
	}
	buf_release(&object);
	err_release(&err);
	compiled_release(compiled);
	free(compiled);
	return ret;
}

const struct command command_object = { .name = "--emit-elf",
					.brief = "write the programs to an object file",
					.run = run };
