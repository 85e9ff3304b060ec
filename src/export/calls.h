/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of a recording are entries and exits of system calls. */
#ifndef SONDE_EXPORT_CALLS_H
#define SONDE_EXPORT_CALLS_H

#include "trace/sink.h"

struct call_event {
	const char *name; /* "openat"; valid until the next call */
	bool is_exit;
	bool is_raw; /* raw_syscalls: its arguments have no names */
	u32 number;  /* if is_raw */
};

/* False: it is another event. */
bool call_of_event(const struct trace_event *e, struct call_event *call);

#endif
