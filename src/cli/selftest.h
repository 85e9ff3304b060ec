/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sonde info --selftest: known work, counted by each probe type. */
#ifndef SONDE_CLI_SELFTEST_H
#define SONDE_CLI_SELFTEST_H

#include "cli/cli.h"

/* Runs the table; the exit status: 0, 1 when a probe type counts wrong, 255 when nothing may be
 * traced at all. */
int selftest(struct cli *c);

/* ---- selftest_work.c: what the traced process does: "getpgid:500". The exit status. */
int selftest_work(const struct cli *c, const char *what);
/* Where the function that "call" calls is in our file, as its symbol table gives it. */
u64 selftest_function(void);

enum {
	SELFTEST_ARG = 41, /* what the function is called with; it returns one more */
	SELFTEST_WATCHED = 0x10000000,
};

#endif
