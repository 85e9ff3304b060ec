/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations on descriptors. Another program that shares a terminal may have made it non-blocking:
 * write_all then polls until a full terminal accepts more.
 */
#include <errno.h>
#include <stdio.h>
#include <poll.h>

#include "base/fd.h"

int write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

bool fd_path(int fd, char *path, size_t size)
{
	char link[sizeof("/proc/self/fd/") + 12];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, size - 1);
	path[MAX(n, 0)] = '\0';
	return n > 0;
}
