/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde record -e PROBE, -F HZ: probes of the language and samples, as clauses that print tuples
 * (output/recording_probes.h). */
#ifndef SONDE_CLI_RECORD_PROBES_H
#define SONDE_CLI_RECORD_PROBES_H

#include "cli/record_events.h"

/* Adds the clauses of words, and that of -F. 0, or the exit status after a message. */
int record_probes_put(struct cli *c, const char *const *words, u32 n, struct record_script *to);

#endif
