/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from servers, when $DEBUGINFOD_URLS names some. */
#ifndef SONDE_OBJECT_DEBUGINFOD_H
#define SONDE_OBJECT_DEBUGINFOD_H

#include "base/base.h"

/* Path of the file in the client's cache, malloc'ed; NULL: it was never fetched. Asks nobody. */
char *debuginfod_cached(const u8 *build_id, u32 len);

/*
 * Asks the servers. NULL: not asked for, not allowed or not to be had. A download takes seconds to minutes,
 * therefore only what a script cannot be compiled without is fetched, and nothing before this is allowed.
 */
char *debuginfod_fetch(const u8 *build_id, u32 len);
void debuginfod_allow(bool on);

/* f is called once for each file that one has to wait for. */
void debuginfod_on_wait(void (*f)(void *ctx, const char *build_id), void *ctx);

#endif
