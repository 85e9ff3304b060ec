/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source text of an import, from the file system. */
#ifndef SONDE_SESSION_IMPORT_H
#define SONDE_SESSION_IMPORT_H

#include "lang/env.h"

/* A path as written in the file `from`: relative to that file's folder. The caller frees it. */
char *import_join_path(const char *from, const char *path);
/* env.read_import: next to the file `from`, else in the folders of -I; from NULL: in those only. */
void import_read(struct env *env, const char *from, const char *path, struct import_source *found);

#endif
