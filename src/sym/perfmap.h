/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols written by a just-in-time compiler: /tmp/perf-PID.map, lines "START SIZE name", or a
 * jitdump file. */
#ifndef SONDE_SYM_PERFMAP_H
#define SONDE_SYM_PERFMAP_H

#include "base/base.h"

struct perfmap;

/*
 * Opens the perf map of a process (pid in our namespace; the file's name has the number in the
 * process's own pid namespace), or else its jitdump file: dump is the path of the one that the
 * process maps, in its root, or NULL. NULL: neither exists.
 */
struct perfmap *perfmap_open(u32 pid, const char *dump);
struct perfmap *perfmap_parse(const char *text, size_t len);
void perfmap_close(struct perfmap *p);
/* Reads what was appended since; true if there were new symbols. */
bool perfmap_refresh(struct perfmap *p);
const char *perfmap_lookup(const struct perfmap *p, u64 address, u64 *offset);

#endif
