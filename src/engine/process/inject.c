/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls in a stopped thread. It runs the SYSCALL instruction that every vdso has, with our
 * registers, and stops again before it (PTRACE_SYSCALL stops at a call's begin and end). If the
 * stop interrupted a call, the kernel restarts it, because the thread leaves from the same kind of
 * stop with the same registers.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine/process/internal.h"
#include "engine/process/threads.h"
#include "sym/procmaps.h"

#ifndef PTRACE_GETSIGMASK
#define PTRACE_GETSIGMASK 0x420a
#define PTRACE_SETSIGMASK 0x420b
#endif
#ifndef PTRACE_O_SUSPEND_SECCOMP
#define PTRACE_O_SUSPEND_SECCOMP (1 << 21)
#endif

#ifdef __x86_64__
static u64 find_syscall(u32 pid, const struct mapping *m)
{
	size_t size = m->end - m->start;
	u8 *code = xmalloc(size), *at;
	u64 found = 0;

	if (process_read(pid, m->start, code, size) && (at = memmem(code, size, "\x0f\x05", 2)))
		found = m->start + (u64)(at - code);
	free(code);
	return found;
}

static u64 find_in_vdso(u32 pid)
{
	struct procmaps maps = { 0 };
	struct err err = { 0 };
	u64 at = 0;

	if (procmaps_read(&maps, pid, &err) < 0)
		return 0;
	for (u32 i = 0; i < maps.list.n && !at; i++)
		if (streq(maps.list.v[i].path, "[vdso]"))
			at = find_syscall(pid, &maps.list.v[i]);
	procmaps_release(&maps);
	return at;
}

int thread_pointer_of(s32 tid, u64 *pointer, struct err *err)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &r) < 0)
		return err_sys(err, "read the registers of thread %d", tid);
	if (r.cs != 0x33)
		return err_set(err, -ENOEXEC, "thread %d runs 32-bit code", tid);
	*pointer = r.fs_base;
	return 0;
}

/* A filter may kill the process for the injected call. */
static int suspend_filters(u32 pid, s32 tid, struct err *err)
{
	if (!process_status((u32)tid, "Seccomp") ||
	    ptrace(PTRACE_SETOPTIONS, tid, NULL,
		   (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_SUSPEND_SECCOMP)) == 0)
		return 0;
	err_set(err, -EPERM, "process %u is under a seccomp filter, which might kill it", pid);
	err_help(
		err, "%s; --engine=kernel makes no system call in it",
		geteuid() ?
			"root may suspend the filter" :
			"sonde cannot suspend it: it is under a filter itself, lacks CAP_SYS_ADMIN, or the kernel lacks "
			"CONFIG_CHECKPOINT_RESTORE");
	return err->code;
}

int inject_begin(struct injector *in, u32 pid, s32 tid, struct err *err)
{
	u64 all = ~0ull;

	*in = (struct injector){ .pid = pid, .tid = tid, .syscall_at = find_in_vdso(pid) };
	if (!in->syscall_at)
		return err_set(err, -ENOEXEC, "process %u has no vdso with a SYSCALL instruction",
			       pid);
	if (ptrace(PTRACE_GETREGS, tid, NULL, &in->regs) < 0)
		return err_sys(err, "read the registers of thread %d", tid);
	if (in->regs.cs != 0x33)
		return err_set(err, -ENOEXEC, "process %u runs 32-bit code", pid);
	if (suspend_filters(pid, tid, err) < 0)
		return err->code;
	if (ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof in->signals, &in->signals) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof all, &all) < 0)
		return err_sys(err, "hold the signals of thread %d", tid);
	return 0;
}

/* Continues to the next stop at a system call. */
static bool go(s32 tid)
{
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, tid, NULL, NULL) < 0 ||
		    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return false;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return true;
	}
}

s64 inject_call_with(struct injector *in, long nr, const u64 args[6])
{
	struct user_regs_struct r = in->regs;

	r.rip = in->syscall_at;
	r.rax = (u64)nr;
	r.orig_rax = ~0ull; /* no call to restart */
	r.rdi = args[0];
	r.rsi = args[1];
	r.rdx = args[2];
	r.r10 = args[3];
	r.r8 = args[4];
	r.r9 = args[5];
	if (ptrace(PTRACE_SETREGS, in->tid, NULL, &r) < 0 || !go(in->tid) || !go(in->tid) ||
	    ptrace(PTRACE_GETREGS, in->tid, NULL, &r) < 0)
		return -EIO;
	return (s64)r.rax;
}

void inject_end(struct injector *in)
{
	int status = 0;

	ptrace(PTRACE_INTERRUPT, in->tid, NULL, NULL);
	do
		if (ptrace(PTRACE_CONT, in->tid, NULL, NULL) < 0)
			return;
	while (waitpid(in->tid, &status, __WALL) == in->tid && WIFSTOPPED(status) &&
	       status >> 16 != PTRACE_EVENT_STOP);
	ptrace(PTRACE_SETREGS, in->tid, NULL, &in->regs);
	ptrace(PTRACE_SETSIGMASK, in->tid, (void *)sizeof in->signals, &in->signals);
	ptrace(PTRACE_SETOPTIONS, in->tid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
}
#else
int thread_pointer_of(s32 tid, u64 *pointer, struct err *err)
{
	return err_set(err, -ENOTSUP, "threads are inspected on x86-64 only");
}

int inject_begin(struct injector *in, u32 pid, s32 tid, struct err *err)
{
	return err_set(err, -ENOTSUP, "system calls are injected on x86-64 only");
}

s64 inject_call_with(struct injector *in, long nr, const u64 args[6])
{
	return -ENOSYS;
}

void inject_end(struct injector *in)
{
}
#endif
