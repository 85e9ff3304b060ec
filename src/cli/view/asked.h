/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long-running requests of a browser: child processes, whose results are kept for later polls.
 * Several tabs may have different requests. */
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

/* Events for which the predicate is true; the first call for a predicate starts the search. NULL:
 * all events (the predicate is "" or NULL). */
struct matches *asked_matches(struct asked *a, struct recorded *r, const char *typed);
/* Output of run() in a child process, the only user of ctx. kind and key identify it. The caller
 * waits with job_poll() of the result. */
struct job *asked_job(struct asked *a, const char *kind, const char *key,
		      int (*run)(struct job *j, void *ctx), void *ctx);
/* Ends that job, if it runs. */
void asked_end(struct asked *a, const char *kind, const char *key);
/* Ends jobs that no request has polled for some seconds, as when a browser is gone: whether others
 * run. */
bool asked_watch(struct asked *a);
void asked_release(struct asked *a);

#endif
