/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on stopped threads must complete: if a tracer is killed, the kernel resumes them with the
 * registers of an injected system call. So the work is done by a process that shares this one's
 * memory and descriptors, as after vfork(2), and survives it.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine/process/internal.h"

enum { STACK = 1 << 20 };

struct job {
	int (*f)(void *ctx);
	void *ctx;
	int ret;
};

static int work(void *arg)
{
	struct job *j = arg;

	/* kill(1) of a process group does not reach it. setsid(2) would also give it a separate
	 * share of CPU time (autogroup, sched(7)). */
	setpgid(0, 0);
	j->ret = j->f(j->ctx);
	return 0;
}

/* This thread waits for it in the kernel (CLONE_VFORK): they share errno, malloc's cache and all
 * other thread-local data, but never run at the same time. */
static bool run_beside(struct job *j, void *stack)
{
	pid_t child = clone(work, (char *)stack + STACK,
			    CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_VFORK, j);

	while (child > 0 && waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	return child > 0;
}

int survivor_run(int (*f)(void *ctx), void *ctx)
{
	struct job j = { .f = f, .ctx = ctx, .ret = -EINTR };
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	sigset_t all, old;

	if (stack == MAP_FAILED)
		return f(ctx);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old); /* of the child, too */
	if (!run_beside(&j, stack))
		j.ret = f(ctx);
	sigprocmask(SIG_SETMASK, &old, NULL);
	munmap(stack, STACK);
	return j.ret;
}
