/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sonde at a time in a process, and what another left there. */
#ifndef SONDE_ENGINE_PROCESS_DETACH_H
#define SONDE_ENGINE_PROCESS_DETACH_H

#include "base/err.h"

/* A descriptor that no other sonde can have until it is closed, or -errno: -EBUSY if one has it. */
int process_lock(u32 pid, struct err *err);
/* Takes out the jumps of a sonde that was killed together with its watcher. *n, which may be NULL,
 * gets their number. 0 or -errno; process_lock() first. */
int process_remove_old(u32 pid, u32 *n, struct err *err);

#endif
