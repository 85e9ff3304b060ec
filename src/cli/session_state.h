/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings in the background ("sonde record start NAME") are known by files in a directory of
 * this user:
 *
 *	NAME.lock     locked by the recorder as long as it lives; its number and pid namespace
 *	NAME.status   rows "name value", rewritten every second
 *	NAME.log      standard error of the recorder and of its CMD
 *
 * The kernel drops the lock of a process however it ends, so a number that belongs to another
 * process by now is never taken for the recorder.
 */
#ifndef SONDE_CLI_SESSION_STATE_H
#define SONDE_CLI_SESSION_STATE_H

#include "base/arena.h"
#include "base/err.h"

enum session_life {
	SESSION_NONE,    /* there is none of that name */
	SESSION_RECORDS, /* its recorder lives */
	SESSION_ENDED,   /* by itself: its time is over, CMD ended, the disk is full */
	SESSION_DEAD,    /* its recorder was killed */
};

struct session_status {
	u64 since; /* seconds since 1970 */
	u64 events, lost, bytes, files;
	u64 copies; /* requested snapshots that are complete, or failed */
	u64 ended;  /* 1: the recorder has written all, and ends */
	u64 result; /* its exit status then */
	/* In the arena of session_read(), never NULL: */
	const char *file; /* absolute */
	const char *copy; /* the last snapshot; "": it failed */
};

/* The directory that has them; *path, in arena: for messages. A descriptor, or -errno with err
 * set. */
int session_place(struct arena *a, const char **path, struct err *err);
/* Letters, digits, - _ and . inside: the name is a part of file names. */
bool session_name_is_good(const char *name);
enum session_life session_life(int place, const char *name);
/* The lock, for its recorder; or -EBUSY: it records. */
int session_lock(int place, const char *name);
/* Notes this process as the recorder that has the lock. */
int session_own(int lock);
/* False: there is no status. */
bool session_read(int place, const char *name, struct arena *a, struct session_status *s);
int session_write(int place, const char *name, const struct session_status *s);
/* Truncates and opens the log. */
int session_log(int place, const char *name);
void session_put_log(int place, const char *name, struct buf *to);
/* A signal to the recorder. 0; -ESRCH: it does not live; -EXDEV: in another pid namespace. */
int session_signal(int place, const char *name, int signo);
/* Until the recorder has ended. */
void session_wait(int place, const char *name);
void session_remove(int place, const char *name);
/* The names, in order; NULL-terminated, in the arena. */
const char **session_names(int place, struct arena *a);

#endif
