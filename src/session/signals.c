/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signals of a run: they wait for the loop, which handles them in order with events. */
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include "session/run.h"

/* The two ends, the child's, those that sonde always handles; others only if a probe uses them. */
static void signal_set(const struct run *r, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGUSR2);
	for (u32 i = 0; i < r->c.sites.n; i++)
		if (r->c.sites.v[i].site.kind == SITE_SIGNAL)
			sigaddset(set, r->c.sites.v[i].site.signal);
	if (r->request->redraw.interval_ns)
		sigaddset(set, SIGWINCH);
}

void signals_hold(struct run *r)
{
	sigset_t set;

	signal_set(r, &set);
	sigprocmask(SIG_BLOCK, &set, &r->signals_before);
}

void signals_restore(struct run *r, bool is_over)
{
	struct timespec now = { 0, 0 };
	sigset_t set;

	signal_set(r, &set);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	set = r->signals_before;
	/* a late Ctrl-C, such as the second that timeout(1) sends, has nothing left to end */
	if (is_over) {
		sigaddset(&set, SIGINT);
		sigaddset(&set, SIGTERM);
	}
	sigprocmask(SIG_SETMASK, &set, NULL);
}

bool signals_stop(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM));
}

int signals_open(const struct run *r)
{
	sigset_t set;

	signal_set(r, &set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
