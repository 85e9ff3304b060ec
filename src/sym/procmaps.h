/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mappings of a process: /proc/PID/maps. */
#ifndef SONDE_SYM_PROCMAPS_H
#define SONDE_SYM_PROCMAPS_H

#include "base/arena.h"
#include "base/err.h"

struct mapping {
	u64 start, end; /* [start, end) */
	u64 offset;     /* in the file */
	u64 inode;
	u32 dev_major, dev_minor;
	bool read, write, exec, shared;
	bool deleted;    /* the file was unlinked */
	u8 build_id_len; /* of the file, if known: recordings have it */
	u8 build_id[20];
	const char *path; /* "" for anonymous memory; "[vdso]", "[heap]", ... */
};

struct procmaps {
	struct arena arena;
	VEC(struct mapping) list; /* ascending */
};

/* 0 or -errno. On success release it. */
int procmaps_read(struct procmaps *m, u32 pid, struct err *err);
/* From text (tests, recorded traces). */
void procmaps_parse(struct procmaps *m, const char *text, size_t len);
/*
 * Inserts a mapping, which replaces what it overlaps. The path is copied. m must be zeroed before
 * first use.
 */
void procmaps_add(struct procmaps *m, const struct mapping *one);
void procmaps_release(struct procmaps *m);
const struct mapping *procmaps_find(const struct procmaps *m, u64 address);

#endif
