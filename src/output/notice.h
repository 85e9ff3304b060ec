/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by outputs for messages of the run: positions, losses, levels. */
#ifndef SONDE_OUTPUT_NOTICE_H
#define SONDE_OUTPUT_NOTICE_H

#include "trace/sink.h"

/* The row of a loss reason: lost events, or a warning that is counted. */
struct loss_row {
	const char *reason; /* in parentheses after "lost N events"; NULL: a warning */
	const char *warning;
};
const struct loss_row *loss_row(const struct loss *loss);
/* "map @x is full": the reason with the map it is about. */
void put_loss_reason(struct buf *b, const struct loss *loss);

struct level {
	const char *label; /* ERROR, WARNING */
	bool with_source;  /* the line is shown, underlined */
};
const struct level *level_row(enum sink_level level);

struct position sink_position(const struct sink *s, struct span span);
/* Hooks of output_text (text.c), for outputs that differ from it in how they print maps. */
void text_attached(struct sink *s, u32 n_probes);
void text_text(struct sink *s, enum sink_text kind, const char *bytes, size_t len);
void text_value(struct sink *s, const struct type *t, const void *p);
void text_event(struct sink *s, const struct trace_event *e);
void text_lost(struct sink *s, const struct loss *loss, u64 count);
void text_message(struct sink *s, enum sink_level level, struct span span, const char *bytes);
void text_test(struct sink *s, const struct test_result *r);
void text_tested(struct sink *s, u32 n_passed, u32 n_failed);
void text_bench(struct sink *s, const struct bench_result *r);
/* Without what an output of a command's own lines does: attached, value, event, lost. */
#define TEXT_MESSAGES                                                                              \
	.text = text_text, .message = text_message, .test = text_test, .tested = text_tested,      \
	.bench = text_bench
#define TEXT_HOOKS                                                                                 \
	TEXT_MESSAGES, .attached = text_attached, .value = text_value, .event = text_event,        \
		       .lost = text_lost
/* Announces live probes on stdout if the environment requests it; flushes. */
void put_notify(struct sink *s);

#endif
