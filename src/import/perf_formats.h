/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of perf's events that are not tracepoints, as events of the group "perf". */
#ifndef SONDE_IMPORT_PERF_FORMATS_H
#define SONDE_IMPORT_PERF_FORMATS_H

#include "import/import.h"

/* The record that import_event() takes. */
struct perf_sample_record {
	u16 type; /* the id of the format */
	u8 flags, preempt_count;
	s32 tid;
	u64 ip, addr, period;
};

/* described: perf's name of the event ("cycles:u"), or NULL. False: samples of it say nothing. */
bool perf_formats_add(struct importing *to, u32 id, u32 type, u64 config, const char *described);

#endif
