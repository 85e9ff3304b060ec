/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde script with --filter or -f: over the recording by the language. */
#ifndef SONDE_CLI_SCRIPT_FILTER_H
#define SONDE_CLI_SCRIPT_FILTER_H

#include "cli/report_part.h"

/* Lines of the events that -C, --comms and others choose. */
struct lines {
	struct recorded *r;
	struct where where;
	struct part part;
};

void script_lines_init(struct lines *l, struct recorded *r);
void script_lines_put(struct lines *l, struct sink *s, const struct trace_event *e);
void script_lines_release(struct lines *l);

/* The command. The exit status. */
int script_filtered(struct cli *c);

#endif
