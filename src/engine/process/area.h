/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sonde maps in the process, by injected system calls:
 *
 *	control	a private page within 2 GB of the functions, zeros in a child of fork(): where the rings are
 *	code	read and execute, behind it: "sonde-code", a sealed memfd that begins with struct area_head
 *	rings	read and write, shared with sonde, not in a child of fork(): "sonde-rings"
 *
 * The head lists the patches, so that another run can remove them if this one is killed.
 */
#ifndef SONDE_ENGINE_PROCESS_AREA_H
#define SONDE_ENGINE_PROCESS_AREA_H

#include "base/arena.h"
#include "engine/process/threads.h"

struct patch;

enum { AREA_PAGE = 4096, AREA_MAGIC = 0x65646e6f, AREA_VERSION = 1 };

struct area {
	u64 control, code, code_size;
	u64 rings, rings_size; /* 0: those of another area */
	u32 id;                /* of the run that made it */
	int code_fd, rings_fd; /* this process's; -1 */
};

struct area_head {
	u32 magic, version;
	u64 code_size, control, rings, rings_size;
	u32 n_patches, id;
	struct area_patch {
		u64 at, to; /* a jump to `to` is at `at` */
		u8 was[8];  /* five bytes */
	} patch[];
};
u64 area_head_size(u32 n_patches);
/* Without patches. */
void area_put_head(struct area_head *h, const struct area *a);

/* A memfd of `size` bytes that both have: *fd is this process's descriptor of it (-1: none), the
 * result the address there, or -errno. `scratch`: memory of the process for its name. */
s64 area_map_file(struct injector *in, u32 pid, u64 scratch, const char *name, u64 size, u64 at,
		  int prot, int flags, int *fd);

/* Maps one whose code has code_size bytes within reach of [low, high), in one stopped thread of the
 * process. rings_size: 0 if there are rings already. 0 or -errno; area_release() afterwards. */
int area_map(struct area *a, u32 pid, struct injector *in, u64 low, u64 high, u64 code_size,
	     u64 rings_size, struct err *err);
/* Writes the code and makes it unchangeable. */
int area_fill(struct area *a, const void *code, u64 size, struct err *err);
/* In a stopped thread: unmaps it. */
void area_unmap(const struct area *a, struct injector *in);
/* Whether it is mapped in the process, and not another one at its place. */
bool area_is_there(u32 pid, const struct area *a);
/* Closes descriptors. */
void area_release(struct area *a);

/* Areas of an earlier run, with their patches. What is not as it should be is left out. */
struct areas {
	VEC(struct area) list;
	VEC(struct patch) patches;
};
int area_find_all(u32 pid, struct arena *a, struct areas *all, struct err *err);

#endif
