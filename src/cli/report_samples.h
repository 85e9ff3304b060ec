/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as perf report --stdio shows it: for each event a table of samples by the columns
 * that were asked for, with call chains below each row.
 */
#ifndef SONDE_CLI_REPORT_SAMPLES_H
#define SONDE_CLI_REPORT_SAMPLES_H

#include "cli/recording.h"

/* Whether the command line asks for the table. */
bool report_wants_samples(const struct cli *c);
/* The command. The exit status. */
int report_samples(struct cli *c);

#endif
