/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File descriptors that are closed at the end of a scope: _fd int fd = open(...). */
#ifndef SONDE_BASE_FD_H
#define SONDE_BASE_FD_H

#include <unistd.h>
#include "base/base.h"

static inline void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
#define _fd __attribute__((cleanup(fd_close)))

/* Writes all bytes, retrying short writes and EINTR; 0 or -errno. */
int write_all(int fd, const void *bytes, size_t len);
/* The current path of an open descriptor, truncated to size. false: it has none. */
bool fd_path(int fd, char *path, size_t size);

#endif
