/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the addresses of a recording's stacks: functions of the kernel are in its table; those
 * of processes are read from the files that they had mapped, as far as these still are the same (by
 * their build ids).
 */
#ifndef SONDE_STORE_NAMES_H
#define SONDE_STORE_NAMES_H

#include "store/read.h"

struct store_names;
struct usyms;

/* Keeps pointers into t. */
struct store_names *store_names_new(const struct store_tables *t);
void store_names_free(struct store_names *n);
/* Processes are what they were at that time. Cheap in the order of time; going back in time
 * restarts. */
void store_names_at(struct store_names *n, u64 time);
/* The function of the kernel; false: the table has none for the address. */
bool store_names_kernel(const struct store_names *n, u64 address, struct symbol *out);
/* False: no function; out->module, the file, may be set even then. out is valid until the next
 * call. */
bool store_names_user(struct store_names *n, u32 pid, u64 address, struct symbol *out);
/* As names.source (trace/names.h). */
bool store_names_source(struct store_names *n, u32 pid, u64 address, bool is_return, u32 depth,
			struct symbol *out);

/* Tells usyms_new_recorded() what happened to a process; path: of a mapping. Rows come in the order
 * of time. */
void store_names_apply(struct usyms *u, const struct mapping_row *row, const char *path);

#endif
