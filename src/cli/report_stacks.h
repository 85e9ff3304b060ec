/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of sonde report about the stacks of a recording: functions, and the stacks that occur
 * most. */
#ifndef SONDE_CLI_REPORT_STACKS_H
#define SONDE_CLI_REPORT_STACKS_H

#include "export/frames.h"

/* b gets nothing if no event has a stack. The stacks' counts are how many events have them; they
 * are sorted. */
void report_put_stacks(struct buf *b, struct frames *f);

#endif
