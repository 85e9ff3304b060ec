/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounts, old and new interface, in a namespace of its own. */
#include <sys/mount.h>
#include <sys/swap.h>
#include "calls.h"

int main(void)
{
	static const unsigned long flags[] = { MS_RDONLY,
					       MS_BIND,
					       MS_MOVE,
					       MS_REMOUNT,
					       MS_REMOUNT | MS_BIND,
					       MS_SHARED,
					       MS_UNBINDABLE,
					       0xc0ed0001,
					       MS_MGC_VAL | MS_BIND,
					       MS_MGC_VAL | MS_REMOUNT,
					       1ul << 40 | MS_BIND };
	uint64_t attr[4] = { 1 | 2, 0, 0, 0 };
	int fs, m;

	if (unshare(CLONE_NEWNS | CLONE_NEWUTS))
		return 1;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mkdir("m", 0700);
	mount("tmpfs", "m", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOATIME, "size=1m,mode=0700");
	mount("m", "m", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL);
	mount("none", "m", "nothing", 0, "x");
	for (unsigned i = 0; i < NELEM(flags);
	     i++) { /* what the type and the data are depends on them */
		mount("a", "/nonexistent", "type", flags[i], "data");
		mount(NULL, NULL, BAD, flags[i], NULL);
	}
	umount2("m", MNT_DETACH | UMOUNT_NOFOLLOW);
	umount("m");
	fs = syscall(SYS_fsopen, "tmpfs", 1);
	syscall(SYS_fsconfig, fs, 1, "size", "1m", 0);
	syscall(SYS_fsconfig, fs, 0, "ro", NULL, 0);
	syscall(SYS_fsconfig, fs, 6, NULL, NULL, 0);
	m = syscall(SYS_fsmount, fs, 1, 2);
	syscall(SYS_move_mount, m, "", AT_FDCWD, "m", 4);
	syscall(SYS_open_tree, AT_FDCWD, "m", 1 | O_CLOEXEC | 0x8000);
	syscall(SYS_mount_setattr, AT_FDCWD, "m", AT_RECURSIVE, attr, 32);
	syscall(SYS_mount_setattr, -1, "m", 0, attr, 7);
	syscall(SYS_fspick, AT_FDCWD, "m", 1);
	syscall(SYS_pivot_root, "a", "b");
	sethostname("host", 4);
	setdomainname("domain", 6);
	swapoff("/nonexistent");
	return 0;
}
