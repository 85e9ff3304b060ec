/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Seccomp: a filter that refuses calls. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include "calls.h"

int main(void)
{
	struct sock_filter code[] = {
		{ 0x20, 0, 0, 0 },
		{ 0x15, 0, 1, SYS_getsid },
		{ 0x06, 0, 0, SECCOMP_RET_ERRNO | 38 },
		{ 0x15, 0, 1, SYS_getpgid },
		{ 0x06, 0, 0, SECCOMP_RET_TRAP },
		{ 0x06, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog prog = { NELEM(code), code };
	uint32_t action = SECCOMP_RET_LOG;
	char sizes[6];

	signal(SIGSYS, SIG_IGN);
	syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
	syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, sizes);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0x8, BAD);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog);
	getsid(0);
	getpid();
	return 0;
}
