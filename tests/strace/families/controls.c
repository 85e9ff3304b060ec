/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prctl, arch_prctl and the like. */
#include <sys/prctl.h>
#include <sys/personality.h>
#include <linux/capability.h>
#include "calls.h"

int main(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 1, 2, 4 } };
	unsigned long n = 0;
	char name[17] = "a-name";
	int i = 0;

	prctl(PR_SET_NAME, name);
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	prctl(PR_GET_PDEATHSIG, &i);
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_GET_DUMPABLE);
	prctl(PR_GET_KEEPCAPS);
	prctl(PR_SET_KEEPCAPS, 1);
	prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN);
	prctl(PR_CAPBSET_DROP, 99);
	prctl(PR_GET_SECCOMP);
	prctl(PR_GET_SECUREBITS);
	prctl(PR_SET_SECUREBITS, 1);
	prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, 50000);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_GET_CHILD_SUBREAPER, &i);
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_GET_TID_ADDRESS, &n);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_NET_RAW, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	prctl(PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0);
	prctl(PR_SET_PTRACER, -1);
	prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, 0, 0, 0);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 4096, 4096, "heap");
	prctl(PR_GET_TSC, &i);
	prctl(PR_MCE_KILL_GET, 0, 0, 0, 0);
	prctl(9999, 1, 2, 3, 4);
	syscall(SYS_arch_prctl, 0x1003, &n);
	syscall(SYS_arch_prctl, 0x1011);
	syscall(SYS_arch_prctl, 0x9999, 5);
	personality(0xffffffff);
	personality(ADDR_NO_RANDOMIZE);
	syscall(SYS_capget, &head, data);
	syscall(SYS_capget, &head, NULL);
	head.version = 5;
	syscall(SYS_capget, &head, NULL);
	head.version = _LINUX_CAPABILITY_VERSION_3;
	syscall(SYS_capset, &head, data);
	syscall(SYS_set_tid_address, &n);
	syscall(SYS_iopl, 0);
	syscall(SYS_ioperm, 0x80, 1, 0);
	return 0;
}
