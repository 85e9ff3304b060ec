/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page knows of a recording besides tiles: JSON. view/data.js reads it. */
#ifndef SONDE_EXPORT_TIMELINE_JSON_H
#define SONDE_EXPORT_TIMELINE_JSON_H

#include "export/timeline/timeline.h"
#include "trace/names.h"

/* The object that view/data.js calls Info: the file, its range, names of lanes, what it lacks.
 * file: its name for the reader. */
void timeline_put_info(struct buf *b, const struct timeline *t, const char *file);
/* ,"file":... of texts of the recording; NULL: null. */
void timeline_put_text(struct buf *b, const char *key, const struct store_text *text);
/* format, tid, pid, "comm", "text": the members of an array. */
/* What has become of the file since it was opened: enum store_change, and the damage found so
 * far. */
void timeline_put_state(struct buf *b, const struct timeline *t);
void timeline_put_event(struct buf *b, struct arena *a, const struct names *names,
			const struct trace_event *e);

#endif
