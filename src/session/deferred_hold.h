/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that holds openers of watched files (deferred_hold.c explains why it is a process).
 * It holds them for 76 ms at most and sends their files to sonde.
 */
#ifndef SONDE_SESSION_DEFERRED_HOLD_H
#define SONDE_SESSION_DEFERRED_HOLD_H

#include <sys/types.h>
#include "base/base.h"
#include "base/hash.h"

enum {
	HOLD_MS = 76,      /* then it answers, whatever sonde does */
	HOLD_KILL_MS = 97, /* then the kernel ends it, which answers as well */
};

struct file_id {
	u64 dev, ino;
};

/* Sets of files by identity: struct hash of struct file_id, whose keys stay the set's. */
void file_ids_remember(struct hash *ids, const struct file_id *id);

struct hold_mark { /* as fanotify_mark(2) has them */
	char *path;
	u32 flags;
	u64 mask;
	bool served; /* hold_find_served() */
};

struct hold_plan {
	const struct hold_mark *marks;
	u32 n_marks;
	bool everywhere;          /* all file systems, also those that are mounted later */
	bool all_opens;           /* there also about openings, not only about executions */
	bool served;              /* only files of servers, or only all others */
	s32 pid;                  /* only what this process opens; -1: all */
	const struct hash *known; /* struct file_id: openers of these are not held */
	bool (*wants)(const void *ctx, const char *path);
	const void *ctx;
};

struct hold_class { /* as sched_setscheduler(2) has it */
	int policy, priority;
};

struct hold {                  /* sonde's end */
	pid_t pid;             /* 0: none */
	int sock;              /* readable when a file came or the process ended; -1 */
	struct hold_class was; /* the main thread's */
	int mark_error;        /* -errno of a mark of the plan that could not be set, 0 */
	u32 mark;
};

struct hold_event { /* comes with a descriptor of the file; reading it makes no fanotify event */
	u64 seq, since_ms;
	u32 n_dropped; /* number of files that could not be sent */
	bool held;     /* its opener waits */
};

struct hold_answer {
	u64 seq; /* 0: no event, id alone matters */
	struct file_id id;
	bool known;  /* openers of this file are not held again */
	bool forget; /* and the kernel reports none until the file is written to */
};

u64 hold_now_ms(void);
bool hold_is_elf(int fd);
/* Runs before all ordinary processes; 0: this thread. False: not permitted. */
bool hold_be_first(pid_t thread, int priority);
/* Sets `served` of those whose files come from a server (NFS, FUSE), which may be out of reach. */
void hold_find_served(struct hold_mark *marks, u32 n);
struct hold_class hold_own_class(void);
/* was: of the main thread, before the first one started. 0 when what can be is watched, or -errno:
 * of fanotify, of the timer. */
int hold_start(struct hold *h, const struct hold_plan *plan, const struct hold_class *was);
/* The next event and its descriptor; 0: none at the moment, -1: the process is gone. */
int hold_next(struct hold *h, struct hold_event *e, int *fd);
void hold_reply(struct hold *h, const struct hold_answer *a);
/* Releases all openers. */
void hold_end(struct hold *h);

#endif
