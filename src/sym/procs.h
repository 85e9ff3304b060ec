/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc: process properties, and paths of programs and libraries. */
#ifndef SONDE_SYM_PROCS_H
#define SONDE_SYM_PROCS_H

#include "base/arena.h"
#include "base/err.h"

/*
 * The pid of a process in the mounted /proc, which may belong to another pid namespace; 0: none.
 */
u32 proc_number(u32 pid);
/* A descriptor that is readable when the process has ended (pidfd_open(2)); -1 with errno set. */
int proc_pidfd(u32 pid);
/* Queries the kernel: /proc may be missing, or hide other users' processes (hidepid). */
bool proc_exists(u32 pid);
/* Its files and memory are accessible: it is one of our user's, or we have CAP_SYS_PTRACE
 * (ptrace(2)). */
bool proc_is_visible(u32 pid);
/* The program's path in its mount namespace; NULL: gone or a kernel thread. */
const char *proc_exe(struct arena *a, u32 pid);
/* Calls f for each process; a nonzero return stops the walk and is returned. */
int proc_each(int (*f)(void *ctx, u32 pid), void *ctx);
/* Likewise for each thread of a process. */
int proc_each_thread(u32 pid, int (*f)(void *ctx, u32 tid), void *ctx);
/* The process of a thread, the same for a main thread; 0: gone. */
u32 proc_of_thread(u32 tid);
/* The pid in the process's innermost pid namespace. */
u32 proc_inner_pid(u32 pid);
/* Start time in clock ticks since boot (detects pid reuse); 0: gone. */
u64 proc_start_time(u32 pid);
/* The start of its stack at exec (mm_struct.start_stack); 0: gone, within exec(), or not
 * permitted. */
u64 proc_start_stack(u32 pid);
/* It does not have all of its new program's mappings yet. */
bool proc_is_in_exec(u32 pid);
/* 'R', 'S', 'Z' ... as in /proc/PID/stat; 0: gone. */
char proc_state(u32 pid);
/* 0: unknown. */
u32 proc_parent(u32 pid);
/* The process has another root or mount namespace than sonde. */
bool proc_in_other_mnt_ns(u32 pid);

/* The path of a program as a shell finds it: a path with a slash unchanged, else through PATH.
 * NULL: none. */
const char *path_find_program(struct arena *a, const char *name);
/*
 * Finds a program, a library ("libc", "c", "libc.so.6", "c.so.6": from ld.so's cache) or a path, in
 * this order; relative paths become absolute. pid > 0: in that process's root. NULL: none.
 */
const char *path_find_binary(struct arena *a, const char *name, s32 pid);
/* A library by its full name, "libc.so.6", in ld.so's cache and the library directories. NULL:
 * none. */
const char *path_find_library(struct arena *a, const char *soname);
/* Files that match a shell-like path pattern ('*' in any part), sorted, ELF files only. */
int path_glob(struct arena *a, const char *pattern, int (*f)(void *ctx, const char *path),
	      void *ctx);

#endif
