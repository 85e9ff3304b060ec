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
/* Any one that lives; the others run on. */
int threads_stop_one(struct stopped *s, u32 pid, struct err *err);
/* Returns how long the first of them stood, in ns. */
u64 threads_resume(struct stopped *s);

/* A number in /proc/PID/status; 0 if there is none. */
u32 process_status(u32 pid, const char *name);
/* The id that the thread has for itself: another one in a pid namespace below ours. 0: it has
 * ended. */
u32 thread_inner_id(u32 tid);

/* ---- inject.c: a thread that was stopped runs system calls of this process. */
struct injector {
	s32 tid;
	u64 syscall_at; /* address of a SYSCALL instruction */
	u64 signals;    /* its mask */
	struct user_regs_struct regs;
};
int thread_pointer_of(s32 tid, u64 *pointer, struct err *err);
/* Its signals, and its seccomp filters, wait until inject_end(). 0 or -errno. */
int inject_begin(struct injector *in, u32 pid, s32 tid, struct err *err);
/* The result of the call: -errno if it failed, -EIO if the thread has ended. */
s64 inject_call(struct injector *in, long nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
/* The thread stands where it stood. */
void inject_end(struct injector *in);

#endif
