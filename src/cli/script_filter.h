/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde script with --filter or -f: over the recording by the language. */
#ifndef SONDE_CLI_SCRIPT_FILTER_H
#define SONDE_CLI_SCRIPT_FILTER_H

#include "cli/recording.h"

/* The command. The exit status. */
int script_filtered(struct cli *c);
/* cmd_script.c: the event as a line, by --ftrace or not. */
void recorded_put_line(struct recorded *r, struct sink *s, const struct trace_event *e);

#endif
