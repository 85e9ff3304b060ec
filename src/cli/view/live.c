/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run is this process; the page is served by a child, which gets the maps as lines of JSON
 * through a pipe, so that a browser never delays the reading of records. It ends when the pipe is
 * closed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "cli/view/http.h"
#include "cli/view/live.h"
#include "export/page.h"
#include "output/notice.h"
#include "output/output.h"

enum {
	MOST_LINES = 8192,     /* that are kept for a page that is opened later */
	MOST_BYTES = 16 << 20, /* of them */
	MOST_ANSWER = 1 << 20, /* bytes, about */
	MOST_KEYS = 50,        /* of a map */
	INTERVAL_MS = 500,
};

/* ---- the run */

struct live_output {
	struct output output; /* text, but for tables of the display */
	int fd;
};

static void table(struct sink *s, const struct table *t)
{
	struct sink to = { .output = &output_json, .names = s->names, .sources = s->sources };

	if (!s->is_redraw) {
		output_text.table(s, t);
		return;
	}
	to.fd = ((const struct live_output *)s->output)->fd;
	output_json.table(&to, t);
	sink_flush(&to);
	sink_release(&to);
}

/* In the terminal, and as {"type": "lost_events", "data": {"events": N, "reason": TEXT}} to the
 * page: its charts have a gap. */
static void tell_lost(struct sink *s, const struct loss *loss, u64 count)
{
	struct buf b = { 0 }, why = { 0 };

	output_text.lost(s, loss, count);
	if (!loss_row(loss)->reason && loss->reason != LOSS_SKIPPED &&
	    loss->reason != LOSS_SKIPPED_ANY)
		return; /* a warning: nothing is missing */
	put_loss_reason(&why, loss);
	buf_printf(&b, "{\"type\":\"lost_events\",\"data\":{\"events\":%llu,\"reason\":",
		   (unsigned long long)count);
	json_strz(&b, why.s);
	buf_puts(&b, "}}\n");
	write_all(((const struct live_output *)s->output)->fd, b.s, b.len);
	buf_release(&b);
	buf_release(&why);
}

static int run(struct cli *c, int fd)
{
	struct live_output live = { .output = output_text, .fd = fd };
	struct err err = { 0 };
	int ret, lost;

	live.output.table = table;
	live.output.lost = tell_lost;
	c->sink.output = &live.output;
	c->request.redraw.interval_ns = INTERVAL_MS * 1000000ull;
	c->request.redraw.top = MOST_KEYS;
	if (sink_open(c))
		return STATUS_WRONG;
	ret = session_run(&c->request, &c->host, &err);
	lost = sink_close(c);
	say_err(c, &err);
	err_release(&err);
	return ret ? ret : lost;
}

/* ---- the child */

struct live_line {
	u64 ms; /* since the beginning */
	char *json;
};

struct live_page {
	int fd;
	const char *name;
	struct buf part; /* of a line */
	struct live_line lines[MOST_LINES];
	u64 first, next; /* numbers of the lines that are kept */
	u64 bytes, begun_ms;
	volatile bool is_over;
};

static void forget_line(struct live_page *p)
{
	struct live_line *l = &p->lines[p->first++ % MOST_LINES];

	p->bytes -= strlen(l->json);
	free(l->json);
	l->json = NULL;
}

static void keep_line(struct live_page *p, const char *s, size_t len)
{
	while (p->next - p->first == MOST_LINES || (p->bytes > MOST_BYTES && p->next > p->first))
		forget_line(p);
	p->lines[p->next++ % MOST_LINES] =
		(struct live_line){ .ms = clock_mono_ns() / 1000000 - p->begun_ms,
				    .json = strndup(s, len) };
	p->bytes += len;
}

static void take_lines(void *ctx)
{
	struct live_page *p = ctx;
	char bytes[65536];
	ssize_t n = read(p->fd, bytes, sizeof bytes);
	const char *at, *end;

	if (n <= 0) {
		p->is_over = true;
		return;
	}
	buf_add(&p->part, bytes, (size_t)n);
	for (at = p->part.s; (end = strchr(at, '\n')) != NULL; at = end + 1)
		keep_line(p, at, (size_t)(end - at));
	p->part.len -= (size_t)(at - p->part.s);
	memmove(p->part.s, at, p->part.len + 1);
}

static void put_lines(const struct live_page *p, u64 from, struct buf *b)
{
	u64 i = MAX(from, p->first);

	buf_puts(b, "{\"lines\":[");
	for (u64 k = i; k < p->next && b->len < MOST_ANSWER; k++, i++)
		buf_printf(b, "%s[%llu,%s]", k > MAX(from, p->first) ? "," : "",
			   (unsigned long long)p->lines[k % MOST_LINES].ms,
			   p->lines[k % MOST_LINES].json);
	buf_printf(b, "],\"next\":%llu}", (unsigned long long)i);
}

static void answer(void *ctx, const char *path, const char *query, struct http_answer *a)
{
	const struct live_page *p = ctx;

	a->type = "application/json";
	if (streq(path, "")) {
		a->type = "text/html; charset=utf-8";
		a->encoding = "gzip";
		buf_add(&a->body, view_page, view_page_len);
	} else if (streq(path, "info")) {
		buf_puts(&a->body, "{\"isLive\":true,\"file\":");
		json_strz(&a->body, p->name);
		buf_putc(&a->body, '}');
	} else if (streq(path, "live")) {
		put_lines(p, http_number(query, "from"), &a->body);
	} else {
		a->status = 404;
	}
}

static bool no_work(void *ctx)
{
	return false;
}

static void be_page(struct http_server *s, int fd, const char *name)
{
	struct live_page *p = xcalloc(1, sizeof *p);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN); /* it is for the run, whose end is that of the page */
	p->fd = fd;
	p->name = name;
	p->begun_ms = clock_mono_ns() / 1000000;
	s->ctx = p;
	s->policy = view_policy;
	s->answer = answer;
	s->work = no_work;
	s->fd_beside = fd;
	s->beside = take_lines;
	http_run(s, &p->is_over);
	_exit(0);
}

/* The end of the pipe that the run writes, and the child; -1 with err set. */
static int begin_page(u16 port, const char *name, pid_t *child, struct http_server *s,
		      struct err *err)
{
	int fds[2];

	if (http_open(s, port, err) < 0)
		return -1;
	if (pipe2(fds, O_CLOEXEC) < 0) {
		err_sys(err, "make a pipe");
		return -1;
	}
	fflush(NULL);
	*child = fork();
	if (!*child) {
		close(fds[1]);
		be_page(s, fds[0], name);
	}
	close(fds[0]);
	if (*child < 0) {
		err_sys(err, "make a process");
		fd_close(&fds[1]);
	}
	return fds[1];
}

int view_live(struct cli *c, u16 port)
{
	struct http_server s;
	struct err err = { 0 };
	pid_t child = -1;
	int ret = script_read(c), fd;

	if (ret)
		return ret;
	fd = begin_page(port, c->request.script.name ? c->request.script.name : "-e", &child, &s,
			&err);
	if (fd >= 0) {
		say(c, "charts of the maps: http://127.0.0.1:%u/%s/", s.port, s.token);
		http_close(&s);
		ret = run(c, fd);
		close(fd);
		waitpid(child, NULL, 0);
		return ret;
	}
	http_close(&s);
	say_err(c, &err);
	err_release(&err);
	return STATUS_REFUSED;
}
