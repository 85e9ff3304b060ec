/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -u USER: the user that the command runs as. */
#ifndef SONDE_CLI_TRACED_USER_H
#define SONDE_CLI_TRACED_USER_H

#include "cli/cli.h"

/* Looks NAME up in /etc/passwd and /etc/group. 0, or 1 after a message. */
int set_traced_user(struct cli *c, const char *name);

#endif
