/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde record start|stop|status|snapshot NAME: recordings in the background. */
#ifndef SONDE_CLI_RECORD_SESSION_H
#define SONDE_CLI_RECORD_SESSION_H

#include "cli/cli.h"
#include "output/recording.h"

/* The words of command.verbs of sonde record. */
extern const char *const record_verbs[];

/* The command of c->line.words; run: the recording itself, in the background process of "start".
 * The exit status. */
int record_session(struct cli *c, int (*run)(struct cli *c));
/* In that process (c->own.record.background): messages of the recording go to the status. */
void record_session_plan(struct cli *c, struct recording_plan *plan);
/* A snapshot was made; path "": it failed. */
void record_session_copied(struct background *b, const char *path);

#endif
