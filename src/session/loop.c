/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event loop. While records keep coming, it sleeps some milliseconds between two drains and
 * tells the probes not to wake it (DATA_RING_FLAGS). After a drain without records it requests a
 * wake-up by the next record and waits. So a burst costs no wake-ups, and a single event is shown
 * at once.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "base/clock.h"
#include "base/fd.h"
#include "session/run.h"

enum {
	BURST_MS = 4,  /* between drains while records come */
	IDLE_MS = 500, /* housekeeping when nothing happens */
	LOSS_PERIOD_MS = 1000,
};

static int watch(struct event_loop *l, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return fd < 0 ? 0 : epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

/* No events requested: the end of the reader is reported anyway. A file has no reader. */
static void watch_reader(struct run *r)
{
	struct epoll_event e = { .data.fd = r->sink->fd };
	struct stat st;

	if (fstat(r->sink->fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return; /* a refused call would be an event of sonde, which scripts that count failing calls see */
	epoll_ctl(r->loop.epoll_fd, EPOLL_CTL_ADD, r->sink->fd, &e);
}

static int no_descriptor(struct err *err, const char *what)
{
	err_sys(err, "create %s", what);
	if (err->code == -EMFILE)
		err_help(
			err,
			"too many open files for one process: raise the limit (ulimit -n) or use fewer probes");
	return err->code;
}

static int watch_engines(struct run *r)
{
	int ret = 0;

	for (struct used_engine *u = engines_next(&r->engines, NULL); u && ret >= 0;
	     u = engines_next(&r->engines, u))
		if (u->ops->event_fd)
			ret = watch(&r->loop, u->ops->event_fd(u->self));
	return ret;
}

static int watch_processes(struct run *r)
{
	int ret = 0;

	processes_open(r);
	for (u32 i = 0; i < r->request->traced.n_pids && ret >= 0; i++)
		ret = watch(&r->loop, processes_fd(r, i));
	return ret;
}

static int watch_maps(struct run *r)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = usermaps_fd(r) };

	if (e.data.fd >= 0 && epoll_ctl(r->loop.epoll_fd, EPOLL_CTL_ADD, e.data.fd, &e) < 0)
		return -1;
	return watch(&r->loop, usermaps_hits_fd(r->naming.usermaps));
}

/*
 * Polling a perf event takes its readiness away (kernel/events/core.c: perf_poll), and
 * EPOLL_CTL_MOD polls: what came before is not reported any more, and is to be read after this.
 */
static void watch_maps_again(struct run *r)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = usermaps_fd(r) };

	epoll_ctl(r->loop.epoll_fd, EPOLL_CTL_MOD, e.data.fd, &e);
}

int loop_init(struct run *r, struct err *err)
{
	r->loop.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->loop.epoll_fd < 0)
		return no_descriptor(err, "an epoll descriptor");
	r->loop.signal_fd = signals_open(r);
	if (r->loop.signal_fd < 0)
		return no_descriptor(err, "a descriptor of signals");
	watch_reader(r);
	if (watch(&r->loop, r->loop.signal_fd) < 0 || watch(&r->loop, r->child.fd) < 0 ||
	    watch_processes(r) < 0 ||
	    watch(&r->loop, r->host->beside ? r->host->beside->fd : -1) < 0 || watch_maps(r) < 0 ||
	    watch(&r->loop, deferred_fd(&r->deferred)) < 0 || watch_engines(r) < 0)
		return err_sys(err, "wait for events (epoll_ctl)");
	return 0;
}

void loop_release(struct event_loop *l)
{
	fd_close(&l->epoll_fd);
	fd_close(&l->signal_fd);
}

/* self:signal probes run here, in our own process. */
static void run_signal_probes(struct run *r, int signo)
{
	struct err err = { 0 };

	for (u32 i = 0; i < r->c.sites.n; i++) {
		const struct target_site *t = &r->c.sites.v[i];
		const struct used_engine *u = engine_of(&r->engines, t);

		if (t->site.kind == SITE_SIGNAL && t->site.signal == signo)
			u->ops->run(u->self, t->func, NULL, &err);
	}
	err_release(&err);
}

static void on_signal(struct run *r)
{
	struct signalfd_siginfo si;

	while (read(r->loop.signal_fd, &si, sizeof si) == (ssize_t)sizeof si) {
		if (si.ssi_signo == SIGINT || si.ssi_signo == SIGTERM)
			r->end.exiting = true;
		else if (si.ssi_signo == SIGCHLD)
			child_look(r);
		else if (si.ssi_signo == SIGWINCH)
			screen_resized(r);
		if (si.ssi_signo != SIGINT && si.ssi_signo != SIGTERM && si.ssi_signo != SIGCHLD)
			run_signal_probes(r, (int)si.ssi_signo);
	}
}

static void on_beside(struct run *r)
{
	if (!r->host->beside->keeps_maps)
		maps_print(r);
	r->host->beside->ready(r->host->beside->ctx);
}

static void on_event(struct run *r, int fd)
{
	if (fd == r->loop.signal_fd)
		on_signal(r);
	else if (fd == r->child.fd)
		child_look(r);
	else if (fd == r->sink->fd)
		r->sink->closed = true;
	else if (fd == usermaps_fd(r))
		usermaps_told(r->naming.usermaps);
	else if (fd == usermaps_hits_fd(r->naming.usermaps))
		return; /* usermaps_turn() follows */
	else if (fd == deferred_fd(&r->deferred))
		deferred_poll(r);
	else if (r->host->beside && fd == r->host->beside->fd)
		on_beside(r);
	else if (fd == r->command.out)
		records_command(r);
	else if (fd == r->command.err)
		command_errors(r);
	else
		processes_event(r, fd);
}

static int wait_for(struct run *r, int timeout_ms)
{
	struct epoll_event e[8];
	int n = epoll_wait(r->loop.epoll_fd, e, ARRAY_SIZE(e), timeout_ms);

	for (int i = 0; i < n; i++)
		on_event(r, e[i].data.fd);
	if (n < 0 && errno != EINTR) {
		r->loop.error = -errno;
		r->end.exiting = true;
	}
	return n;
}

/* Not the ring: between drains only signals, children and commands matter. */
static void short_wait(struct run *r)
{
	struct timespec ts = { 0, BURST_MS * 1000000L };
	struct pollfd opening = { .fd = deferred_fd(&r->deferred), .events = POLLIN };

	ppoll(&opening, 1, &ts, NULL);
	wait_for(r, 0);
}

/* Until the end of the run, IDLE_MS at most. */
static int idle_ms(u64 end)
{
	u64 now = clock_mono_ns();

	return end <= now ? 0 : (int)MIN((u64)IDLE_MS, (end - now) / 1000000 + 1);
}

struct watched_command {
	int out, err;
};

/* Descriptors of system(), which come and go. */
static void watch_command(struct run *r, struct watched_command *w)
{
	if (r->command.out >= 0 && w->out != r->command.out &&
	    watch(&r->loop, w->out = r->command.out) < 0)
		records_command_wait(r);
	if (r->command.out < 0)
		w->out = -1;
	if (w->err != r->command.err)
		watch(&r->loop, w->err = r->command.err); /* else read when a command ends */
}

void loop_run(struct run *r)
{
	u64 next_loss = clock_mono_ns();
	u64 end = r->request->duration_ns && !r->request->from.file ?
			  next_loss + r->request->duration_ns :
			  UINT64_MAX;
	struct watched_command watched = { -1, -1 };

	while (!r->end.exiting && !r->sink->closed && !r->sink->error) {
		u32 n = records_drain(r);
		u64 now = clock_mono_ns();

		usermaps_turn(r);
		if (usermaps_listens_again(r->naming.usermaps)) {
			watch_maps_again(r);
			usermaps_turn(r);
		}
		screen_tick(r);
		if (r->sink->output->tick)
			r->sink->output->tick(r->sink);
		watch_command(r, &watched);
		if (now >= next_loss) {
			losses_report(r);
			processes_look(r);
			next_loss = now + LOSS_PERIOD_MS * 1000000ull;
		}
		r->end.had_enough = now >= end || r->sink->is_done;
		r->end.exiting |= (!n && engines_are_over(&r->engines) && !r->host->beside) ||
				  r->end.had_enough || (r->end.has_ended && !r->sink->awaits_more);
		if (r->end.exiting)
			break;
		if (n) {
			engines_set_word(&r->engines, DATA_RING_FLAGS, BPF_RB_NO_WAKEUP);
			sink_flush(r->sink);
			if (engines_drained_much(&r->engines))
				wait_for(r, 0);
			else
				short_wait(r);
			continue;
		}
		sink_flush(r->sink);
		engines_set_word(&r->engines, DATA_RING_FLAGS, BPF_RB_FORCE_WAKEUP);
		if (!records_drain(r)) /* one may have come in between */
			wait_for(r, usermaps_wait_ms(r->naming.usermaps,
						     screen_wait_ms(r->screen, idle_ms(end))));
		engines_set_word(&r->engines, DATA_RING_FLAGS, BPF_RB_NO_WAKEUP);
	}
}
