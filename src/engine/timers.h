/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval and profile probes of engines that run programs in user space, by the clock of the
 * caller. */
#ifndef SONDE_ENGINE_TIMERS_H
#define SONDE_ENGINE_TIMERS_H

#include "type/site.h"

struct timer {
	u32 func;
	u64 cookie;       /* index of its site */
	u64 period, next; /* ns */
	bool one_cpu;
};
struct timers {
	struct timer *v; /* the owner frees it */
	u32 n;
	u64 next; /* the earliest; ~0: none */
};
void timers_add(struct timers *t, const struct site *s, u32 func);
/* The first period begins now. */
void timers_start(struct timers *t, u64 now);
/* Returns the timer that is due at t->next and advances its time. */
const struct timer *timers_take(struct timers *t);

#endif
