/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What files are: stat, statx, statfs. */
#include <sys/vfs.h>
#include "calls.h"

int main(void)
{
	struct stat s;
	struct statfs f;
	char b[256];

	syscall(SYS_stat, "/etc/passwd", &s);
	syscall(SYS_stat, "/dev/null", &s);
	syscall(SYS_stat, "/nonexistent", &s);
	syscall(SYS_stat, "/etc", BAD);
	syscall(SYS_lstat, "/bin", &s);
	syscall(SYS_fstat, 0, &s);
	syscall(SYS_fstat, 77, &s);
	syscall(SYS_newfstatat, AT_FDCWD, "/tmp", &s, AT_SYMLINK_NOFOLLOW);
	syscall(SYS_newfstatat, 1, "", &s, AT_EMPTY_PATH);
	syscall(SYS_statx, AT_FDCWD, "/etc/passwd", AT_STATX_FORCE_SYNC, STATX_ALL, b);
	syscall(SYS_statx, AT_FDCWD, "/etc/passwd", 0, STATX_BASIC_STATS | STATX_BTIME, b);
	syscall(SYS_statx, AT_FDCWD, "/dev/zero", AT_STATX_DONT_SYNC,
		STATX_TYPE | STATX_MODE | STATX_SIZE, b);
	syscall(SYS_statx, AT_FDCWD, "/nonexistent", AT_SYMLINK_NOFOLLOW, 0x80000000, b);
	statfs("/proc", &f);
	statfs("/tmp", &f);
	statfs("/sys", &f);
	fstatfs(0, &f);
	statfs("/nonexistent", &f);
	syscall(SYS_ustat, 5, b);
	return 0;
}
