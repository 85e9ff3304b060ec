/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sonde sched timehist keeps of a thread. Times are ns. */
#ifndef SONDE_CLI_SCHED_TIMEHIST_H
#define SONDE_CLI_SCHED_TIMEHIST_H

#include "base/base.h"

struct buf;
struct sched;
struct sched_thread;

struct timehist_times { /* of a run: how long, and of what was before it */
	u64 run, delay, sleep, iowait, preempt;
};

struct timehist_thread {
	u64 left, ready; /* the last switch away, the first wake-up after it; 0: none */
	char state;      /* in which it left */
	struct timehist_times last, total;
	u64 n, min, max, migrations; /* of runs */
	double mean, squares;        /* squares: sum of squared differences from the mean */
	/* Of an idle processor, with -I: the thread that left it. */
	struct sched_thread *before;
};

/* The run ended at `now` and began at `since`; 0: not known. */
void timehist_add(struct timehist_thread *t, u64 since, u64 now);
/* ---- timehist_sums.c */
/* "   12.345", cut off after microseconds, as perf does; width: of the digits before the point. */
void timehist_put_ms(struct buf *b, u32 width, u64 ns);
void timehist_put_sums(struct sched *s);

#endif
