/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that appears under its name when it is complete: until then the bytes are in a temporary
 * file beside it, and what had that name before stays as it was. */
#ifndef SONDE_BASE_NEW_FILE_H
#define SONDE_BASE_NEW_FILE_H

#include "base/base.h"

struct new_file {
	char *path, *temporary; /* NULL: written in place, as devices and pipes are */
};

/* The descriptor to write to, or -errno. A symbolic link is followed. */
int new_file_open(struct new_file *f, const char *path);
/* complete: the file gets its name; otherwise it is removed. 0 or -errno. The descriptor is the
 * caller's. */
int new_file_close(struct new_file *f, bool complete);

#endif
