/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of probes that have no record of the kernel's: the script prints a tuple, which becomes a
 * record with a format made of its types, so that readers of the recording need no knowledge of
 * probes.
 *
 *	(number, nsecs, pid, tid, cpu, comm, probe, [kstack, ustack,] value ...)
 */
#ifndef SONDE_OUTPUT_RECORDING_PROBES_H
#define SONDE_OUTPUT_RECORDING_PROBES_H

#include "trace/sink.h"
#include "type/event_format.h"
#include "type/noted.h"

struct recorded_probes;

/* list: the clauses, by the numbers in their tuples; it may still grow. */
struct recorded_probes *recorded_probes_new(const struct noting *list);
void recorded_probes_free(struct recorded_probes *p);
/* The event of a tuple, with its stacks as its value; valid until the next call. False: it is no
 * such tuple. */
bool recorded_probe_event(struct recorded_probes *p, const struct names *names,
			  const struct type *tuple, const void *value, struct trace_event *e);

#endif
