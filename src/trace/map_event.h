/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A change of a process's mappings of code, for symbols of processes that end before their stacks
 * are printed. */
#ifndef SONDE_TRACE_MAP_EVENT_H
#define SONDE_TRACE_MAP_EVENT_H

#include "base/base.h"

struct map_event {
	enum { PROC_MAPPED, PROC_EXEC, PROC_FORK } kind;
	u32 pid, parent; /* parent: of PROC_FORK */
	u64 time;        /* CLOCK_MONOTONIC; 0: it was so before the run */
	/* PROC_MAPPED: code, as struct mapping in sym/procmaps.h */
	u64 start, end, offset, inode;
	u32 dev_major, dev_minor;
	const char *path;   /* valid during the call */
	const u8 *build_id; /* likewise; NULL: none, or not known */
	u32 build_id_len;
};

#endif
