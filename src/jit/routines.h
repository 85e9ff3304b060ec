/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code and constants that compiled programs share; jit_put_routines() of jit.h writes them. */
#ifndef SONDE_JIT_ROUTINES_H
#define SONDE_JIT_ROUTINES_H

#include "jit/jit.h"

struct jit_map {
	u64 head, keys, values; /* addresses */
	u32 mask;               /* slots - 1 */
	u32 key_size, key_stride, value_size, value_stride;
	u32 elem_size; /* of the values of a slot */
	u32 max_entries, most_used;
	u64 unused;
};

enum jit_routine { JIT_FIND, JIT_UPDATE, JIT_DELETE };
/* Its offset. */
u32 jit_routine(enum jit_routine r);
u64 jit_map_address(const struct jit_world *w, u32 map);

#endif
