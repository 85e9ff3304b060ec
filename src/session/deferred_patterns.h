/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns of files that are watched for, as marks of fanotify(7) and folders of inotify(7). */
#ifndef SONDE_SESSION_DEFERRED_PATTERNS_H
#define SONDE_SESSION_DEFERRED_PATTERNS_H

#include "session/deferred_hold.h"

struct watched_name { /* a pattern in one folder */
	char *folder, *name;
	bool holds; /* the opener of a file of it */
};

/* Starts as zeros, but for notify_fd. */
struct watch_patterns {
	int notify_fd; /* of inotify; -1 */
	struct watched_name *watched;
	char **pattern;
	struct hold_mark *mark;
	u32 n_watched, n_patterns, n_marks;
	bool everywhere, all_opens; /* all file systems; about openings as well as executions */
	char *missed;               /* a folder that cannot be watched, and why */
	int missed_why;
};

/* As file_watch_add(). */
void patterns_add(struct watch_patterns *p, const char *pattern, bool holds, bool libraries);
/* Whether a path matches; ctx: struct watch_patterns. Also in the process that holds. */
bool patterns_want(const void *ctx, const char *path);
/* A folder that is not watched, and -errno: the first one is reported. */
void patterns_miss(struct watch_patterns *p, const char *folder, int why);
void patterns_release(struct watch_patterns *p);

#endif
