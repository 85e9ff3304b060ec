/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup v2: id (from bpf_get_current_cgroup_id()) <-> path below the mount. */
#ifndef SONDE_SYM_CGROUP_H
#define SONDE_SYM_CGROUP_H

#include "base/arena.h"
#include "base/err.h"

/* Mount point of cgroup2: "/sys/fs/cgroup" or "/sys/fs/cgroup/unified"; NULL: not mounted. */
const char *cgroup_mount(void);
/*
 * The id of a directory, absolute or relative to the mount, and how many directories it is below
 * the root (0: the root itself). 0 or -errno.
 */
int cgroup_id(const char *path, u64 *id, u32 *level, struct err *err);
/*
 * "unified:/user.slice/...,cpu:/...": the path of an id in each mounted hierarchy that contains it
 * and whose name matches the filter (NULL or "": all). Version 2 is "unified" wherever it is
 * mounted and is first. "" if the filter matches no hierarchy; NULL: the cgroup is gone. In the
 * arena.
 */
const char *cgroup_path(struct arena *a, u64 id, const char *filter);

#endif
