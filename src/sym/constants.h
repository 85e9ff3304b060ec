/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constants of the system by name, usable in scripts without headers: O_CLOEXEC, AF_INET6, SIGKILL,
 * EAGAIN, ... The table is constants.def, generated from the uapi and libc headers.
 */
#ifndef SONDE_SYM_CONSTANTS_H
#define SONDE_SYM_CONSTANTS_H

#include "base/base.h"

struct constant {
	const char *name;
	s64 value;
};

/* NULL: none. */
const struct constant *constant_find(const char *name);
/* In the order of names. */
u32 constants_count(void);
const struct constant *constant_at(u32 i);

#endif
