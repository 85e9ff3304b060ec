/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that outlives a sonde which is killed, and disables its tracepoints then. It has no
 * terminal, no pipes and nothing else of sonde's; the signals that end a group of processes do not
 * reach it. Killed together with sonde, it leaves the tracepoints enabled; the next run disables them.
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/title.h"
#include "engine/process/internal.h"

static _Noreturn void watch(int sonde, u32 pid, struct tracepoint *v, u32 n)
{
	struct pollfd gone = { .fd = 0, .events = POLLIN };
	struct err err = { 0 };

	dup2(sonde, 0);
	syscall(SYS_close_range, 1, ~0u, 0);
	setsid();
	title_set("sonde-detach", "sonde-detach: disables tracepoints when sonde is gone");
	while (poll(&gone, 1, -1) != 1)
		;
	for (u32 i = 0; i < n; i++)
		v[i].is_enabled = true;
	patch_disable(pid, v, n, &err);
	_exit(0);
}

int watcher_start(u32 pid, struct tracepoint *v, u32 n, struct err *err)
{
	int sonde = (int)syscall(SYS_pidfd_open, getpid(), 0);
	sigset_t all, old;
	pid_t child;

	if (sonde < 0)
		return err_sys(err, "open a descriptor of this process (pidfd_open)");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	child = fork();
	if (!child)
		watch(sonde, pid, v, n);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(sonde);
	return child > 0 ? child : err_sys(err, "start a process that disables tracepoints");
}

void watcher_stop(s32 *watcher)
{
	if (*watcher <= 0)
		return;
	kill(*watcher, SIGKILL);
	waitpid(*watcher, NULL, 0);
	*watcher = 0;
}
