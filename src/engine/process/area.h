/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sonde maps in the process, by injected system calls:
 *
 *	control	a private page within 2 GB of the functions, with the address of the rings
 *	code	read and execute, after it: "sonde-code", a sealed memfd that begins with struct area_head
 *	rings	read and write, shared with sonde: "sonde-rings"
 *
 * A child of fork() has copies. In one that is not traced, the control page is zeros and the rings
 * are not mapped.
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
	u64 rings, rings_size; /* 0: the rings are those of another area */
	u32 id;                /* of the run that made it */
	bool in_children;      /* it serves children of fork(), too */
	int code_fd, rings_fd; /* this process's; -1 */
};

struct area_head {
	u32 magic, version;
	u64 code_size, control, rings, rings_size;
	u32 n_patches, id;
	struct area_patch {
		u64 at, to; /* there is a jump from `at` to `to` */
		u8 was[5];  /* what it replaced */
		/* bytes at `at` that are executed elsewhere, or not at all; at least 5 */
		u8 displaced;
		u8 unused[2];
	} patch[];
};
u64 area_head_size(u32 n_patches);
/* Without patches. */
void area_put_head(struct area_head *h, const struct area *a);

/* A memfd that both processes map. */
struct area_file {
	const char *name;
	u64 scratch;     /* memory of the process for the name */
	u64 size, at;    /* at: 0: anywhere */
	int prot, flags; /* as for mmap(2) */
};
/* *fd is this process's descriptor of it (-1: none). Returns the address there, or -errno. */
s64 area_map_file(struct injector *in, const struct area_file *f, int *fd);

/* Maps one within reach of [low, high), in one stopped thread of the process; the caller has set
 * code_size, which is rounded up to pages, and rings_size (0 if there are rings already). 0 or
 * -errno; area_release() afterwards. */
int area_map(struct area *a, struct injector *in, u64 low, u64 high, struct err *err);
/* Writes the code and makes it unchangeable. */
int area_fill(struct area *a, const void *code, u64 size, struct err *err);
/* Unmaps it, in a stopped thread. */
void area_unmap(const struct area *a, struct injector *in);
/* Whether this area, not another one, is mapped at its address in the process. */
bool area_is_there(u32 pid, const struct area *a);
/* One of n. */
bool area_any_is_there(u32 pid, const struct area *v, u32 n);
/* Closes descriptors. */
void area_release(struct area *a);

/* Areas of an earlier run, with their patches. Inconsistent ones are omitted. */
struct areas {
	VEC(struct area) list;
	VEC(struct patch) patches;
};
int area_find_all(u32 pid, struct arena *a, struct areas *all, struct err *err);

#endif
