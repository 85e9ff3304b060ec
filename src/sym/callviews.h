/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How arguments of system calls are shown, and which memory must be copied for that:
 * type/call.h. */
#ifndef SONDE_SYM_CALLVIEWS_H
#define SONDE_SYM_CALLVIEWS_H

#include "type/call.h"

/* Looks up a call by its name in events ("newstat"). Never freed; NULL: the table does not have
 * it. */
const struct call_format *call_format(const char *event);
/* Bytes of a value in memory. */
u32 view_size(const struct call_view *v);
/* Whether it is a pointer to an array, or a structure with one. */
bool view_has_array(const struct call_view *v);

/* Limits: bytes of a file name, bytes of other text, elements of an array. */
struct snapshot_limits {
	u32 file_name, data, elements;
	bool rest;  /* of the part at the return: argstr_rest */
	bool whole; /* strings of the environment, too */
	u32 room;   /* bytes of a whole value; texts of lists get what the rest leaves */
};
/* What a program copies at the entry or the return of the call. In the arena. */
const struct snapshot *call_snapshot(struct arena *a, const struct call_format *f, bool is_return,
				     const struct snapshot_limits *limits);
bool snapshot_equal(const struct snapshot *a, const struct snapshot *b);
/* Whether a row (type/call.h) says all that it copies. */
bool snapshot_fits_row(const struct snapshot *s);

#endif
