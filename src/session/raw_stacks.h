/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks of new code: programs keep the registers and stack bytes of hits in code whose tables
 * they do not have yet (struct unwind_raw), and these are unwound here, when the mappings are known.
 */
#ifndef SONDE_SESSION_RAW_STACKS_H
#define SONDE_SESSION_RAW_STACKS_H

#include "sym/unwinds.h"

struct raw_stacks;

/* memory: that of the tables, where programs write. All is borrowed. */
struct raw_stacks *raw_stacks_new(void *memory, struct unwinds *unwinds);
void raw_stacks_free(struct raw_stacks *s);
/* Takes up what programs keep while the caller is busy. maps_fd: readable when mappings change. The
 * first call counts; the thread has the rights of the caller. */
void raw_stacks_watch(struct raw_stacks *s, int maps_fd);
/* Takes up what programs have kept until now, so that they have room for more. */
void raw_stacks_collect(struct raw_stacks *s);
/* Unwinds what was taken up: of one process (0: of all), up to a time (CLOCK_MONOTONIC). */
void raw_stacks_unwind(struct raw_stacks *s, u32 pid, u64 before);
/* Whether there have been any. */
bool raw_stacks_any(const struct raw_stacks *s);
/* Whether a map may have a key with the id of one that is unwound. */
bool raw_stacks_unmerged(const struct raw_stacks *s);
/* No map has a key with the id of a hit before that time any more. */
void raw_stacks_merged(struct raw_stacks *s, u64 before);
/* The time and the frames, at most limit, of the hit with an id; returns their number, or 0. */
u32 raw_stacks_hit(const struct raw_stacks *s, u64 id, u64 *time, u64 *ips, u32 limit);

#endif
