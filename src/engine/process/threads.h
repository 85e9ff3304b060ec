/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stopped threads of a process, and system calls in one of them. */
#ifndef SONDE_ENGINE_PROCESS_THREADS_H
#define SONDE_ENGINE_PROCESS_THREADS_H

#include <sys/user.h>
#include "base/err.h"

struct thread {
	s32 tid;
	bool is_stopped, is_gone;
};

struct stopped {
	u32 pid;
	struct thread *v;
	u32 n;
	u64 began; /* monotonic clock, ns */
};

/* ---- threads.c. After a failure, too, threads_resume() must follow. */
int threads_stop(struct stopped *s, u32 pid, struct err *err);
/* Stops any one thread; the others continue. */
int threads_stop_one(struct stopped *s, u32 pid, struct err *err);
/* Returns how long the first of them was stopped, in ns. */
u64 threads_resume(struct stopped *s);

/* A number in /proc/PID/status; 0: none. */
u32 process_status(u32 pid, const char *name);
/* The thread ID in its own pid namespace, which may be below ours. 0: it has ended. */
u32 thread_inner_id(u32 tid);

/* ---- inject.c: a stopped thread executes system calls for this process. */
struct injector {
	u32 pid;
	s32 tid;
	u64 syscall_at; /* address of a SYSCALL instruction */
	u64 signals;    /* its mask */
	struct user_regs_struct regs;
};
int thread_pointer_of(s32 tid, u64 *pointer, struct err *err);
/* The thread's signals and seccomp filters are suspended until inject_end(). 0 or -errno. */
int inject_begin(struct injector *in, u32 pid, s32 tid, struct err *err);
/* The result of the call: -errno if it failed, -EIO if the thread has ended. Missing arguments are
 * 0. */
s64 inject_call_with(struct injector *in, long nr, const u64 args[6]);
#define inject_call(in, nr, ...) inject_call_with(in, nr, (const u64[6]){ __VA_ARGS__ })
/* Restores the thread. */
void inject_end(struct injector *in);

#endif
