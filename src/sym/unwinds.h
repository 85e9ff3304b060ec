/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data for programs that unwind user stacks (type/unwind.h): a table for each file, built for the
 * first process that maps the file and shared by all, and the mappings of processes.
 */
#ifndef SONDE_SYM_UNWINDS_H
#define SONDE_SYM_UNWINDS_H

#include "type/unwind.h"

struct unwinds;
struct usyms;

/* Stores the mappings of a process where programs find them; p NULL: it is gone. */
typedef void (*unwind_set_fn)(void *ctx, u32 pid, const struct unwind_process *p);

/* memory: UNWIND_SIZE zeroed bytes that the programs see, in_parts: as several elements; NULL, and
 * set NULL: no program unwinds. All arguments are borrowed. */
struct unwinds *unwinds_new(struct usyms *u, void *memory, bool in_parts, unwind_set_fn set,
			    void *ctx);
void unwinds_free(struct unwinds *w);
/* Reads the mappings of a process, again if they have changed; false: it has ended or is
 * changing. */
bool unwinds_note(struct unwinds *w, u32 pid);
/* Whether the mappings of a process were stored. */
bool unwinds_knows(const struct unwinds *w, u32 pid);
/* The process has ended, or executes another program, and none of its hits is pending. */
void unwinds_forget(struct unwinds *w, u32 pid);
/* The frames of a hit that a program stored, as unwind_raw_frames(). */
u32 unwinds_frames(struct unwinds *w, const struct unwind_raw *raw, u64 *ips, u32 max);
/* Of a recording: nothing but the mappings that usyms was told of is known. unwinds_forget() after
 * each of them. */
u32 unwinds_frames_reported(struct unwinds *w, const struct unwind_raw *raw, u64 *ips, u32 max);

#endif
