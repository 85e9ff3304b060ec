/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde top on a terminal, without a script: functions by samples, their callers, keys. */
#ifndef SONDE_CLI_TOP_H
#define SONDE_CLI_TOP_H

#include "cli/cli.h"

/* Whether the command line means it and the terminal supports it. */
bool top_is_live(const struct cli *c);
/* The run and its exit status. */
int top_live(struct cli *c);

#endif
