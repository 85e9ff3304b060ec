/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes: forks, waits, their results. */
#include "calls.h"

static int child_exits(void *arg)
{
	return 7;
}

int main(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct rusage ru;
	siginfo_t info;
	uint64_t args[11] = { 0 };
	int status, pid, pidfd = 0;

	pid = fork();
	if (!pid)
		_exit(3);
	waitpid(pid, &status, 0);
	pid = vfork();
	if (!pid)
		_exit(0);
	wait4(pid, &status, 0, &ru);
	pid = clone(child_exits, stack + sizeof(stack), SIGCHLD | CLONE_VM | CLONE_VFORK, NULL);
	waitpid(-1, &status, __WALL);
	args[0] = 0x1000;
	args[1] = (uintptr_t)&pidfd;
	args[4] = SIGCHLD;
	pid = syscall(SYS_clone3, args, 88);
	if (!pid)
		_exit(200);
	waitid(3, pidfd, &info, WEXITED | WNOWAIT);
	waitid(P_PID, pid, &info, WEXITED);
	waitid(P_ALL, 0, &info, WEXITED | WNOHANG);
	syscall(SYS_clone3, args, 3);
	syscall(SYS_clone3, BAD, 88);
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		abort();
	}
	waitpid(pid, &status, WUNTRACED);
	kill(pid, SIGCONT);
	waitpid(pid, &status, WCONTINUED);
	waitpid(pid, &status, 0);
	wait4(-1, &status, WNOHANG, NULL);
	waitpid(-5, BAD, 0x1000);
	getpid();
	getppid();
	gettid();
	getpgid(0);
	getpgrp();
	getsid(1);
	setpgid(0, 0);
	setsid();
	execve("/nonexistent", (char *[]){ "a", "b", NULL }, (char *[]){ NULL });
	execve(BAD, NULL, NULL);
	execve("/etc/passwd", (char *[]){ NULL }, (char *[]){ "X=1", "Y=2", NULL });
	execveat(AT_FDCWD, "/nonexistent", (char *[]){ "a", NULL }, NULL, AT_SYMLINK_NOFOLLOW);
	execle("/bin/true", "/bin/true", "quo\"te", "new\nline", NULL, (char *[]){ "A=1", NULL });
	return 0;
}
