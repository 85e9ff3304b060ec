/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Letting go of kernel objects. Closing the last reference to a perf tracepoint makes the
 * kernel wait for grace periods under one global mutex (kernel/trace/trace_event_perf.c,
 * event_mutex; from 6.13 also for tasks-trace RCU in perf_event_detach_bpf_prog): 70 ms each,
 * 25 s for 350, and neither threads nor links nor exit make it shorter, as they queue on the
 * same mutex. uprobes cost 28 to 105 ms, trampolines (synchronize_rcu_tasks) 50 to 140. So:
 *
 *	1. detach: the gate word stops the programs with one store (load.c puts a test of it in
 *	   front of every program of a slow kind); what closes fast is closed
 *	2. close: a forked process holds the slow descriptors and nothing else (no terminal, no
 *	   pipe of ours), waits until we have closed our copies, and exits; the kernel's waiting
 *	   is its own
 *
 * PERF_EVENT_IOC_DISABLE would not do: a program on a tracepoint runs for disabled events too.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "engine/internal.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Closes newest first; keeps the slow ones. */
void release_fast(struct kernel *k)
{
	u32 kept = 0;

	for (u32 i = k->kept.n; i-- > 0;)
		if (!k->kept.v[i].slow)
			close(k->kept.v[i].fd);
	for (u32 i = 0; i < k->kept.n; i++)
		if (k->kept.v[i].slow)
			k->kept.v[kept++] = k->kept.v[i];
	k->kept.n = kept;
}

static void close_kept(struct kernel *k)
{
	for (u32 i = k->kept.n; i-- > 0;)
		close(k->kept.v[i].fd);
	k->kept.n = 0;
}

static int by_fd(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->fd > y->fd) - (x->fd < y->fd);
}

/* Closes all descriptors below `end` from `from`; close_range is of 5.9. */
static void close_gap(unsigned int from, unsigned int end)
{
	if (from >= end || syscall(SYS_close_range, from, end - 1, 0) == 0)
		return;
	for (unsigned int fd = from; fd < MIN(end, 4096u); fd++)
		close((int)fd);
}

/* In the child: system calls only. kept is sorted, wait_fd is a member of it. */
static void NORETURN hold(const struct kept *kept, u32 n, int wait_fd)
{
	unsigned int at = 0;
	char c;

	for (u32 i = 0; i < n; i++) {
		close_gap(at, (unsigned int)kept[i].fd);
		at = (unsigned int)kept[i].fd + 1;
	}
	close_gap(at, ~0u);
	setsid();
	prctl(PR_SET_NAME, "sonde-detach");
	while (read(wait_fd, &c, 1) > 0)
		;
	_exit(0);
}

/* Gives the descriptors to a process of their own. Its exit signal is none: nobody's wait()
 * sees it; its pid is collected when we exit. false: could not, they are still ours alone. */
static bool give_away(struct kernel *k)
{
	int sync[2];
	long pid;

	if (pipe2(sync, O_CLOEXEC) < 0)
		return false;
	kernel_keep(k, sync[0], false);
	qsort(k->kept.v, k->kept.n, sizeof(k->kept.v[0]), by_fd);
	pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0)
		hold(k->kept.v, k->kept.n, sync[0]);
	close_kept(k); /* with a holder these are cheap */
	close(sync[1]);
	return pid > 0;
}

void release_all(struct kernel *k, bool wait)
{
	release_fast(k);
	if (!k->kept.n)
		return;
	if (wait || !give_away(k))
		close_kept(k);
}
