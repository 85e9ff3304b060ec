/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of the kernel in a recording that is imported, and the names of their functions. */
#ifndef SONDE_IMPORT_KERNEL_STACKS_H
#define SONDE_IMPORT_KERNEL_STACKS_H

#include "import/import.h"

enum { STACK_FRAMES_MOST = 1024 }; /* of a recording */

struct kallsyms;
struct kernel_stacks;

struct kernel_stacks *kernel_stacks_new(struct importing *to);
void kernel_stacks_free(struct kernel_stacks *k);
/* Where names are from now on: k owns symbols. Only the first call has an effect, whose result is
 * true. */
bool kernel_stacks_symbols(struct kernel_stacks *k, struct kallsyms *symbols);
/* The same of the text of /proc/kallsyms in a file. */
void kernel_stacks_symbols_text(struct kernel_stacks *k, const void *text, size_t len);
/* Stores the stack; its number, 0: it has no frames. */
/* Those that members of an event are. */
void kernel_stacks_name_members(struct kernel_stacks *k, struct event_format *f, const void *record,
				u32 len);
u32 kernel_stacks_add(struct kernel_stacks *k, const u64 *ips, u32 n);
/* Stores the name of an address that an event has. */
void kernel_stacks_name(struct kernel_stacks *k, u64 ip);

#endif
