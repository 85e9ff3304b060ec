/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports watched files that are opened for execution or as libraries. The opener is held until the
 * file is processed.
 */
#ifndef SONDE_SESSION_DEFERRED_WATCH_H
#define SONDE_SESSION_DEFERRED_WATCH_H

#include "base/base.h"

struct file_watch;

/* pid > 0: only what this process opens. NULL: no descriptors. */
struct file_watch *file_watch_new(s32 pid);
/*
 * Paths as fnmatch() has them ("/opt/app/lib*.so"); "*": every program, and with libraries every
 * opened file that may be one. Absolute. A process that opens such a file is held until the file is
 * processed, except without `holds`, for a file that replaces another.
 */
void file_watch_add(struct file_watch *w, const char *pattern, bool holds, bool libraries);
/* Starts reporting. 0, or -errno if the system refuses (no privilege, no fanotify). */
int file_watch_start(struct file_watch *w);
/* A folder that is not watched, and -errno; 0: none. */
int file_watch_missed(const struct file_watch *w, const char **folder);
/* Readable when a file waits. */
int file_watch_fd(const struct file_watch *w);
/* The file that waits: its name, and a path by which it can be opened until file_watch_done().
 * NULL: none. */
const char *file_watch_next(struct file_watch *w, const char **open_path);
/* Releases the opener. Files that are done are not reported again. False: the opener continued
 * before, after *ms milliseconds. */
bool file_watch_done(struct file_watch *w, bool for_good, u64 *ms);
/* The longest hold in milliseconds, and its file: valid until a longer hold, so call it at the end.
 * *n_dropped: files that were never passed on. */
u64 file_watch_longest(struct file_watch *w, const char **path, u64 *n_dropped);
/* Marks a file as processed. */
void file_watch_known(struct file_watch *w, const char *path);
bool file_watch_is_known(struct file_watch *w, const char *path);
/* The helper is gone (file_watch_fd() is readable then): files are not reported any
 * more. */
bool file_watch_is_lost(struct file_watch *w);
/* Starts another helper; files that came meanwhile are not reported. As file_watch_start(). */
int file_watch_restart(struct file_watch *w);
/* Releases all openers. */
void file_watch_free(struct file_watch *w);

#endif
