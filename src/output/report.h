/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outputs that write one document when the run is over: profiles for other programs. Each map keyed
 * by stacks that is printed is a profile of it; everything else is text on stderr, and the notes of
 * the document. These are the hooks that such outputs share; .table is one of the two below, .close
 * writes the document.
 */
#ifndef SONDE_OUTPUT_REPORT_H
#define SONDE_OUTPUT_REPORT_H

#include "output/stacks.h"

struct report {
	struct arena arena;
	VEC(struct tree) trees;
	struct buf notes;
	u64 start_ns; /* wall clock, when the probes were attached */
	u64 end_ns;
};

void report_attached(struct sink *s, u32 n_probes);
void report_text(struct sink *s, enum sink_text kind, const char *bytes, size_t len);
void report_value(struct sink *s, const struct type *t, const void *p);
void report_table(struct sink *s, const struct table *t);
void report_table_by_line(struct sink *s, const struct table *t);
void report_event(struct sink *s, const struct trace_event *e);
void report_lost(struct sink *s, const struct loss *loss, u64 count);
void report_message(struct sink *s, enum sink_level level, struct span span, const char *bytes);
void report_end(struct sink *s);
#define REPORT_HOOKS                                                                               \
	.attached = report_attached, .text = report_text, .value = report_value,                   \
	.event = report_event, .lost = report_lost, .message = report_message, .test = text_test,  \
	.tested = text_tested, .bench = text_bench, .end = report_end

/* For .close: calls write() with what was collected, if the probes were attached, and frees it. */
void report_close(struct sink *s, void (*write)(struct buf *out, const struct report *d));

#endif
