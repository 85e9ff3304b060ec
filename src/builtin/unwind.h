/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User stacks unwound by call frame information, in the kernel. Private to the room. */
#ifndef SONDE_BUILTIN_UNWIND_H
#define SONDE_BUILTIN_UNWIND_H

#include "builtin/builtin.h"

/* Bytes before the frames in the buffer of lower_unwind(). */
u32 unwind_head(void);
/* Whether user stacks of this instance are unwound this way; else the kernel walks frame
 * pointers. */
bool unwind_serves(struct lower *l);
struct unwound {
	struct opnd
		n; /* number of frames, the last of which may be an enum unwind_reason; 0: no user stack */
	struct opnd id; /* not 0: id of a struct unwind_raw, which is unwound later */
};
/*
 * Unwinds the current process's stack into `buffer`, a temporary in scratch: unwind_head() bytes
 * and `room` bytes of frames, at least limit + 1, a power of two.
 */
struct unwound lower_unwind(struct lower *l, struct opnd buffer, u32 limit, u32 room);

#endif
