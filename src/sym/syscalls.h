/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls of this machine: number <-> name <-> the name in tracefs events (sys_enter_NAME),
 * which is that of the kernel function: newstat for stat. The table is syscalls.def, generated.
 */
#ifndef SONDE_SYM_SYSCALLS_H
#define SONDE_SYM_SYSCALLS_H

#include "base/base.h"

enum { SYSCALL_MAX = 512 }; /* exclusive upper bound of numbers */

/* "openat" for 257; NULL: none. */
const char *syscall_name(u32 nr);
/* -1: none. By the user-visible name: "stat", "uname". */
int syscall_number(const char *name);
/* "newstat" for 4; NULL: none. */
const char *syscall_event_name(u32 nr);
/* -1: none. By the tracefs name without sys_enter_/sys_exit_: "newstat" -> 4. */
int syscall_number_of_event(const char *event);
/* One past the highest number. */
u32 syscall_count(void);

#endif
