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
 * Until the breakpoints of a uprobe are gone, whoever writes to its file in place would have instructions of the old text
 * executed, which the kernel keeps (kernel/events/uprobes.c, copy_insn): that process holds a lease on each file
 * (fcntl(2), F_SETLEASE), so that the writer's open waits for it, a few tens of milliseconds for each probe.
 *
 * PERF_EVENT_IOC_DISABLE would not do: a program on a tracepoint runs for disabled events too.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

/* ---- in the child: system calls only */

/* Held until it ends. Where a lease cannot be had (a network's file system, another's file) there is none. */
static void lease_files(const struct kernel *k)
{
	enum { MAX_LEASES = 256 };

	signal(SIGIO, SIG_IGN); /* says that somebody waits */
	for (u32 i = 0; i < k->probed.n && i < MAX_LEASES; i++) {
		int fd = open(k->probed.v[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		if (fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
			close(fd);
	}
}

/* The kept ones are sorted, sync is a member of them: it takes a byte when the leases are there, and ends when the copies
 * of the parent are closed. */
static void NORETURN hold(const struct kernel *k, int sync)
{
	unsigned int at = 0;
	char c = 0;

	for (u32 i = 0; i < k->kept.n; i++) {
		close_gap(at, (unsigned int)k->kept.v[i].fd);
		at = (unsigned int)k->kept.v[i].fd + 1;
	}
	close_gap(at, ~0u);
	setsid();
	prctl(PR_SET_NAME, "sonde-detach");
	lease_files(k);
	if (send(sync, &c, 1, MSG_NOSIGNAL) == 1)
		while (read(sync, &c, 1) > 0)
			;
	for (u32 i = 0; i < k->kept.n; i++)
		close(k->kept.v[i].fd); /* before the leases are */
	_exit(0);
}

/* ---- in the parent */

/* Gives the descriptors to a process of their own. Its exit signal is none: nobody's wait()
 * sees it; its pid is collected when we exit. false: could not, they are still ours alone. */
static bool give_away(struct kernel *k)
{
	int sync[2];
	long pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) < 0)
		return false;
	kernel_keep(k, sync[0], false);
	qsort(k->kept.v, k->kept.n, sizeof(k->kept.v[0]), by_fd);
	pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0)
		hold(k, sync[0]);
	close_kept(k); /* with a holder these are cheap */
	if (pid > 0 && k->probed.n && read(sync[1], &c, 1) < 0) {
		/* it is not there any more, nor are the probes */
	}
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
