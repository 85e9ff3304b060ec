/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that a function reads at an event, and that an engine of samples has the kernel fetch with
 * it. */
#ifndef SONDE_TYPE_FETCH_H
#define SONDE_TYPE_FETCH_H

#include "base/arena.h"

struct fetch {
	/* the fetch whose 8 bytes are the pointer; -1: they are at ctx in the context */
	s32 parent;
	u32 ctx;
	s64 offset; /* from the pointer */
	u32 len;    /* bytes; of a string the most */
	bool is_string, is_user;
};
/* Of a function; parents come first. */
struct fetches {
	VEC(struct fetch) list;
};
struct fetch_table {
	VEC(struct fetches) by_func;
};

#endif
