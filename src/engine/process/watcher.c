/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that outlives a killed sonde, and removes its jumps. It has no terminal, no pipes and
 * none of sonde's other files; signals to a process group do not reach it. If it is killed together
 * with sonde, the next run, or sonde detach, removes them.
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/title.h"
#include "engine/process/area.h"
#include "engine/process/detach.h"
#include "engine/process/internal.h"
#include "sym/procs.h"

enum {
	TRIES = 50, /* of process_lock(), which itself waits */
	COPIES_MS = 60000
};

static bool is_needed(const struct patched *p)
{
	return !p->n_areas || area_any_is_there(p->pid, p->areas, p->n_areas);
}

/* The lock, or a negative number: nothing is to be done. The survivor (survivor.c) of a killed
 * sonde holds it until it ends. Another run that gets the lock first removes the jumps. */
static int take_over(const struct patched *p)
{
	int lock = -1;

	for (u32 i = 0; i < TRIES && lock < 0 && is_needed(p); i++) {
		struct err err = { 0 };

		lock = process_lock(p->pid, &err);
		err_release(&err);
	}
	return lock;
}

/* A thread that is in an area keeps it mapped. The lock is free in between: the next run does not
 * wait for that. */
static void clean_up(struct patched *p)
{
	enum { MOST = 600, ONCE_MS = 50, PAUSE_NS = 50000000 };
	int lock, ret = PATCH_LEFT;

	for (u32 i = 0; i < MOST && ret == PATCH_LEFT && (lock = take_over(p)) >= 0; i++) {
		struct err err = { 0 };

		ret = is_needed(p) ? patch_disable(p, ONCE_MS, &err) : 0;
		err_release(&err);
		close(lock);
		if (ret == PATCH_LEFT)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
}

static _Noreturn void watch(int sonde, struct patched p)
{
	struct pollfd gone = { .fd = 0, .events = POLLIN };

	dup2(sonde, 0);
	syscall(SYS_close_range, 1, ~0u, 0);
	setsid();
	title_set("sonde-detach", "sonde-detach: takes its jumps out when sonde is gone");
	while (poll(&gone, 1, -1) != 1)
		;
	for (u32 i = 0; i < p.n; i++)
		p.v[i].is_enabled = true;
	clean_up(&p);
	process_remove_copies(&p, COPIES_MS);
	_exit(0);
}

int watcher_start(const struct patched *p, struct err *err)
{
	int sonde = proc_pidfd((u32)getpid());
	sigset_t all, old;
	pid_t child;

	if (sonde < 0)
		return err_sys(err, "open a descriptor of this process (pidfd_open)");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	child = fork();
	if (!child)
		watch(sonde, *p);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(sonde);
	return child > 0 ? child : err_sys(err, "start a process that takes jumps out");
}

void watcher_stop(s32 *watcher)
{
	if (*watcher <= 0)
		return;
	kill(*watcher, SIGKILL);
	waitpid(*watcher, NULL, 0);
	*watcher = 0;
}
