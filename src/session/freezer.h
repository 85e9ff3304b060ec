/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --lossless: the command is stopped while the buffers of its events are rather full. */
#ifndef SONDE_SESSION_FREEZER_H
#define SONDE_SESSION_FREEZER_H

#include "base/err.h"

struct run;
struct freezer_shared;

/* All 0: none. */
struct freezer {
	const char *dir,
		*above; /* the cgroup of the command; where it was before. In the run's arena */
	bool is_v1;
	int pipe; /* its end is that of the keeper */
	s32 keeper;
	struct freezer_shared *shared; /* with the keeper */
};

/*
 * Moves the command, which waits, into a cgroup of its own, and starts the process that watches the
 * buffers. -errno: it cannot be frozen, for the reason and with the remedy in err.
 */
int freezer_start(struct run *r, struct err *err);
/* Thaws the command for good, moves what is left of it back and removes the cgroup. */
void freezer_end(struct freezer *z);
/* How often and how long the command was stopped, to the reader of errors. */
void freezer_report(struct run *r);

#endif
