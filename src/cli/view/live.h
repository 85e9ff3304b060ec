/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde view --live: a script runs as with sonde run, and a page shows its maps while they grow. */
#ifndef SONDE_CLI_VIEW_LIVE_H
#define SONDE_CLI_VIEW_LIVE_H

#include "cli/cli.h"

/* The run. port: to serve the page at; 0: any. The exit status is that of the run. */
int view_live(struct cli *c, u16 port);

#endif
