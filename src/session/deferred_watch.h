/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files are opened for execution or as libraries, met before the opening goes on: whoever opens
 * one that is looked for waits until it has been handled.
 */
#ifndef SONDE_SESSION_WATCH_H
#define SONDE_SESSION_WATCH_H

#include "base/base.h"

struct watch;

/* pid > 0: only what this process opens. NULL: no descriptors. */
struct watch *watch_new(s32 pid);
/* Paths as fnmatch() has them ("/opt/app/lib*.so"); "*": every program, and with libraries whatever is opened and
 * could be one. Absolute. Whoever opens such a file is held until it is handled; without holds, for a file that replaces
 * one, nobody is. */
void watch_add(struct watch *w, const char *pattern, bool holds, bool libraries);
/* Starts telling: 0, or -errno when this system does not (no privilege, no fanotify). */
int watch_start(struct watch *w);
/* A folder that is not watched, and -errno; 0: none. */
int watch_missed(const struct watch *w, const char **folder);
/* Readable when a file waits. */
int watch_fd(const struct watch *w);
/* The file that waits: its name, and a path by which it can be opened until watch_done(). NULL: none. */
const char *watch_next(struct watch *w, const char **open_path);
/* It may go on. Files that were handled for good are not told again. false: whoever opened it went on without us, after
 * *ms milliseconds. */
bool watch_done(struct watch *w, bool for_good, u64 *ms);
/* Milliseconds that somebody waited for us at most, and for which file: valid as long as nobody waits longer, best asked
 * at the end. *n_dropped: files that were never handed over. */
u64 watch_longest(struct watch *w, const char **path, u64 *n_dropped);
/* A file that is handled already. */
void watch_known(struct watch *w, const char *path);
bool watch_is_known(struct watch *w, const char *path);
/* The process that holds is gone (watch_fd() is readable then): what comes is not told any more. */
bool watch_is_lost(struct watch *w);
/* Another one is made; what came meanwhile is not told. As watch_start(). */
int watch_restart(struct watch *w);
/* Nobody waits from here on. */
void watch_free(struct watch *w);

#endif
