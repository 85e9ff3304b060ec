/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops the threads of a process (PTRACE_SEIZE, which sends no signal). A pending signal is
 * delivered before a thread stops. A stop makes some system calls fail with EINTR without a signal
 * (signal(7)); they are restarted.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "base/buf.h"
#include "base/clock.h"
#include "engine/process/threads.h"

enum { STOP_MS = 1000 };

#ifdef __x86_64__
static bool is_ended_by_stops(u64 call)
{
	switch (call) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case 441: /* epoll_pwait2 */
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case SYS_rt_sigtimedwait: return true;
	default: return false;
	}
}

static void begin_call_again(const struct thread *t)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, t->tid, NULL, &r) < 0 || (s64)r.rax != -EINTR ||
	    !is_ended_by_stops(r.orig_rax))
		return;
	r.rax = r.orig_rax;
	r.rip -= 2; /* the length of SYSCALL */
	ptrace(PTRACE_SETREGS, t->tid, NULL, &r);
}
#else
static void begin_call_again(const struct thread *t)
{
}
#endif

static bool is_known(const struct stopped *s, s32 tid)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->v[i].tid == tid)
			return true;
	return false;
}

/* The first or the last number in a line of /proc/PID/status; 0: none. */
static u32 number_of(u32 pid, const char *name, bool last)
{
	char path[32], line[32], *end;
	struct buf b = { 0 };
	const char *at;
	u32 value = 0;

	snprintf(path, sizeof path, "/proc/%u/status", pid);
	snprintf(line, sizeof line, "\n%s:", name);
	buf_read_file(&b, path);
	at = b.s ? strstr(b.s, line) : NULL;
	if (at) {
		at += strlen(line);
		do {
			value = (u32)strtoul(at, &end, 10);
			at = end;
		} while (last && *at == '\t');
	}
	buf_release(&b);
	return value;
}

u32 process_status(u32 pid, const char *name)
{
	return number_of(pid, name, false);
}

u32 thread_inner_id(u32 tid)
{
	return number_of(tid, "NSpid", true);
}

static void explain_refusal(u32 pid, struct err *err)
{
	u32 tracer = process_status(pid, "TracerPid");
	struct buf yama = { 0 };

	buf_read_file(&yama, "/proc/sys/kernel/yama/ptrace_scope");
	if (tracer) {
		err_set(err, -EPERM, "process %u is traced by process %u (a debugger, strace)", pid,
			tracer);
		err_help(err, "end that first");
	} else if (geteuid() && yama.len && yama.s[0] != '0')
		err_help(err,
			 "kernel.yama.ptrace_scope is %c: only root may; sysctl "
			 "kernel.yama.ptrace_scope=0 permits it for processes of yours",
			 yama.s[0]);
	else
		err_help(err, "without root, it must be a process of yours that did not change its "
			      "user or group");
	buf_release(&yama);
}

static int seize(struct stopped *s, s32 tid, struct err *err)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) < 0) {
		if (errno == ESRCH)
			return 0;
		err_sys(err, "stop thread %d of process %u (ptrace)", tid, s->pid);
		explain_refusal(s->pid, err);
		return err->code;
	}
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	s->v = xrealloc(s->v, (s->n + 1) * sizeof *s->v);
	s->v[s->n++] = (struct thread){ .tid = tid };
	return 1;
}

/* Lists new threads, at most `most`; returns their number, or -errno. */
static int seize_new(struct stopped *s, u32 most, struct err *err)
{
	char path[40];
	struct dirent *e;
	int n = 0, ret = 0;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%u/task", s->pid);
	d = opendir(path);
	if (!d)
		return err_sys(err, "read the threads of process %u", s->pid);
	while (ret >= 0 && s->n < most && (e = readdir(d))) {
		s32 tid = (s32)strtol(e->d_name, NULL, 10);

		if (tid > 0 && !is_known(s, tid))
			n += ret = seize(s, tid, err);
	}
	closedir(d);
	return ret < 0 ? ret : n;
}

static void look(struct thread *t)
{
	int status;

	if (waitpid(t->tid, &status, __WALL | WNOHANG) != t->tid)
		return;
	if (!WIFSTOPPED(status))
		t->is_gone = true;
	else if (status >> 16 == PTRACE_EVENT_STOP)
		t->is_stopped = true;
	else /* it stops after the delivery of this signal */
		ptrace(PTRACE_CONT, t->tid, NULL, (long)WSTOPSIG(status));
}

static int wait_for(struct stopped *s, struct err *err)
{
	u64 end = clock_mono_ns() + STOP_MS * 1000000ull;

	for (u32 i = 0; i < s->n;) {
		if (!s->v[i].is_stopped && !s->v[i].is_gone)
			look(&s->v[i]);
		if (s->v[i].is_stopped || s->v[i].is_gone)
			i++;
		else if (clock_mono_ns() > end)
			return err_set(err, -ETIMEDOUT, "thread %d of process %u does not stop",
				       s->v[i].tid, s->pid);
		else
			nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
	}
	return 0;
}

static void finish(struct thread *t)
{
	while (!t->is_stopped && !t->is_gone) { /* it has not stopped: detach as soon as it does */
		look(t);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	if (t->is_gone)
		return;
	begin_call_again(t);
	ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
}

u64 threads_resume(struct stopped *s)
{
	u64 began = s->began;

	for (u32 i = 0; i < s->n; i++)
		finish(&s->v[i]);
	free(s->v);
	*s = (struct stopped){ .pid = s->pid };
	return began ? clock_mono_ns() - began : 0;
}

/* Repeats until a scan finds no new thread. */
static int stop(struct stopped *s, u32 pid, u32 most, struct err *err)
{
	int n;

	*s = (struct stopped){ .pid = pid, .began = clock_mono_ns() };
	do {
		n = seize_new(s, most, err);
		if (n >= 0 && wait_for(s, err) < 0)
			n = err->code;
	} while (n > 0);
	return n;
}

int threads_stop(struct stopped *s, u32 pid, struct err *err)
{
	return stop(s, pid, ~0u, err);
}

int threads_stop_one(struct stopped *s, u32 pid, struct err *err)
{
	int ret = stop(s, pid, 1, err);

	if (ret >= 0 && (!s->n || s->v[0].is_gone))
		ret = err_set(err, -ESRCH, "process %u has ended", pid);
	return ret;
}
