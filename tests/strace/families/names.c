/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names: directories, links, owners, times. */
#include <sys/sysmacros.h>
#include "calls.h"

int main(void)
{
	struct timespec ts[2] = { { 1000000000, 5 }, { 0, UTIME_OMIT } };
	struct timespec now[2] = { { 0, UTIME_NOW }, { 0, 0 } };
	struct timeval tv[2] = { { 1000000000, 5 }, { 1, 0 } };
	struct {
		long a, m;
	} ut = { 1000000000, 0 };
	char b[300], deep[300];
	int d;

	memset(deep, 'd', sizeof(deep));
	deep[299] = 0;
	mkdir("d", 0755);
	mkdir("d", 01777);
	mkdirat(AT_FDCWD, deep, 0);
	d = open("d", O_RDONLY | O_DIRECTORY);
	mkdirat(d, "e", 0700);
	mknod("p", S_IFIFO | 0600, 0);
	mknod("c", S_IFCHR | 0600, makedev(1, 3));
	mknodat(d, "b", S_IFBLK | 0666, makedev(7, 300));
	mknodat(d, "r", 0666, 0);
	mknodat(d, "s", S_IFSOCK | 0666, 0);
	link("p", "q");
	linkat(AT_FDCWD, "p", d, "q", AT_SYMLINK_FOLLOW);
	linkat(d, "", d, "x", AT_EMPTY_PATH);
	symlink("target", "l");
	symlinkat("other", d, "l");
	readlink("l", b, sizeof(b));
	readlink("nothing", b, 3);
	readlinkat(d, "l", b, 3);
	readlinkat(d, "l", BAD, 3);
	rename("q", "q2");
	renameat(AT_FDCWD, "q2", d, "q3");
	renameat2(AT_FDCWD, "p", d, "r", RENAME_NOREPLACE);
	renameat2(AT_FDCWD, "p", d, "r", RENAME_EXCHANGE | 0x40);
	chmod("p", 04755);
	fchmod(d, 0700);
	syscall(SYS_fchmodat, d, "l", 0644);
	chown("p", 0, 0);
	chown("p", -1, 5);
	lchown("l", 1, -1);
	fchown(d, 0, 0);
	fchownat(d, "", 0, 0, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
	access("p", R_OK | W_OK);
	access("p", F_OK);
	access("p", 017);
	syscall(SYS_faccessat, d, "l", X_OK);
	syscall(SYS_faccessat2, d, "l", F_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
	utimensat(AT_FDCWD, "p", ts, 0);
	utimensat(d, NULL, now, 0);
	utimensat(AT_FDCWD, "l", NULL, AT_SYMLINK_NOFOLLOW);
	utimensat(AT_FDCWD, "l", BAD, 0);
	syscall(SYS_utimes, "p", tv);
	syscall(SYS_utime, "p", &ut);
	syscall(SYS_utime, "p", NULL);
	syscall(SYS_futimesat, d, "r", tv);
	syscall(SYS_getcwd, b, sizeof(b));
	syscall(SYS_getcwd, b, 1);
	syscall(SYS_getdents64, d, b, sizeof(b));
	syscall(SYS_getdents64, d, b, 1);
	syscall(SYS_getdents, d, b, sizeof(b));
	syscall(SYS_getdents64, d, b, sizeof(b));
	unlink("nothing");
	unlinkat(d, "e", AT_REMOVEDIR);
	rmdir("d");
	chdir("d");
	fchdir(d);
	chroot("/nonexistent");
	return 0;
}
