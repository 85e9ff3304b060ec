/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a just-in-time compiler reports in the file jit-PID.dump (node --perf-prof, perf's
 * JVMTI agent): records of machine code that was made. The format is that of
 * tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef SONDE_SYM_JITDUMP_H
#define SONDE_SYM_JITDUMP_H

#include "base/base.h"

struct jit_code {
	u64 start, size; /* in memory, bytes */
	const char *name;
};

/* Whether a file of that path is such a file; a compiler maps it, so that it is found. */
bool jitdump_is_name(const char *path);
/*
 * Calls f for code that is reported in the bytes, which begin in the file at *at (0: with the
 * header). Advances *at past the records read, which may be behind these bytes; a record that is
 * not complete before end, the file's size, stays. False: these are no such bytes.
 */
bool jitdump_parse(const void *bytes, size_t len, u64 end, u64 *at,
		   void (*f)(void *ctx, const struct jit_code *code), void *ctx);

#endif
