/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr: errors and diagnostics that the rooms below carried up. */
#include <errno.h>
#include <stdlib.h>
#include "base/fd.h"
#include "base/visible.h"
#include "cli/cli.h"
#include "engine/kernel/kernel.h"
#include "sym/tracefs.h"

enum { LOG_TAIL = 20 };

void say_lines(const struct cli *c, struct buf *b)
{
	if (escape_wanted(c, STDERR_FILENO))
		buf_visible(b, 0, VISIBLE_TEXT);
	write_all(STDERR_FILENO, b->s, b->len);
	buf_release(b);
}

/* Called bpftrace, messages begin as its messages do: scripts search for them. */
FORMAT(3, 0) static void say_line(const struct cli *c, bool is_note, const char *fmt, va_list ap)
{
	struct buf b = { 0 };

	if (c->line.drop_in)
		buf_puts(&b, is_note ? "WARNING: " : "ERROR: ");
	else
		buf_printf(&b, "%s: %s", c->line.program, is_note ? "note: " : "");
	buf_vprintf(&b, fmt, ap);
	buf_putc(&b, '\n');
	say_lines(c, &b);
}

void say(const struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(c, false, fmt, ap);
	va_end(ap);
}

void say_note(const struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(c, true, fmt, ap);
	va_end(ap);
}

/* The last lines of a verifier log give the reason; those above are the path to it. */
static const char *log_tail(const char *log, u32 lines)
{
	const char *p = log + strlen(log);

	while (p > log && p[-1] == '\n')
		p--;
	while (p > log && (p[-1] != '\n' || --lines))
		p--;
	return p;
}

static void put_help(struct buf *b, const char *lines)
{
	while (*lines) {
		int len = (int)strcspn(lines, "\n");

		buf_printf(b, "  help: %.*s\n", len, lines);
		lines += len + (lines[len] == '\n');
	}
}

static void put_log(const struct cli *c, struct buf *b, const struct err *err)
{
	if (!err->log || !err->log[0] || (err->log_is_explained && !c->request.verbose))
		return;
	buf_puts(b, c->request.verbose ? err->log : log_tail(err->log, LOG_TAIL));
	if (!ends_with(err->log, "\n"))
		buf_putc(b, '\n');
	if (!c->request.verbose)
		buf_puts(b, "  help: -v shows all of the verifier's log\n");
}

void say_err(const struct cli *c, const struct err *err)
{
	struct buf b = { 0 };

	if (!err->code)
		return;
	say(c, "%s", err->text);
	put_help(&b, err->help);
	put_log(c, &b, err);
	say_lines(c, &b);
}

bool say_no_tracefs(const struct cli *c)
{
	struct err err = { 0 };

	if (tracefs_path(&err) &&
	    feature_answer(kernel_features(), FEAT_TRACEFS) == FEATURE_DENIED) {
		err_set(&err, -EACCES, "the events of tracefs are not readable");
		err_help(&err, "try it with sudo, or let a group read tracefs (mount -o "
			       "remount,gid=GROUP,mode=0750)");
	}
	say_err(c, &err);
	err_release(&err);
	return err.code;
}

bool color_wanted(int fd)
{
	const char *wish = getenv("BPFTRACE_COLOR"), *no = getenv("NO_COLOR"),
		   *term = getenv("TERM");

	if (wish && streq(wish, "always"))
		return true;
	if ((wish && streq(wish, "never")) || (no && *no) || (term && streq(term, "dumb")))
		return false;
	return isatty(fd);
}

bool escape_wanted(const struct cli *c, int fd)
{
	return c->output.escape == WHEN_ALWAYS || (c->output.escape == WHEN_TERMINAL && isatty(fd));
}

void say_diags(const struct cli *c, const struct diags *d)
{
	struct buf text = { 0 };

	if (c->request.diag.json)
		diags_render_json(d, &text);
	else
		diags_render_text(d, &text, c->request.diag.color);
	write_all(STDERR_FILENO, text.s, text.len);
	buf_release(&text);
}
