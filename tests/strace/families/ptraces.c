/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that traces another is no obstacle: what ptrace shows. */
#include <sys/ptrace.h>
#include <sys/user.h>
#include "calls.h"

int main(void)
{
	int status;

	ptrace(PTRACE_ATTACH, 99999999, NULL, NULL);
	ptrace(PTRACE_CONT, -1, 0, SIGTERM);
	ptrace(PTRACE_SETOPTIONS, -1, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXEC);
	ptrace(PTRACE_GETREGSET, -1, 1, &(struct iovec){ &status, 4 });
	ptrace(PTRACE_SEIZE, -1, 0, PTRACE_O_EXITKILL);
	syscall(SYS_ptrace, 0x7777, 1, 2, 3);
	return 0;
}
