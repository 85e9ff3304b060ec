/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds a hit that a program stored (struct unwind_raw), with the rules and the result of
 * builtin/unwind.c.
 */
#ifndef SONDE_SYM_UNWIND_RAW_H
#define SONDE_SYM_UNWIND_RAW_H

#include "object/unwind_table.h"

/* Stores at most `max` frames, max >= 2, the last of which may be an enum unwind_reason instead;
 * returns their number. is_new: they end in code that the process does not have, maybe not yet. */
u32 unwind_raw_frames(const struct unwind_tables *t, const struct unwind_process *p,
		      const struct unwind_raw *raw, u64 *ips, u32 max, bool *is_new);

#endif
