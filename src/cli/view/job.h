/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on a recording that takes long or runs a script: in a child process, so that the user
 * interface stays responsive and can cancel it. Its output is read through a pipe; larger results
 * are in shared memory.
 */
#ifndef SONDE_CLI_VIEW_JOB_H
#define SONDE_CLI_VIEW_JOB_H

#include <sys/types.h>
#include "base/buf.h"

struct job { /* zeroed: there is none. job_end() */
	pid_t pid;
	int fd;          /* of what it prints; valid while pid */
	struct buf said; /* so far */
	void *shared;
	size_t shared_len;
	bool is_done;
	int status; /* when it is done: what run() returned, or 255 */
};

/* Ends the previous one. run() is called in the child, whose standard output and error go to
 * job.said. shared_len: bytes of zeros that both processes map. False: no memory or process for
 * it. */
bool job_start(struct job *j, size_t shared_len, int (*run)(struct job *j, void *ctx), void *ctx);
/* Takes what has been printed, without waiting. True: it is done, or there is none. */
bool job_poll(struct job *j);
/* Waits until it is done: its status. */
int job_wait(struct job *j);
/* Of one that failed with errors of the language as JSON (request.diag.json): appends the first
 * one, else its first line. The column, from 1; 0: it has none. */
u32 job_error(const struct job *j, struct buf *to);
/* Ends the child and forgets the results. */
void job_end(struct job *j);

#endif
