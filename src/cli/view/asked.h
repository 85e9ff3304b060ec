/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a browser asks for that takes long: child processes, kept for the requests that ask again.
 * Several tabs may ask for different things. */
#ifndef SONDE_CLI_VIEW_ASKED_H
#define SONDE_CLI_VIEW_ASKED_H

#include "cli/view/matches.h"

enum { ASKED_KEPT = 8 };

struct asked_work {
	char *key;              /* NULL: free */
	u64 used;               /* when, in ns */
	struct matches matches; /* of a predicate */
	struct job job;         /* of values */
};

struct asked { /* zeroed; asked_release() */
	struct asked_work works[ASKED_KEPT];
};

/* Events for which the predicate is true; begins to search when it is asked for the first time.
 * NULL: all events ("" or NULL). */
struct matches *asked_matches(struct asked *a, struct recorded *r, const char *typed);
/* What run() prints in a child process; ctx is used in it only. kind and key say which it is. Not
 * done: job_poll() of the result. */
struct job *asked_job(struct asked *a, const char *kind, const char *key,
		      int (*run)(struct job *j, void *ctx), void *ctx);
void asked_release(struct asked *a);

#endif
