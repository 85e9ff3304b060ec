/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command whose script sums something up by keys: lock, mem, block, irq. Maps "@GROUP_COLUMN" of
 * a group have the same keys, and are the columns of one table. Columns named ns are shown in
 * microseconds.
 *
 *	@hard_n[irq] = count(); @hard_ns[irq] = sum($ns); @hard_max_ns[irq] = max($ns);
 */
#ifndef SONDE_CLI_SUMS_H
#define SONDE_CLI_SUMS_H

#include "cli/cli.h"

struct sums_group {
	const char *name, *title; /* "hard", "hardware interrupts" */
	const char *keys[4];      /* what they are called; NULL-terminated */
	/* events, separated by commas: where one of them is missing, so is the group */
	const char *events;
	const char *script;
};

/* The whole of such a command. The exit status. */
int sums_run(struct cli *c, const struct sums_group *groups, u32 n);

#endif
