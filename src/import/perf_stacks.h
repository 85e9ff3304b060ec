/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of perf.data: the call chains of samples, and what their addresses need to get names. */
#ifndef SONDE_IMPORT_PERF_STACKS_H
#define SONDE_IMPORT_PERF_STACKS_H

#include <linux/perf_event.h>
#include "import/import.h"
#include "sym/unwind_sample.h"

struct perf_stacks;

struct perf_stacks *perf_stacks_new(struct importing *to);
void perf_stacks_free(struct perf_stacks *s);
/* Any record, in the order of time: mappings, new processes, and programs that are executed. The
 * writer is there. */
void perf_stacks_see(struct perf_stacks *s, const struct perf_event_header *h, struct cursor body,
		     u64 time);
/* Before the first record, of the machine that made the file. */
void perf_stacks_begin(struct perf_stacks *s, bool same_kernel, bool unwinds);
/* Of a chain (u64 each; contexts between); empty: none. The user's part of it gives way to the
 * stack that is unwound, if perf_stacks_begin() allows that. */
struct row_stacks perf_stacks_of(struct perf_stacks *s, struct cursor chain,
				 const struct unwind_sample *user, u32 pid);
/* Of a sample without a chain: its address. */
/* The functions of the kernel in the record of a tracepoint; their names, as text of kallsyms, if
 * the file has them. */
void perf_stacks_name_members(struct perf_stacks *s, struct event_format *f, const void *record,
			      u32 len);
void perf_stacks_symbols_text(struct perf_stacks *s, const void *text, size_t len);
struct row_stacks perf_stacks_one(struct perf_stacks *s, u64 ip, bool user);

#endif
