/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of processes. */
#include "calls.h"

int main(void)
{
	siginfo_t info = { .si_signo = SIGCHLD, .si_code = -1 };
	int fd = syscall(SYS_pidfd_open, getpid(), 0);

	syscall(SYS_pidfd_open, 1, O_NONBLOCK);
	syscall(SYS_pidfd_open, -1, 7);
	syscall(SYS_pidfd_getfd, fd, 1, 0);
	syscall(SYS_pidfd_getfd, fd, 99, 1);
	syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0);
	syscall(SYS_pidfd_send_signal, fd, SIGCHLD, &info, 0);
	syscall(SYS_pidfd_send_signal, fd, SIGCHLD, NULL, 0);
	syscall(SYS_process_mrelease, fd, 0);
	return 0;
}
