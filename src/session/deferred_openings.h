/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that were opened and wait for the main loop: what its side and the thread share. */
#ifndef SONDE_SESSION_DEFERRED_OPENINGS_H
#define SONDE_SESSION_DEFERRED_OPENINGS_H

#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include "base/hash.h"
#include "session/deferred_patterns.h"

enum { HOLDS = 2 /* one for files of servers */ };

struct opening {
	struct opening *next;
	int fd;
	bool asks;   /* its opener waits for an answer, or did */
	bool is_new; /* it was held from the beginning */
	struct file_id id;
	u32 hold; /* that asks */
	u64 seq, since_ms;
	char path[PATH_MAX];
};

struct file_watch {
	struct hold hold[HOLDS];
	struct watch_patterns patterns;
	int ready_fd, done_fd, stop_fd;
	s32 pid; /* or -1: all */
	pthread_t thread;
	bool running;
	struct hash known;            /* struct file_id */
	struct opening *first, *last; /* those that wait; the thread's */
	u32 n_queued;
	/* shared, under the lock */
	pthread_mutex_t lock;
	struct opening *at; /* the one that is being processed */
	bool handled, lost;
	u64 longest_ms, n_dropped, n_dropped_there[HOLDS];
	char *longest;
	/* the main loop's */
	char path[PATH_MAX], open_path[64];
};

/* false: it is no regular file. */
bool opening_id(const struct stat *st, struct file_id *id);
/* Whether its probes are attached. Any thread may ask. */
bool opening_is_known(struct file_watch *w, const struct file_id *id);
/* For pthread_create(): arg is a struct file_watch. Ends when stop_fd is readable. */
void *openings_thread(void *arg);

#endif
