/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde fmt: prints scripts in canonical layout. A script that does not parse is neither printed
 * nor written. */
#include <errno.h>
#include <fcntl.h>
#include "base/fd.h"
#include "base/visible.h"
#include "cli/front.h"

static int write_back(struct cli *c, const struct buf *out)
{
	_fd int fd = open(c->request.script.name, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int ret = fd < 0 ? -errno : write_all(fd, out->s, out->len);

	if (!ret)
		return 0;
	say(c, "write %s: %s", c->request.script.name, strerror(-ret));
	return 255;
}

/* --check and --write list the files whose layout differs. */
static int deliver(struct cli *c, struct buf *out)
{
	struct buf name = { 0 };
	bool same = out->len == c->request.script.len &&
		    (!out->len || !memcmp(out->s, c->request.script.text, out->len));

	if (!c->own.fmt.compare && !c->own.fmt.rewrite)
		return put_out(c, out);
	if (same)
		return 0;
	buf_puts(&name, c->request.script.name);
	if (escape_wanted(c, STDOUT_FILENO))
		buf_visible(&name, 0, VISIBLE_NAME);
	puts(name.s);
	buf_release(&name);
	return c->own.fmt.compare ? 1 : write_back(c, out);
}

static int format_one(struct cli *c)
{
	struct buf out = { 0 };
	struct front f;
	int ret;

	front_init(&f, c);
	ret = format_script(&f.lang, f.src, &out) ? 0 : 1;
	say_diags(c, &f.diags);
	if (!ret)
		ret = deliver(c, &out);
	front_release(&f);
	buf_release(&out);
	return ret;
}

static int run(struct cli *c)
{
	bool from_file = !c->request.script.text && c->line.n_words &&
			 !streq(c->line.words[0], "-");

	if (c->own.fmt.rewrite && !from_file)
		return say_usage(c, "fmt --write needs a FILE to write to");
	if (c->own.fmt.rewrite && (c->own.fmt.compare || c->output.file))
		return say_usage(c, "--write, --check and -o exclude each other");
	return each_script(c, format_one);
}

const struct command command_fmt = {
	.name = "fmt",
	.args = "FILE...",
	.brief = "print scripts in canonical layout",
	.doc = "Comments are preserved. Needs no privilege. --write changes the files in place and lists those "
	       "that it changed; --check only lists those that it would change, with status 1. -o writes to "
	       "another file.",
	.example = "sonde fmt --write biolatency.bt",
	.takes = SET_SCRIPT | SET_OUTPUT,
	.run = run,
};
