/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes in ftrace's own spelling, turned into a script. */
#ifndef SONDE_DIALECT_FTRACE_H
#define SONDE_DIALECT_FTRACE_H

#include "base/arena.h"

/* Whether a script is written as lines of kprobe_events and uprobe_events: "p:open do_sys_open %di". */
bool ftrace_spelled(const char *text, size_t len);
/* The same as a script, in a. NULL with *error and the offset of the mistake in *at. */
const char *ftrace_script(struct arena *a, const char *text, size_t len, const char **error,
			  u32 *at);

#endif
