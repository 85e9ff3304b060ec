/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values over many events: of a field or an expression, or the times from one event to another. A
 * script of the language prints them over the recording; they are counted here. Percentiles of
 * numbers are within 0.1 %, minimum and maximum are exact; other values are counted by their text.
 */
#ifndef SONDE_CLI_VIEW_VALUES_H
#define SONDE_CLI_VIEW_VALUES_H

#include "cli/predicate.h"

struct value_request {
	const char *expr; /* of an expression: "next_prio"; else NULL: */
	const char *from, *to,
		*key; /* events; key: what both have, "tid" or "pid,next_pid": fields, else variables */
	const char *filter; /* a predicate, "" or NULL: all. Of times it is that of both events */
};

/* Runs it over r->from to r->to and appends the result: JSON, or lines with bars for a width of 80.
 * The exit status; if it is not 0, messages are on standard error. Changes the request of r->c: for
 * a process of its own (job.h). */
int values_run(struct recorded *r, const struct value_request *q, bool as_json, struct buf *to);

#endif
