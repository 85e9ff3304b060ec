/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells about processes, and where programs and libraries are. */
#ifndef SONDE_SYM_PROCS_H
#define SONDE_SYM_PROCS_H

#include "base/arena.h"
#include "base/err.h"

/* What the mounted /proc calls a process: another number where that is of another pid namespace; 0: it has none. */
u32 proc_number(u32 pid);
/* By asking the kernel: /proc may be missing, or hide other users' processes (hidepid). */
bool proc_exists(u32 pid);
/* Its files and memory may be seen: it is ours, or we have CAP_SYS_PTRACE (ptrace(2)). */
bool proc_is_visible(u32 pid);
/* The program's path as seen in its mount namespace; NULL: gone or a kernel thread. */
const char *proc_exe(struct arena *a, u32 pid);
/* Calls f for each process; a non-zero return stops and is returned. */
int proc_each(int (*f)(void *ctx, u32 pid), void *ctx);
/* Likewise for each thread of a process. */
int proc_each_thread(u32 pid, int (*f)(void *ctx, u32 tid), void *ctx);
/* The process that a thread belongs to, itself for a process; 0: gone. */
u32 proc_of_thread(u32 tid);
/* The pid as the process itself knows it, in the innermost pid namespace. */
u32 proc_inner_pid(u32 pid);
/* When it started, in clock ticks since boot (tells a pid that was used again); 0: gone. */
u64 proc_start_time(u32 pid);
/* 'R', 'S', 'Z' … as in /proc/PID/stat; 0: gone. */
char proc_state(u32 pid);
/* Whether the process sees another root or mount namespace than we do. */
bool proc_in_other_mnt_ns(u32 pid);

/* A program as the shell would find it: a path with a slash as it is, else through PATH. NULL:
 * none. */
const char *path_find_program(struct arena *a, const char *name);
/* Program, library ("libc", "c", "libc.so.6", "c.so.6": of ld.so's cache) or path, in this order; relative paths
 * become absolute. pid > 0: seen from there. NULL: none. */
const char *path_find_binary(struct arena *a, const char *name, s32 pid);
/* Files that match a shell-like path pattern ('*' in any part), sorted, ELF files only. */
int path_glob(struct arena *a, const char *pattern, int (*f)(void *ctx, const char *path),
	      void *ctx);

#endif
