/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde record -e EVENTS: from perf's names of events to a script that records them. */
#ifndef SONDE_CLI_RECORD_EVENTS_H
#define SONDE_CLI_RECORD_EVENTS_H

#include "cli/cli.h"
#include "output/recording.h"

struct record_script {
	struct buf text;
	/* by entry or exit, and number: events that are recorded as raw_syscalls; see
	 * recording.h */
	struct event_format *calls[2][RECORDED_CALLS];
	bool renames_calls, keeps_raw[2]; /* likewise */
	struct noting probes;             /* whose clauses print tuples */
};

/*
 * events: values of -e, or NULL for the events of a time line: switches, wake-ups, the life of
 * processes, system calls. 0, or 1 after a message. Allocates in c->words_arena.
 */
int record_script_make(struct cli *c, const char *const *events, struct record_script *to);

#endif
