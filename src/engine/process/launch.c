/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c up to where the dynamic linker is ready (early.h), or to the first instruction
 * of a program without one: its libraries are mapped and its thread is set up then, but neither
 * their code nor its own has run. It executes the program (PTRACE_O_TRACEEXEC), and this place is a
 * jump to itself until launch_go(): until then it can be stopped and patched like any process.
 */
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/fd.h"
#include "engine/process/internal.h"
#include "sym/early.h"
#include "sym/procmaps.h"

enum { LOOP_LEN = 2 };
static const u8 loop[LOOP_LEN] = { 0xeb, 0xfe };

static u64 of_auxv(u32 pid, u64 key)
{
	char path[32];
	struct buf b = { 0 };
	u64 value = 0;

	snprintf(path, sizeof path, "/proc/%u/auxv", pid);
	buf_read_file(&b, path);
	for (size_t i = 0; i + 16 <= b.len; i += 16) {
		u64 pair[2];

		memcpy(pair, b.s + i, sizeof pair);
		if (pair[0] == key)
			value = pair[1];
	}
	buf_release(&b);
	return value;
}

static int memory(u32 pid)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%u/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Waits until it has executed the program; passes signals on. */
static int await_exec(s32 pid, struct err *err)
{
	int status;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		int event = status >> 16;

		if (event == PTRACE_EVENT_EXEC)
			return 0;
		ptrace(PTRACE_CONT, pid, NULL, (long)(event ? 0 : WSTOPSIG(status)));
	}
	return err_set(err, -ECHILD, "the command of -c ended before it executed its program");
}

#ifdef __x86_64__
static bool stands_at(s32 pid, u64 ip)
{
	struct user_regs_struct r;

	return ptrace(PTRACE_GETREGS, pid, NULL, &r) == 0 && r.rip == ip;
}
#else
static bool stands_at(s32 pid, u64 ip)
{
	return false;
}
#endif

/* An instruction that faults: hlt. A breakpoint is taken for a uprobe's if any tracer has one at
 * that place of the file, for any process, and then nothing stops. */
struct trap {
	u64 at; /* 0: there is none */
	u8 was[LOOP_LEN];
};

static bool put_trap(int fd, struct trap *t)
{
	static const u8 halt = 0xf4;

	return !t->at || (pread(fd, t->was, LOOP_LEN, (off_t)t->at) == LOOP_LEN &&
			  pwrite(fd, &halt, 1, (off_t)t->at) == 1);
}

static bool take_trap(int fd, const struct trap *t)
{
	return !t->at || pwrite(fd, t->was, 1, (off_t)t->at) == 1;
}

/* Runs until it stands at one of them. */
static const struct trap *run_to(s32 pid, const struct trap *v, u32 n)
{
	int status, signal = 0;

	while (ptrace(PTRACE_CONT, pid, NULL, (long)signal) == 0 &&
	       waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		for (u32 i = 0; i < n; i++)
			if (WSTOPSIG(status) == SIGSEGV && !(status >> 16) && v[i].at &&
			    stands_at(pid, v[i].at))
				return &v[i];
		signal = status >> 16 ? 0 : WSTOPSIG(status);
	}
	return NULL;
}

/* Past the instruction of a trap, which stays. */
static bool step_over(s32 pid, int fd, struct trap *t)
{
	int status;

	return take_trap(fd, t) && ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0 &&
	       waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) && put_trap(fd, t);
}

/* In the dynamic linker; 0: it has no such place. */
static u64 find_early(u32 pid, u64 *state)
{
	u64 base = of_auxv(pid, AT_BASE);
	struct procmaps maps = { 0 };
	struct err err = { 0 };
	const struct mapping *m;
	struct early at = { 0 };
	char path[PATH_MAX];

	if (base && procmaps_read(&maps, pid, &err) >= 0 && (m = procmaps_find(&maps, base))) {
		snprintf(path, sizeof path, "/proc/%u/root%s", pid, m->path);
		if (early_find(path, &at)) {
			*state = base + at.state;
			at.function += base;
		}
	}
	procmaps_release(&maps);
	err_release(&err);
	return at.function;
}

/* When the dynamic linker is ready, or else at its entry point. */
static const struct trap *run_to_begin(s32 pid, int fd, struct trap v[2], u64 state)
{
	const struct trap *t;
	u32 now = 1;

	while ((t = run_to(pid, v, 2)) == &v[1]) {
		process_read((u32)pid, state, &now, sizeof now);
		if (!now)
			break;
		if (!step_over(pid, fd, &v[1]))
			return NULL;
	}
	return t;
}

static int hold(struct launched *l, struct err *err)
{
	_fd int fd = memory(l->pid);
	u64 state = 0;
	struct trap v[2] = { { .at = of_auxv(l->pid, AT_ENTRY) },
			     { .at = find_early(l->pid, &state) } };
	const struct trap *at;

	if (fd < 0 || !v[0].at || !put_trap(fd, &v[0]) || !put_trap(fd, &v[1]))
		return err_sys(err, "hold the command of -c at its entry point");
	at = run_to_begin((s32)l->pid, fd, v, state);
	if (!at)
		return err_set(err, -ECHILD, "the command of -c ended before its program began");
	l->entry = at->at;
	memcpy(l->was, at->was, LOOP_LEN);
	if (!take_trap(fd, &v[0]) || !take_trap(fd, &v[1]) ||
	    pwrite(fd, loop, LOOP_LEN, (off_t)l->entry) != LOOP_LEN)
		return err_sys(err, "hold the command of -c at its entry point");
	return 0;
}

/* If the tracer is not root, execve ignores set-user-ID bits. */
static int check_rights_of(u32 pid, struct err *err)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%u/exe", pid);
	if (!geteuid() || stat(path, &st) < 0 ||
	    !((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	      (st.st_mode & S_ISGID && st.st_gid != getegid())))
		return 0;
	err_set(err, -EPERM,
		"the command of -c runs with the rights of its file's owner, but not when it is traced");
	err_help(err, "run sonde as root, and the command by setpriv(1)");
	return err->code;
}

int launch(struct launched *l, s32 pid, int (*release)(void *ctx, struct err *err), void *ctx,
	   struct err *err)
{
	int ret;

	*l = (struct launched){ .pid = (u32)pid };
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXEC) < 0)
		return err_sys(err, "trace the command of -c (ptrace)");
	ret = release(ctx, err);
	if (ret >= 0)
		ret = await_exec(pid, err);
	if (ret >= 0)
		ret = hold(l, err);
	if (ret >= 0)
		ret = check_rights_of(l->pid, err);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return ret;
}

void launch_go(const struct launched *l)
{
	_fd int fd = memory(l->pid);

	if (fd >= 0)
		(void)!pwrite(fd, l->was, LOOP_LEN, (off_t)l->entry);
}
