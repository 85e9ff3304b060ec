/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System constants by name, for scripts without headers: O_CLOEXEC, AF_INET6, SIGKILL, EAGAIN, ...
 * The table is constants.def, generated from the uapi and libc headers.
 */
#ifndef SONDE_SYM_CONSTANTS_H
#define SONDE_SYM_CONSTANTS_H

#include "base/base.h"

/* false: no such name. */
bool constant_find(const char *name, s64 *value);
/* Sorted by name; NULL past the last one. */
u32 constants_count(void);
const char *constant_name(u32 i);

#endif
