/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extended attributes. */
#include <sys/xattr.h>
#include "calls.h"

int main(void)
{
	char b[100];
	int fd = open("f", O_CREAT | O_RDWR, 0600);

	setxattr("f", "user.one", "value\0more", 10, XATTR_CREATE);
	setxattr("f", "user.two", NULL, 0, 0);
	fsetxattr(fd, "user.three", "abc", 3, XATTR_REPLACE);
	lsetxattr("f", "user.four", "a long value that has more than 32 bytes", 40, 7);
	getxattr("f", "user.one", b, sizeof(b));
	getxattr("f", "user.one", NULL, 0);
	getxattr("f", "user.one", b, 2);
	lgetxattr("f", "user.none", b, sizeof(b));
	fgetxattr(fd, "user.one", b, sizeof(b));
	listxattr("f", b, sizeof(b));
	llistxattr("f", NULL, 0);
	flistxattr(fd, b, 3);
	flistxattr(fd, b, sizeof(b));
	removexattr("f", "user.one");
	lremovexattr("f", "user.one");
	fremovexattr(fd, "user.one");
	return 0;
}
