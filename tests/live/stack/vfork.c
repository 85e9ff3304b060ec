/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in vfork() until the child ends: there glibc keeps the return address in a register, not on the stack. */
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int spawn(void)
{
	pid_t pid = vfork();

	if (!pid) {
		usleep(30000);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) == pid;
}

__attribute__((noinline)) static int twice(void)
{
	return spawn() + spawn();
}

int main(void)
{
	return twice() != 2;
}
