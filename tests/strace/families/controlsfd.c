/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fcntl. */
#include "calls.h"

int main(void)
{
	struct flock l = { F_WRLCK, SEEK_SET, 10, 20 };
	struct {
		int type, pid;
	} owner = { 1, getpid() };
	int fd = open("f", O_RDWR | O_CREAT | O_APPEND, 0600), p;

	fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND);
	fcntl(fd, F_GETFL);
	fcntl(0, F_GETFL);
	fcntl(fd, F_GETFD);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_GETFD);
	fcntl(fd, F_SETFD, 5);
	fcntl(fd, F_DUPFD, 30);
	fcntl(fd, F_DUPFD_CLOEXEC, 30);
	fcntl(fd, F_SETLK, &l);
	fcntl(fd, F_SETLKW, &l);
	fcntl(fd, F_GETLK, &l);
	l.l_pid = 0;
	fcntl(fd, F_OFD_SETLK, &l);
	fcntl(fd, F_OFD_GETLK, &l);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_GETOWN);
	fcntl(fd, F_SETOWN, -getpid());
	fcntl(fd, F_GETOWN);
	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_GETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, SIGUSR1);
	fcntl(fd, F_GETSIG);
	fcntl(fd, F_SETLEASE, F_RDLCK);
	fcntl(fd, F_GETLEASE);
	fcntl(fd, F_NOTIFY, DN_CREATE | DN_MULTISHOT);
	fcntl(fd, 999, 7);
	fcntl(-1, F_GETFL);
	fcntl(fd, F_SETLK, BAD);
	return 0;
}
