/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of -c up to the first instruction of its program: its libraries are mapped and its
 * thread is set up then, but no code of its own has run. It executes the program
 * (PTRACE_O_TRACEEXEC), whose entry point is a jump to itself until launch_go(): until then it can
 * be stopped and patched like any process.
 */
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
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

enum { LOOP_LEN = 2 };
static const u8 loop[LOOP_LEN] = { 0xeb, 0xfe };

static u64 entry_of(u32 pid)
{
	char path[32];
	struct buf b = { 0 };
	u64 entry = 0;

	snprintf(path, sizeof path, "/proc/%u/auxv", pid);
	buf_read_file(&b, path);
	for (size_t i = 0; i + 16 <= b.len; i += 16) {
		u64 pair[2];

		memcpy(pair, b.s + i, sizeof pair);
		if (pair[0] == AT_ENTRY)
			entry = pair[1];
	}
	buf_release(&b);
	return entry;
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

/* Runs to the instruction at its entry point that faults. */
static int run_to_entry(s32 pid, u64 entry, struct err *err)
{
	int status, signal = 0;

	while (ptrace(PTRACE_CONT, pid, NULL, (long)signal) == 0 &&
	       waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == SIGSEGV && !(status >> 16) && stands_at(pid, entry))
			return 0;
		signal = status >> 16 ? 0 : WSTOPSIG(status);
	}
	return err_set(err, -ECHILD, "the command of -c ended before its program began");
}

static int hold_at_entry(struct launched *l, struct err *err)
{
	/* hlt, which faults in user mode. A breakpoint is taken for a uprobe's if any tracer has
	 * one at that place of the file, for any process, and then nothing stops. */
	static const u8 halt = 0xf4;
	_fd int fd = memory(l->pid);
	int ret;

	l->entry = entry_of(l->pid);
	if (fd < 0 || !l->entry || pread(fd, l->was, LOOP_LEN, (off_t)l->entry) != LOOP_LEN ||
	    pwrite(fd, &halt, 1, (off_t)l->entry) != 1)
		return err_sys(err, "hold the command of -c at its entry point");
	ret = run_to_entry((s32)l->pid, l->entry, err);
	if (ret >= 0 && pwrite(fd, loop, LOOP_LEN, (off_t)l->entry) != LOOP_LEN)
		ret = err_sys(err, "hold the command of -c at its entry point");
	return ret;
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
		ret = hold_at_entry(l, err);
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
