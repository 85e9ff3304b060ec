/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where samples of a recording were, and which of them -C, --comms and others choose. */
#ifndef SONDE_CLI_REPORT_PART_H
#define SONDE_CLI_REPORT_PART_H

#include "cli/recording.h"
#include "cli/report_chain.h"
#include "export/frames.h"

struct where { /* where_init() */
	struct recorded *r;
	struct frames frames;
	VEC(struct chain_frame *) by_number; /* of a struct frame */
	struct hash by_address, alone;       /* frames without a name; samples without a stack */
	struct chain nowhere;
};

void where_init(struct where *w, struct recorded *r);
void where_release(struct where *w);
/* At least one step. */
struct chain where_chain(struct where *w, const struct trace_event *e);
bool where_has_chains(struct recorded *r);
/* "spin.c:4" */
void where_put_line(const struct where *w, struct buf *b, const struct trace_event *e,
		    const struct chain_step *at);
/* Samples: of sonde record -F and of perf; others are trace events. */
bool is_sample_format(const struct event_format *f);
/* "cpu-clock", "sched:sched_switch" */
void where_put_event(struct buf *b, const struct event_format *f);
/* --header */
void where_put_head(struct recorded *r, struct buf *b);

struct part {
	const struct part_options *o;
	u64 cpus[16]; /* bits */
	bool has_cpus;
};

bool part_is_given(const struct cli *c);
/* 0, or the exit status after a message. */
int part_read(struct part *p, const struct cli *c);
bool part_has_cpu(const struct part *p, const struct trace_event *e);
bool part_has_place(const struct part *p, const struct trace_event *e, const struct chain_frame *f);

#endif
