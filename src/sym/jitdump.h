/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a just-in-time compiler reports in the file jit-PID.dump (node --perf-prof, perf's
 * JVMTI agent): records with the generated machine code. The format is that of
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef SONDE_SYM_JITDUMP_H
#define SONDE_SYM_JITDUMP_H

#include "base/base.h"

struct jit_code {
	u64 start, size; /* in memory, bytes */
	const char *name;
};

/* The path is that of a jitdump file. Compilers map theirs, so that profilers find it. */
bool jitdump_is_name(const char *path);
/*
 * Calls f for each code record in bytes, which begin at offset *at of the file (0: at the header).
 * Advances *at past the records read, perhaps past these bytes; a record that is incomplete at
 * `end`, the file's size, is left for the next call. False: not a jitdump file.
 */
bool jitdump_parse(const void *bytes, size_t len, u64 end, u64 *at,
		   void (*f)(void *ctx, const struct jit_code *code), void *ctx);

#endif
