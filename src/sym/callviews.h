/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the arguments of system calls are shown, and what memory that takes: type/call.h. */
#ifndef SONDE_SYM_CALLVIEWS_H
#define SONDE_SYM_CALLVIEWS_H

#include "type/call.h"

/* By its name in events ("newstat"); NULL: the call is not in the table. Lives as long as the
 * process. */
const struct call_format *call_format(const char *event);
/* Bytes of a value in memory. */
u32 view_size(const struct call_view *v);

/* Bytes of a file name and of other text at most, elements of an array at most. */
struct snapshot_limits {
	u32 file_name, data, elements;
	bool rest;  /* of a return: argstr_rest */
	bool whole; /* strings of the environment */
	u32 room;   /* bytes of a value; texts of lists have no more than is left of it */
};
/* What a program copies at the entry of the call, or at its return. In the arena. */
const struct snapshot *call_snapshot(struct arena *a, const struct call_format *f, bool is_return,
				     const struct snapshot_limits *limits);
bool snapshot_equal(const struct snapshot *a, const struct snapshot *b);

#endif
