/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include "base/fd.h"
#include "engine/process/area.h"
#include "engine/process/detach.h"
#include "engine/process/internal.h"

/* The lock is a name that the kernel frees however this process ends. The survivor of a killed
 * process may still hold it. */
int process_lock(u32 pid, struct err *err)
{
	enum { TRIES = 200, STEP_NS = 10000000 };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int len = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "sonde-records-%u", pid);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, "create a socket");
	for (u32 i = 0; i < TRIES; i++) {
		if (!bind(fd, (struct sockaddr *)&name,
			  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)))
			return fd;
		if (errno != EADDRINUSE)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
	}
	if (errno == EADDRINUSE)
		err_set(err, -EBUSY, "another sonde reads the records of process %u", pid);
	else
		err_sys(err, "bind a socket");
	close(fd);
	return err->code;
}

int process_remove_old(u32 pid, u32 *n, struct err *err)
{
	struct patched all = { .pid = pid, .tid_offset = -1 };
	struct areas old = { 0 };
	struct arena arena;
	int ret;

	arena_init(&arena);
	ret = area_find_all(pid, &arena, &old, err);
	all.v = old.patches.v;
	all.n = old.patches.n;
	all.areas = old.list.v;
	all.n_areas = old.list.n;
	for (u32 i = 0; i < all.n; i++)
		all.v[i].is_enabled = true;
	if (ret >= 0 && all.n_areas)
		ret = patch_disable(&all, err);
	if (n)
		*n = all.n;
	arena_release(&arena);
	return ret;
}
