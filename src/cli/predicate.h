/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts over a recording, made from a predicate: "next_prio < 100 && comm == \"bash\"". A name
 * that is a field of some event and no variable of the language means args.NAME.
 */
#ifndef SONDE_CLI_PREDICATE_H
#define SONDE_CLI_PREDICATE_H

#include "cli/recording.h"
#include "output/output.h"

#define PREDICATE_CONFIG "config = { max_probes = 100000; print_maps_on_exit = false }\n"

/* Appends the predicate as the language takes it. */
void predicate_expand(const struct recorded *r, const char *typed, struct buf *to);
/* Maps an offset of the result to an offset in `typed`. */
u32 predicate_typed_at(const struct recorded *r, const char *typed, u32 at);
/* Appends "tracepoint:EVENT BODY" for each event that has all fields which `expr`, expanded or
 * NULL, names after "args.". The number of events. */
u32 predicate_put_clauses(struct recorded *r, struct buf *to, const char *expr, const char *body);
/* Whether the event has those fields. */
bool predicate_has_fields(struct arena *a, const struct event_format *e, const char *expr);
/* Runs the script over the events of r->from to r->to for which `where` is true (NULL: all). NULL
 * in `to`: the output of -f. state: of that output. The exit status, after a message. */
int predicate_run(struct recorded *r, struct buf *script, const char *where,
		  const struct output *to, void *state);

#endif
