/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sonde at a time in a process, and removal of patches that a killed one left. */
#ifndef SONDE_ENGINE_PROCESS_DETACH_H
#define SONDE_ENGINE_PROCESS_DETACH_H

#include "base/err.h"

/* A lock, held until the descriptor is closed, or -errno: -EBUSY if another sonde holds it. */
int process_lock(u32 pid, struct err *err);
/* Removes the jumps of a sonde that was killed together with its watcher. Their number is stored in
 * *n, which may be NULL. 0 or -errno. Requires process_lock(). */
int process_remove_old(u32 pid, u32 *n, struct err *err);
/* Removes what children of fork() have of a process's areas, and their jumps. */
struct patched;
void process_remove_copies(const struct patched *p);

#endif
