/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses and damage of a recording, in sentences for the user. */
#ifndef SONDE_STORE_GAPS_H
#define SONDE_STORE_GAPS_H

#include "store/read.h"

/* Adds a gap that is not known yet. */
void store_note_gap(struct store *s, struct store_gap gap);
/* The gaps at the ends of the file: what was overwritten, and, unless it is whole, what was not
 * written yet or comes after a damage. */
void store_note_ends(struct store *s, bool is_whole);
/* The earliest beginning or end of a gap in after < time <= to, where what goes on is not known any
 * more; 0: there is none. */
u64 store_gap_edge(const struct store_tables *t, u64 after, u64 to);
/* Whether an edge at that time is of a gap of the processor. */
bool store_gap_hides(const struct store_tables *t, u64 edge, u32 cpu);

/* A line for each reason for which events were lost, and one if the file is damaged so far. path:
 * for the lines, which are valid during the call. */
void store_tell_gaps(const struct store *s, const char *path,
		     void (*tell)(void *ctx, const char *line), void *ctx);

#endif
