/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -u USER: the user that the command runs as. */
#ifndef SONDE_CLI_STRACE_USER_H
#define SONDE_CLI_STRACE_USER_H

#include "cli/strace/strace.h"

/* Looks NAME up in /etc/passwd and /etc/group. 0, or 1 after a message. */
int strace_set_user(struct strace *st, const char *name);

#endif
