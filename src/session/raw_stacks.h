/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks of new code: programs keep the registers and stack bytes of hits in code whose tables
 * they do not have yet (struct unwind_raw), and these are unwound here, when the mappings are
 * known.
 */
#ifndef SONDE_SESSION_RAW_STACKS_H
#define SONDE_SESSION_RAW_STACKS_H

#include "engine/engine.h"
#include "sym/unwinds.h"

struct raw_stacks;

/* memory: that of the tables, where programs write. numbered: they take entries by their number
 * (builtin/unwind_walk.h: walk_numbers_hits). bell: rings when they keep a hit. All is borrowed. */
struct raw_stacks *raw_stacks_new(void *memory, bool numbered, const struct bell *bell,
				  struct unwinds *unwinds);
void raw_stacks_free(struct raw_stacks *s);
/* Takes up what programs keep while the caller is busy. The first call counts; the thread has the
 * rights of the caller. */
void raw_stacks_watch(struct raw_stacks *s);
/* Readable when hits have been taken up that raw_stacks_unwind() has not seen; -1. */
int raw_stacks_fd(const struct raw_stacks *s);
/* While the caller collects every few milliseconds, only many hits ring. */
void raw_stacks_rest(struct raw_stacks *s, bool rests);
/* Takes up what programs have kept until now, so that they have room for more. */
void raw_stacks_collect(struct raw_stacks *s);
/* Also those that a program began late: it may be preempted after it has taken a number. */
void raw_stacks_collect_all(struct raw_stacks *s);
/* Unwinds what was taken up: of one process (0: of all), up to a time (CLOCK_MONOTONIC). */
void raw_stacks_unwind(struct raw_stacks *s, u32 pid, u64 before);
/* Of how many hits that are unwound a map may have a key with the id. */
u32 raw_stacks_unmerged(const struct raw_stacks *s);
/* No map has a key with the id of a hit before that time any more. */
void raw_stacks_merged(struct raw_stacks *s, u64 before);
/* The time and the frames, at most limit, of the hit with an id; returns their number, or 0. */
u32 raw_stacks_hit(const struct raw_stacks *s, u64 id, u64 *time, u64 *ips, u32 limit);

#endif
