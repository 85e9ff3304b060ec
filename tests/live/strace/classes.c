/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes each system call; a filter of its own refuses all of them, so that nothing happens. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct sock_filter f[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0, 0 },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_exit_group },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 38 },
	};
	struct sock_fprog p = { 4, f };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, 2, &p);
	for (int i = 0; i < 462; i++)
		if (i != SYS_exit_group && i != SYS_rt_sigreturn && i != SYS_vfork && (i < 335 || i > 423))
			syscall(i, 0, 0, 0, 0, 0, 0);
	_exit(0);
}
