/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording for which a predicate is true: by number, counted from 0 in the range
 * of --time. A bit for each event, which a child process sets in the order of time; those that it
 * has found can be used at once.
 */
#ifndef SONDE_CLI_VIEW_MATCHES_H
#define SONDE_CLI_VIEW_MATCHES_H

#include "cli/predicate.h"
#include "cli/view/job.h"

enum { MATCH_COLUMNS = 1024 }; /* into which the time of the recording is divided */

struct matches { /* zeroed: all events match. matches_end() */
	struct job job;
	u64 n_events;     /* of the file */
	struct buf wrong; /* why there are none: the error of the language, one line */
	u32 wrong_at;     /* the offset in the predicate that it is about */
};

/* Begins. typed: as a person types it; "": all match. */
void matches_begin(struct matches *m, struct recorded *r, const char *typed);
/* True: it is done. Then m->wrong has text if the predicate is wrong. */
bool matches_poll(struct matches *m, const struct recorded *r, const char *typed);
void matches_end(struct matches *m);
/* How many are found so far. */
u64 matches_n(const struct matches *m);
/* The number of the event that is match i; ~0: there is none so far. */
u64 matches_nth(const struct matches *m, u64 i);
/* The number of the first match that is at least `number`; ~0: there is none so far. */
u64 matches_after(const struct matches *m, u64 number);
/* How many there are so far in each of MATCH_COLUMNS; NULL: there is no filter. */
const u32 *matches_columns(const struct matches *m);
/* How many matches are before event `number`. */
u64 matches_before(const struct matches *m, u64 number);

#endif
