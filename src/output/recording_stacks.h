/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of recorded events, and what their addresses need to get names later. Programs store
 * the frames of a stack once and send a reference; so does the recording, whose numbers are those
 * of its file.
 */
#ifndef SONDE_OUTPUT_RECORDING_STACKS_H
#define SONDE_OUTPUT_RECORDING_STACKS_H

#include "store/write.h"
#include "trace/sink.h"

struct recorded_stacks;

/* keeps_mappings: there will be other files, which need them again. */
struct recorded_stacks *recorded_stacks_new(bool keeps_mappings);
void recorded_stacks_free(struct recorded_stacks *k);
/* The numbers that the stacks of a tuple have in the file; its other fields are no stacks. */
struct row_stacks recorded_stacks_of(struct recorded_stacks *k, struct store_writer *w,
				     const struct names *names, const struct type *tuple,
				     const void *value);
/* A function of the kernel, which gets its name. */
void recorded_stacks_function(struct recorded_stacks *k, struct store_writer *w, u64 ip,
			      const struct names *names);
/* Those that members of the event are; number: of its format in the file. */
void recorded_stacks_symbols(struct recorded_stacks *k, struct store_writer *w,
			     const struct names *names, u32 number, struct event_format *f,
			     const struct trace_event *e);
void recorded_stacks_map(struct recorded_stacks *k, struct store_writer *w,
			 const struct map_event *e);
/* w begins a file. */
void recorded_stacks_begin(struct recorded_stacks *k, struct store_writer *w);

#endif
