/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of perf and its records of which the kernel knows nothing (tools/perf of Linux:
 * util/header.h, util/event.h). */
#ifndef SONDE_IMPORT_PERF_RECORDS_H
#define SONDE_IMPORT_PERF_RECORDS_H

#include "base/cursor.h"

enum {
	HEADER_ATTR = 64,
	HEADER_TRACING_DATA = 66,
	FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	N_FEATURES = 256,
	PIPE_HEADER = 16,
};

/* Bytes that follow a record and are not counted in its size. body: what is after its header. */
static inline u64 perf_trailer(u32 type, struct cursor body)
{
	if (type == HEADER_TRACING_DATA)
		return ALIGN_UP((u64)take_u32(&body), 8ull);
	return type == RECORD_AUXTRACE ? take_u64(&body) : 0;
}

#endif
