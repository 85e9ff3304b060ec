/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In: a path. Out: "PATH.XXXXXX", which rename(2) makes PATH. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/new_file.h"

/* mkostemp() lets only the owner read; others may what they may of the old file, or of any new
 * one. */
static void set_mode(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask);
}

int new_file_open(struct new_file *f, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	int fd;

	*f = (struct new_file){ 0 };
	if (exists && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	f->path = exists ? realpath(path, NULL) : strdup(path);
	if (!f->path)
		return -errno;
	f->temporary = xasprintf("%s.XXXXXX", f->path);
	fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd >= 0) {
		set_mode(fd, exists ? &st : NULL);
		return fd;
	}
	fd = -errno;
	free(f->path);
	free(f->temporary);
	*f = (struct new_file){ 0 };
	return fd;
}

int new_file_close(struct new_file *f, bool complete)
{
	int ret = 0;

	if (!f->temporary)
		return 0;
	if (complete && rename(f->temporary, f->path) < 0)
		ret = -errno;
	if (!complete || ret)
		unlink(f->temporary);
	free(f->path);
	free(f->temporary);
	*f = (struct new_file){ 0 };
	return ret;
}
