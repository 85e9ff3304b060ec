/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from servers, when $DEBUGINFOD_URLS names some. */
#ifndef SONDE_SYM_DEBUGINFOD_H
#define SONDE_SYM_DEBUGINFOD_H

#include "base/base.h"

/* Path of the file in the client's cache, malloc'ed; NULL: not asked for, or not to be had. */
char *debuginfod_path(const u8 *build_id, u32 len);

#endif
