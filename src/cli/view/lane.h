/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script's maps over time: it runs over the recording and prints its maps now and then, in lines
 * of JSON (view/series.js reads them). */
#ifndef SONDE_CLI_VIEW_LANE_H
#define SONDE_CLI_VIEW_LANE_H

#include "cli/recording.h"

struct export_lane;

/* Appends the script that prints, for each interval of some `step` ns up to `to`, the time since
 * `from`, and then its maps. */
void lane_put_script(struct buf *b, const char *script, u64 from, u64 to, u64 step);
/* What the script prints over r->from to r->to of the recording. 0, or the exit status; then the
 * lane has the reason. */
int lane_read(struct recorded *r, const char *script, struct export_lane *lane);

#endif
