/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include "base/clock.h"
#include "base/fd.h"
#include "engine/process/area.h"
#include "engine/process/detach.h"
#include "engine/process/internal.h"
#include "sym/procs.h"

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

int process_remove_old(u32 pid, u32 ms, u32 *n, struct err *err)
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
		ret = patch_disable(&all, ms, err);
	if (n)
		*n = all.n;
	arena_release(&arena);
	return ret;
}

/* ---- in children */

struct copies {
	const struct patched *of;
	bool (*is_meant)(u32 pid, const struct patched *of);
	u64 end; /* when to give up */
	u32 n;   /* found this time */
};

static bool has_copy(u32 pid, const struct patched *of)
{
	return area_any_is_there(pid, of->areas, of->n_areas);
}

/* The jumps of each batch are put in at once: one of them tells whether the process has all. */
static bool has_batch(u32 pid, const struct patched *of, const struct area *a)
{
	for (u32 i = 0; i < of->n; i++)
		if (of->v[i].to - a->code < a->code_size)
			return patch_is_in(pid, &of->v[i]);
	return true;
}

static bool has_part(u32 pid, const struct patched *of)
{
	bool has_all = true;

	for (u32 i = 0; i < of->n_areas && has_all; i++)
		has_all = area_is_there(pid, &of->areas[i]) && has_batch(pid, of, &of->areas[i]);
	return !has_all && has_copy(pid, of);
}

static int remove_copy(void *ctx, u32 pid)
{
	enum { ONE_MS = 20 };
	struct copies *c = ctx;
	struct err err = { 0 };

	if (pid == c->of->pid || !c->is_meant(pid, c->of))
		return 0;
	c->n++;
	process_remove_old(pid, ONE_MS, NULL, &err);
	err_release(&err);
	return clock_mono_ns() > c->end;
}

/* A process that is looked at may have started another one before: all are looked at again until
 * none is meant. */
static bool remove_from_children(const struct patched *p, u32 ms,
				 bool (*is_meant)(u32 pid, const struct patched *of))
{
	struct copies c = { .of = p,
			    .is_meant = is_meant,
			    .end = clock_mono_ns() + ms * 1000000ull };

	if (!p->n_areas)
		return true;
	do {
		c.n = 0;
		proc_each(remove_copy, &c);
	} while (c.n && clock_mono_ns() <= c.end);
	return !c.n;
}

bool process_remove_copies(const struct patched *p, u32 ms)
{
	return remove_from_children(p, ms, has_copy);
}

bool process_remove_parts(const struct patched *p, u32 ms)
{
	return !p->n_areas || !p->areas[0].in_children || remove_from_children(p, ms, has_part);
}
