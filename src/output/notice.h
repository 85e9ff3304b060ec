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

struct place sink_place(const struct sink *s, struct span span);
/* Results of tests and benchmarks: hooks of the outputs for people. */
void text_test(struct sink *s, const struct test_result *r);
void text_tested(struct sink *s, u32 n_passed, u32 n_failed);
void text_bench(struct sink *s, const struct bench_result *r);
/* Announces live probes on stdout if the environment requests it; flushes. */
void put_notify(struct sink *s);

#endif
