/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of Perfetto's ftrace data source: from a record to fields of an FtraceEvent. */
#ifndef SONDE_EXPORT_PERFETTO_H
#define SONDE_EXPORT_PERFETTO_H

#include "base/buf.h"
#include "export/export.h"

struct perfetto_events {
	struct arena *arena;
	struct perfetto_plan **plans; /* by number of the format; NULL: not made yet */
};

/* Sets the formats' numbers; allocates in a. */
void perfetto_events_init(struct perfetto_events *p, struct arena *a, const struct store_tables *t);
/* Adds the event's own message to b: to an FtraceEvent. */
void perfetto_put(struct perfetto_events *p, struct buf *b, const struct trace_event *e);

#endif
