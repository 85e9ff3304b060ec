/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory for data that runs share until reboot: /run/sonde, or $XDG_RUNTIME_DIR/sonde. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "engine/kernel/internal.h"

int private_dir(void)
{
	const char *run = geteuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR");
	char path[256];
	struct stat st;
	int fd;

	if (!run || *run != '/' || snprintf(path, sizeof path, "%s/sonde", run) >= (int)sizeof path)
		return -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 077)) {
		close(fd);
		fd = -1;
	}
	return fd;
}
