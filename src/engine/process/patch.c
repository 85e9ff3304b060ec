/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints of include/sonde/sonde.h in a running process. Enabled, nop5 is a jump to the cold path:
 *
 *	0f 1f 44 00 00	nopl 0(%rax,%rax)	e9 xx xx xx xx	jmp cold_path
 *
 * It is one instruction, so no thread can stand within it; but processors may fetch it while it
 * changes. Therefore all threads are stopped (PTRACE_SEIZE, which sends no signal) while /proc/PID/mem
 * is written, which changes this process only. A stop ends some system calls with EINTR although no
 * signal came (signal(7)); they are begun again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <dirent.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "engine/process/internal.h"

static const u8 nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

enum { JMP = 0xe9, STOP_MS = 1000 };

struct thread {
	s32 tid;
	int signal; /* that it was about to get */
	bool is_stopped, is_gone;
};

struct stopped {
	u32 pid;
	struct thread *v;
	u32 n;
};

/* ---- threads */

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

	if (t->signal || ptrace(PTRACE_GETREGS, t->tid, NULL, &r) < 0 || (s64)r.rax != -EINTR ||
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

static int seize(struct stopped *s, s32 tid, struct err *err)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0) {
		if (errno == ESRCH)
			return 0;
		err_sys(err, "stop thread %d of process %u (ptrace)", tid, s->pid);
		err_help(err,
			 "a debugger may hold it; without root, it must be a process of yours, and "
			 "kernel.yama.ptrace_scope must be 0");
		return err->code;
	}
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	s->v = xrealloc(s->v, (s->n + 1) * sizeof *s->v);
	s->v[s->n++] = (struct thread){ .tid = tid };
	return 1;
}

/* Those that there are and are not known; returns how many, or -errno. */
static int seize_new(struct stopped *s, struct err *err)
{
	char path[40];
	struct dirent *e;
	int n = 0, ret = 0;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%u/task", s->pid);
	d = opendir(path);
	if (!d)
		return err_sys(err, "read the threads of process %u", s->pid);
	while (ret >= 0 && (e = readdir(d))) {
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
	if (!WIFSTOPPED(status)) {
		t->is_gone = true;
		return;
	}
	t->is_stopped = true;
	if (!(status >> 16)) /* not PTRACE_EVENT_STOP */
		t->signal = WSTOPSIG(status);
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

static void resume(struct stopped *s)
{
	for (u32 i = 0; i < s->n; i++) {
		if (s->v[i].is_gone)
			continue;
		if (!s->v[i].is_stopped) /* it does not stop: leave it as soon as it does */
			waitpid(s->v[i].tid, NULL, __WALL);
		begin_call_again(&s->v[i]);
		ptrace(PTRACE_DETACH, s->v[i].tid, NULL, (long)s->v[i].signal);
	}
	free(s->v);
}

/* Until a look finds no thread that is new. */
static int stop(struct stopped *s, u32 pid, struct err *err)
{
	int n;

	*s = (struct stopped){ .pid = pid };
	do {
		n = seize_new(s, err);
		if (n >= 0 && wait_for(s, err) < 0)
			n = err->code;
	} while (n > 0);
	return n;
}

/* ---- memory */

static int memory(u32 pid, struct err *err)
{
	char path[32];
	int fd;

	snprintf(path, sizeof path, "/proc/%u/mem", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd >= 0 ? fd : err_sys(err, "open the memory of process %u", pid);
}

static bool get(int fd, u64 address, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)address) == (ssize_t)size;
}

static bool put(int fd, u64 address, const void *from, size_t size)
{
	return pwrite(fd, from, size, (off_t)address) == (ssize_t)size;
}

static void make_jump(const struct tracepoint *t, u8 code[5])
{
	s32 distance = (s32)(t->cold_path - t->nop5 - sizeof nop5);

	code[0] = JMP;
	memcpy(code + 1, &distance, sizeof distance);
}

/* ---- enabling */

static int set_module(int fd, u64 at, u32 n_rings, u32 ring_size, struct err *err)
{
	struct sonde_module m;

	if (!get(fd, at, &m, sizeof m))
		return err_sys(err, "read the tracepoints' data");
	if (m.version != SONDE_VERSION)
		return err_set(err, -EPROTO,
			       "its tracepoints are of version %u of sonde.h, this is %u",
			       m.version, SONDE_VERSION);
	if (m.state == SONDE_MAPPED || m.state == SONDE_MAPPING) /* of an earlier run */
		return 0;
	m.n_rings = n_rings;
	m.ring_size = ring_size;
	m.state = SONDE_NO_RINGS;
	return put(fd, at, &m, offsetof(struct sonde_module, page)) ?
		       0 :
		       err_sys(err, "write the tracepoints' data");
}

/* Enabled already: by a run that was killed. */
static int check_code(int fd, const struct tracepoint *t, struct err *err)
{
	u8 code[5], jump[5];

	make_jump(t, jump);
	if (!get(fd, t->nop5, code, sizeof code))
		return err_sys(err, "read the code of the tracepoint");
	if (!memcmp(code, nop5, sizeof code) || !memcmp(code, jump, sizeof code))
		return 0;
	return err_set(err, -EBUSY, "another tracer has changed the code of the tracepoint");
}

static int enable_all(int fd, struct tracepoint *v, u32 n, u32 n_rings, u32 ring_size,
		      struct err *err)
{
	u8 jump[5];
	int ret = 0;

	for (u32 i = 0; i < n && ret >= 0; i++) {
		ret = check_code(fd, &v[i], err);
		if (ret >= 0)
			ret = set_module(fd, v[i].module, n_rings, ring_size, err);
	}
	for (u32 i = 0; i < n && ret >= 0; i++) {
		make_jump(&v[i], jump);
		v[i].is_enabled = put(fd, v[i].nop5, jump, sizeof jump);
		if (!v[i].is_enabled)
			ret = err_sys(err, "write the code of the tracepoint");
	}
	return ret;
}

static void disable_all(int fd, struct tracepoint *v, u32 n)
{
	u8 code[5], jump[5];

	for (u32 i = 0; i < n; i++) {
		make_jump(&v[i], jump);
		if (v[i].is_enabled && get(fd, v[i].nop5, code, sizeof code) &&
		    !memcmp(code, jump, sizeof code))
			put(fd, v[i].nop5, nop5, sizeof nop5);
		v[i].is_enabled = false;
	}
}

/* Its filter may kill the process for the calls that map the rings. */
static int check_seccomp(u32 pid, struct err *err)
{
	char path[32];
	struct buf b = { 0 };
	const char *at;
	bool filtered;

	snprintf(path, sizeof path, "/proc/%u/status", pid);
	buf_read_file(&b, path);
	at = b.s ? strstr(b.s, "\nSeccomp:") : NULL;
	filtered = at && strtol(at + strlen("\nSeccomp:"), NULL, 10) > 0;
	buf_release(&b);
	return filtered ? err_set(err, -EPERM, "process %u is under a seccomp filter", pid) : 0;
}

int patch_enable(u32 pid, struct tracepoint *v, u32 n, u32 n_rings, u32 ring_size, struct err *err)
{
	_fd int fd = memory(pid, err);
	struct stopped s;
	int ret = fd < 0 ? fd : check_seccomp(pid, err);

	if (ret < 0)
		return ret;
	ret = stop(&s, pid, err);
	if (ret >= 0)
		ret = enable_all(fd, v, n, n_rings, ring_size, err);
	if (ret < 0)
		disable_all(fd, v, n);
	resume(&s);
	return ret;
}

int patch_disable(u32 pid, struct tracepoint *v, u32 n, struct err *err)
{
	_fd int fd = memory(pid, err);
	struct stopped s;
	int ret;

	if (fd < 0)
		return err->code == -ENOENT || err->code == -ESRCH ? 0 : fd;
	ret = stop(&s, pid, err);
	if (ret >= 0)
		disable_all(fd, v, n);
	resume(&s);
	return ret == -ENOENT || ret == -ESRCH ? 0 : ret;
}
