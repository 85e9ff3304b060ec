/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from servers, when $DEBUGINFOD_URLS names some. */
#ifndef SONDE_OBJECT_DEBUGINFOD_H
#define SONDE_OBJECT_DEBUGINFOD_H

#include "base/base.h"

/* Path of the file in the client's cache, malloc'ed; NULL: never fetched. No network access. */
char *debuginfod_cached(const u8 *build_id, u32 len);

/*
 * Queries the servers. NULL: not requested, not allowed or not available. A download takes seconds
 * to minutes, so only files that the compilation of a script requires are fetched, and none until
 * this is allowed.
 */
char *debuginfod_fetch(const u8 *build_id, u32 len);
void debuginfod_allow(bool on);

/* f is called once for each slow download. */
void debuginfod_on_wait(void (*f)(void *ctx, const char *build_id), void *ctx);

#endif
