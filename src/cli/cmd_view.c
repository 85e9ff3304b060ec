/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde view: a recording in a browser. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/view/answers.h"
#include "cli/view/live.h"
#include "export/page.h"

enum { MOST_BYTES = 8 << 20 }; /* of tiles of a level, of checkpoints */

static volatile bool stop;

static void on_signal(int sig)
{
	stop = true;
}

/* Only the printed address leads to the page, so a failed write is an error. */
static int put_address(const struct http_server *s, struct err *err)
{
	printf("http://127.0.0.1:%u/%s/\n", s->port, s->token);
	return fflush(stdout) || ferror(stdout) ? err_sys(err, "write standard output") : 0;
}

static void serve(struct http_server *s, struct recorded *r, struct err *err)
{
	struct viewed v = { .recorded = r };
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t both;

	/* they come while the server waits, not just before */
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	timeline_init(&v.timeline, r->store, r->from, r->to ? r->to : ~0ull, MOST_BYTES);
	v.timeline.damage = r->damage.s;
	s->ctx = &v;
	s->policy = view_policy;
	s->answer = view_answer;
	s->work = view_work;
	s->watch = view_watch;
	say(r->c, "open this address in a browser on this machine; Ctrl-C ends");
	if (!put_address(s, err))
		http_run(s, &stop);
	asked_release(&v.asked);
	timeline_release(&v.timeline);
}

static int view(struct cli *c)
{
	struct recorded r = { 0 };
	struct http_server s;
	struct err err = { 0 };
	char *end = NULL;
	unsigned long port = c->own.view.port ? strtoul(c->own.view.port, &end, 10) : 0;
	int ret;

	if ((end && *end) || port > 65535 || (c->own.view.port && !port))
		return say_usage(c, "--port=%s: a number from 1 to 65535", c->own.view.port);
	if (c->own.view.live)
		return view_live(c, (u16)port);
	if (c->request.script.text)
		return say_usage(
			c, "-e gives a script, which runs with --live; a recording is a FILE");
	ret = recorded_open(&r, c);
	if (ret)
		return ret;
	if (recorded_one_range(&r)) {
		recorded_close_quietly(&r);
		return STATUS_WRONG;
	}
	if (http_open(&s, (u16)port, &err) == 0)
		serve(&s, &r, &err);
	http_close(&s);
	recorded_close_quietly(&r);
	if (!err.code)
		return 0;
	say_err(c, &err);
	err_release(&err);
	return STATUS_REFUSED;
}

const struct command command_view = {
	.name = "view",
	.args = "[FILE]",
	.brief = "look at a recording in a browser",
	.doc = "Serves a page with the time line of the recording to browsers on this machine, and prints its address: what processors run, what "
	       "threads do and who wakes them, system calls, interrupts, all events; with the sums of sonde report for any range. ? lists its keys. "
	       "The address has a random part without which nothing is answered. Nothing is written, and the page asks for nothing elsewhere. "
	       "From another machine: ssh -L 8000:127.0.0.1:8000 with --port=8000. Ends with Ctrl-C. For a page in a file: sonde export --html. With --live, FILE is a script: it runs as \"sonde run\" does, and the page has charts of its maps. FILE is made by "
	       "sonde record, by perf record (its tracepoints are read) or trace-cmd, is text of ftrace, or a folder in CTF as LTTng makes it (read by babeltrace2); without it, sonde.data.",
	.example =
		"sonde view sonde.data\n"
		"sonde view --live -e 'tracepoint:block:block_rq_issue { @ = hist(args.bytes); }'",
	.run = view,
	.takes = SET_TIME | SET_INPUT | SETS_COMPILE | SET_RUN,
};
