/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sonde at a time in a process, and removal of patches that a killed one left. */
#ifndef SONDE_ENGINE_PROCESS_DETACH_H
#define SONDE_ENGINE_PROCESS_DETACH_H

#include "base/err.h"

/* A lock, held until the descriptor is closed, or -errno: -EBUSY if another sonde holds it. */
int process_lock(u32 pid, struct err *err);
/*
 * Removes the jumps of a sonde that was killed together with its watcher, and for `ms` milliseconds
 * tries to remove its memory. The number of jumps is stored in *n, which may be NULL. Nonzero:
 * memory is left, or -errno. Requires process_lock().
 */
int process_remove_old(u32 pid, u32 ms, u32 *n, struct err *err);
/* Removes what children of fork() have of a process's areas, and their jumps. False: after `ms`
 * milliseconds, one still has some. */
struct patched;
bool process_remove_copies(const struct patched *p, u32 ms);
/* The same of children that were made while jumps were put in, and have not all: what those would
 * send has no meaning, and the kernel's probes can serve a child without jumps. */
bool process_remove_parts(const struct patched *p, u32 ms);

#endif
