/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --time: parts of a recording, in the forms that perf script takes. */
#ifndef SONDE_CLI_TIME_RANGES_H
#define SONDE_CLI_TIME_RANGES_H

#include "base/arena.h"
#include "store/read.h"

#define TIME_RANGE_FORMS                                                                           \
	"FROM,TO in seconds, as 12.5,13 or ,20; 10%%/2 (the second tenth) or 0%%-10%%" /* for printf */

struct time_ranges {
	VEC(struct store_span) spans; /* in order and apart */
};

/*
 *	12.5,13  12.5,  ,13	seconds; of several, with blanks between them
 *	10%/2,10%/4		the second and the fourth tenth of the time from t0 to t1; 10% is 10%/1
 *	0%-10%,30%-40%		likewise
 *
 * The ends belong to the range; of percentages, the end does only if it is that of the recording.
 * False: it is none of these.
 */
bool time_ranges_parse(struct time_ranges *r, struct arena *a, const char *text, u64 t0, u64 t1);

#endif
