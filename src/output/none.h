/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hooks of outputs (struct output) that print nothing of what they are given. */
#ifndef SONDE_OUTPUT_NONE_H
#define SONDE_OUTPUT_NONE_H

#include "trace/sink.h"

void none_attached(struct sink *s, u32 n_probes);
void none_text(struct sink *s, enum sink_text kind, const char *bytes, size_t len);
void none_value(struct sink *s, const struct type *t, const void *p);
void none_table(struct sink *s, const struct table *t);
void none_event(struct sink *s, const struct trace_event *e);
void none_lost(struct sink *s, const struct loss *loss, u64 count);
void none_message(struct sink *s, enum sink_level level, struct span span, const char *bytes);
void none_end(struct sink *s);

#endif
