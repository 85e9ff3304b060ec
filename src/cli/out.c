/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go: standard output or the file of -o. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/fd.h"
#include "base/visible.h"
#include "cli/cli.h"
#include "output/output.h"

int output_open(const struct cli *c)
{
	int how = c->output.appends ? O_APPEND : O_TRUNC;
	int fd = open(c->output.file, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);

	if (fd < 0)
		say(c, "Failed to open output file: \"%s\": %s", c->output.file, strerror(errno));
	return fd;
}

bool is_own_input(const struct cli *c, const char *to, const char *recording)
{
	struct stat a, b;

	if (!to || !recording || stat(to, &a) < 0 || stat(recording, &b) < 0 ||
	    a.st_ino != b.st_ino || a.st_dev != b.st_dev ||
	    (!S_ISREG(a.st_mode) && !S_ISDIR(a.st_mode)))
		return false;
	say(c, "%s is the recording that is read: it would be overwritten", to);
	return true;
}

int put_out(const struct cli *c, struct buf *text)
{
	_fd int file = -1;
	int ret;

	if (c->output.file && (file = output_open(c)) < 0)
		return 1;
	if (escape_wanted(c, c->output.file ? file : STDOUT_FILENO))
		buf_visible(text, 0, VISIBLE_TEXT);
	ret = text->len ? write_all(c->output.file ? file : STDOUT_FILENO, text->s, text->len) : 0;
	if (!ret || ret == -EPIPE)
		return 0;
	say(c, "write %s: %s", c->output.file ? c->output.file : "standard output", strerror(-ret));
	return 255;
}

void sink_to(struct cli *c, int fd)
{
	struct sink *s = &c->sink;

	s->fd = fd;
	if (!c->output.buffering_given)
		s->buffering = isatty(fd) ? SINK_LINE : SINK_FULL;
	s->visible_out = escape_wanted(c, fd) && !s->output->escapes;
}

/* An output that writes at the end gets a file that is complete or not there. */
static int results_open(struct cli *c)
{
	int fd;

	if (!c->sink.output->close)
		return output_open(c);
	fd = new_file_open(&c->output.new_file, c->output.file);
	if (fd < 0)
		say(c, "Failed to open output file: \"%s\": %s", c->output.file, strerror(-fd));
	return fd;
}

int sink_open(struct cli *c)
{
	struct sink *s = &c->sink;

	s->fd = STDOUT_FILENO;
	if (!s->output)
		s->output = output_find("text");
	if (is_own_input(c, c->output.file, c->request.from.file))
		return 1;
	if (c->output.file && (s->fd = results_open(c)) < 0)
		return 1;
	s->quiet = c->output.quiet;
	s->is_file = c->output.file != NULL;
	sink_to(c, s->fd);
	s->visible_commands = escape_wanted(c, STDERR_FILENO);
	s->visible_err = s->visible_commands && !s->output->escapes;
	s->attached_on_stdout = getenv("__BPFTRACE_NOTIFY_PROBES_ATTACHED") != NULL;
	c->host.sink = s;
	return 0;
}

/* 0 or -errno. Nothing was collected: the run failed before the probes were attached. */
static int finish(struct cli *c)
{
	bool complete = c->sink.output->close && c->sink.state;
	int ret, named;

	if (c->sink.output->close)
		c->sink.output->close(&c->sink);
	ret = sink_flush(&c->sink);
	named = new_file_close(&c->output.new_file, complete && !c->sink.error);
	return ret ? ret : named;
}

int sink_close(struct cli *c)
{
	int ret = finish(c);

	if (ret < 0 && ret != -EPIPE)
		say(c, "write %s: %s", c->output.file ? c->output.file : "standard output",
		    strerror(-ret));
	sink_release(&c->sink);
	if (c->sink.is_file && c->sink.fd >= 0)
		close(c->sink.fd);
	return ret < 0 && ret != -EPIPE ? 255 : 0;
}
