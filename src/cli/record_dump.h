/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of a running recording: sonde record --dump-on, and SIGUSR2 with --overwrite. */
#ifndef SONDE_CLI_RECORD_DUMP_H
#define SONDE_CLI_RECORD_DUMP_H

#include "cli/cli.h"
#include "output/recording.h"

/* Whether --dump-on is a probe. 0, or the exit status after a message. */
int record_dump_check(const struct cli *c);
/* The clauses that request copies: they print the reason. */
void record_dump_clauses(const struct record_options *o, struct buf *script);
/* Prepares the plan; copies are named after c->output.file. */
void record_dump_plan(struct cli *c, struct recording_plan *plan);

#endif
