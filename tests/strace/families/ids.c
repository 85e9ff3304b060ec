/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identities. */
#include <sys/fsuid.h>
#include "calls.h"

int main(void)
{
	gid_t groups[3] = { 1, 2, 3 };
	uid_t a, b, c;

	getuid();
	geteuid();
	getgid();
	getegid();
	getresuid(&a, &b, &c);
	getresgid(&a, &b, &c);
	getgroups(3, groups);
	getgroups(0, NULL);
	getgroups(1, groups);
	syscall(SYS_setgroups, 3, groups);
	syscall(SYS_getgroups, 3, groups);
	syscall(SYS_setfsuid, -1);
	syscall(SYS_setfsgid, 0);
	syscall(SYS_setregid, -1, 5);
	syscall(SYS_setresgid, 5, 6, -1);
	syscall(SYS_setgid, 5);
	syscall(SYS_setreuid, -1, 5);
	syscall(SYS_setresuid, 5, 6, 5);
	syscall(SYS_setuid, 0);
	return 0;
}
