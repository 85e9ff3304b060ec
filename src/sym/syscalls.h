/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls of this machine: number <-> name <-> the name in tracefs events (sys_enter_NAME),
 * which is that of the kernel function: newstat for stat. The table is syscalls.def, generated.
 */
#ifndef SONDE_SYM_SYSCALLS_H
#define SONDE_SYM_SYSCALLS_H

#include "type/loc.h"

enum { SYSCALL_MAX = SYSCALL_SET_BITS }; /* exclusive upper bound of numbers */

/*
 * Calls of 32-bit programs on x86-64 have names i386_NAME, in events, too, and numbers from
 * SYSCALL_I386 on. syscall_count() omits them.
 */
struct syscall_i386 {
	u16 nr;
	const char *name;  /* "i386_mmap2" */
	const char *event; /* the 64-bit call with these groups, and arguments unless args is set */
	bool has_structs;  /* structures in memory have the 32-bit layout */
	const char *args;  /* as in calls.def; NULL: those of `event` */
};

/* NULL: none. */
const struct syscall_i386 *syscall_i386(u32 nr);
/* The name without i386_. */
const char *syscall_plain_name(const char *name);
/* NULL: not an i386_ name. */
const struct syscall_i386 *syscall_i386_find(const char *name);

/* "openat" for 257; NULL: none. */
const char *syscall_name(u32 nr);
/* By the user-visible name: "stat", "uname". -1: none. */
int syscall_number(const char *name);
/* "newstat" for 4; NULL: none. */
const char *syscall_event_name(u32 nr);
/* By the tracefs name without sys_enter_/sys_exit_: "newstat" -> 4. -1: none. */
int syscall_number_of_event(const char *event);
/* One past the highest number. */
u32 syscall_count(void);

#endif
