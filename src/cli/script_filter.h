/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde script with --filter or -f: over the recording by the language. */
#ifndef SONDE_CLI_SCRIPT_FILTER_H
#define SONDE_CLI_SCRIPT_FILTER_H

#include "cli/recording.h"

/* The command. The exit status. */
int script_filtered(struct cli *c);

#endif
