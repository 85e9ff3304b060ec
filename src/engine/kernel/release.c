/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detaching: releasing kernel objects. Closing the last reference to a perf event of a tracepoint
 * or kprobe makes the kernel wait for grace periods under one global mutex
 * (kernel/trace/trace_event_perf.c, event_mutex; from 6.13 also for tasks-trace RCU in
 * perf_event_detach_bpf_prog): 25 to 70 ms each. uprobes cost 28 to 105 ms, trampolines
 * (synchronize_rcu_tasks under ftrace_lock) 50 to 140. A multi link is one object whatever it
 * holds. So:
 *
 *	1. detach: the gate word stops the programs with one store (load.c puts a test of it in
 *	   front of every program of a slow kind); what closes fast is closed
 *	2. close: a forked process holds the slow descriptors and nothing else (no terminal, no
 *	   pipe of ours), waits until we have closed our copies, and exits; only it waits for
 *	   the kernel
 *
 * The name and command line of that process describe what it does. It has workers, because part of
 * the waiting happens without the mutex. They pause while a sonde attaches (turn.c), which would
 * otherwise queue after every close. If there are many objects, the parent times the first ones to
 * estimate the rest.
 *
 * No slow object is closed by close(2): if the task is killed meanwhile, the kernel does not remove
 * the breakpoints ("failed to unregister, leaking uprobe": get_user_pages() gives up when
 * fatal_signal_pending()). What it keeps then belongs to an inode that is gone; if a later file's
 * inode gets the same address, processes execute copies of wrong instructions there and crash.
 * Stopping a container kills every process in it, so this is not rare. A task that exits cannot be
 * killed again: for each object a worker forks a child that holds the last copy and exits.
 *
 * Until the breakpoints of a uprobe are gone, the kernel keeps copies of the old instructions
 * (kernel/events/uprobes.c, copy_insn) and would execute them even after another process has
 * written to the file in place. So the closing process holds a lease on each file (fcntl(2),
 * F_SETLEASE): the open of a writer waits for it, a few tens of milliseconds for each probe.
 *
 * PERF_EVENT_IOC_DISABLE is not sufficient: a program on a tracepoint runs for disabled events,
 * too.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/title.h"
#include "engine/kernel/internal.h"

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

/* Held until the process ends. If a lease is impossible (network file system, file of another user)
 * there is none. */
static void lease_files(const struct kernel *k)
{
	enum { MAX_LEASES = 256 };

	signal(SIGIO, SIG_IGN); /* another process waits for the lease */
	for (u32 i = 0; i < k->probed.n && i < MAX_LEASES; i++) {
		int fd = open(k->probed.v[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		if (fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
			close(fd);
	}
}

enum {
	WORKERS = 4,    /* processes that close */
	MANY = 8,       /* objects whose removal takes long enough to be reported */
	WATCH_MS = 300, /* with many objects: how long the first ones are timed */
	TOLD_MS = 700,  /* shorter estimates are not reported */
	POLL_MS = 10,
	MEET_MS = 1000,
};

/* What the closing processes share with the parent. */
struct progress {
	u32 left; /* objects that are not closed yet */
	u32 met;  /* workers that have begun, plus those that hold only their share */
};

static void tell_title(u32 left)
{
	char text[80];

	snprintf(text, sizeof text, "sonde-detach: the kernel is removing %u attachment%s", left,
		 left == 1 ? "" : "s");
	title_set("sonde-detach", text);
}

/* Closes one object by the exit of a child. false: fork failed. */
static bool close_by_exit(int fd, const int go[2])
{
	char c = 0;
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		close(go[1]);
		while (read(go[0], &c, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	if (pid < 0)
		return false;
	close(fd);
	if (write(go[1], &c, 1) == 1)
		while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
			;
	return true;
}

/* Waits until `all` have arrived, but not forever: a worker may have been killed. */
static void meet(struct progress *p, u32 all)
{
	__atomic_add_fetch(&p->met, 1, __ATOMIC_RELAXED);
	for (u32 ms = 0; ms < MEET_MS && __atomic_load_n(&p->met, __ATOMIC_RELAXED) < all; ms++)
		usleep(1000);
}

/* Each worker keeps every n-th object. All have copies of all objects until every worker has
 * started. */
static void keep_share(struct kernel *k, struct progress *p, u32 worker, u32 n)
{
	u32 kept = 0;

	meet(p, n);
	for (u32 i = 0; i < k->kept.n; i++)
		if (i % n != worker)
			close(k->kept.v[i].fd);
		else
			k->kept.v[kept++] = k->kept.v[i];
	k->kept.n = kept;
	meet(p, 2 * n);
}

/* The leases last until the last worker ends. */
static void NORETURN close_by_workers(struct kernel *k, struct progress *p, int turn)
{
	u32 worker = 0, n = MIN((u32)WORKERS, k->kept.n);
	long pid = 1;
	int go[2];

	while (worker + 1 < n && (pid = syscall(SYS_clone, 0, 0, 0, 0, 0)) > 0)
		worker++;
	if (pid < 0)
		_exit(0); /* which closes all */
	keep_share(k, p, worker, n);
	if (pipe2(go, O_CLOEXEC) < 0)
		_exit(0);
	for (u32 i = 0; i < k->kept.n; i++) {
		turn_yield(turn);
		if (!close_by_exit(k->kept.v[i].fd, go))
			_exit(0);
		tell_title(__atomic_sub_fetch(&p->left, 1, __ATOMIC_RELAXED));
	}
	_exit(0);
}

/* The kept descriptors are sorted, and sync is among them: a byte is written to it when the leases
 * are taken, and it ends when the parent has closed its copies. */
static void NORETURN hold(struct kernel *k, struct progress *p, int sync)
{
	unsigned int at = 0;
	u32 n = 0;
	char c = 0;

	for (u32 i = 0; i < k->kept.n; i++) {
		close_gap(at, (unsigned int)k->kept.v[i].fd);
		at = (unsigned int)k->kept.v[i].fd + 1;
	}
	close_gap(at, ~0u);
	setsid();
	tell_title(k->kept.n - 1);
	lease_files(k);
	if (send(sync, &c, 1, MSG_NOSIGNAL) == 1)
		while (read(sync, &c, 1) > 0)
			;
	for (u32 i = 0; i < k->kept.n; i++)
		if (k->kept.v[i].fd != sync)
			k->kept.v[n++] = k->kept.v[i];
	k->kept.n = n;
	close_by_workers(k, p, turn_open());
}

/* ---- in the parent */

/* Estimates how long the rest will take from those closed so far; those in progress count as
 * half. */
static void watch(const struct progress *p, u32 n, struct leaving *l)
{
	u64 begin = clock_mono_ns(), ms = 0;
	u32 left = n, done;

	while (n >= MANY && left && ms < WATCH_MS) {
		usleep(POLL_MS * 1000);
		left = __atomic_load_n(&p->left, __ATOMIC_RELAXED);
		ms = (clock_mono_ns() - begin) / 1000000;
	}
	done = n - left + (MIN(left, (u32)WORKERS) + 1) / 2;
	ms = done ? ms * left / done : 0;
	if (n >= MANY && ms > TOLD_MS)
		*l = (struct leaving){ .pid = l->pid, .n = left, .ms = ms };
}

/* Gives the descriptors to a separate process. It has no exit signal: no wait() sees it; it is
 * reaped after we exit. false: failed, this process still owns them. */
static bool give_away(struct kernel *k, struct leaving *l)
{
	struct progress *p =
		mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u32 n = k->kept.n;
	int sync[2];
	long pid;
	char c;

	if (p == MAP_FAILED)
		return false;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) < 0) {
		munmap(p, sizeof *p);
		return false;
	}
	*p = (struct progress){ .left = n };
	kernel_keep(k, sync[0], false);
	qsort(k->kept.v, k->kept.n, sizeof k->kept.v[0], by_fd);
	pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0)
		hold(k, p, sync[0]);
	close_kept(k); /* cheap, because another process holds copies */
	if (pid > 0 && k->probed.n && read(sync[1], &c, 1) < 0) {
		/* the process is gone, and so are the probes */
	}
	close(sync[1]);
	l->pid = (s32)pid;
	if (pid > 0)
		watch(p, n, l);
	munmap(p, sizeof *p);
	return pid > 0;
}

void release_all(struct kernel *k, bool wait, struct leaving *l)
{
	release_fast(k);
	if (!k->kept.n)
		return;
	if (wait || !give_away(k, l))
		close_kept(k);
}
