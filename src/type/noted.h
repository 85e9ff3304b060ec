/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that a script reads from the machine, recorded with the events: `sonde record SCRIPT` runs
 * the script with each read kept in a variable and an event at the end of each clause; over the
 * recording the same reads are fields of that event.
 */
#ifndef SONDE_TYPE_NOTED_H
#define SONDE_TYPE_NOTED_H

#include "base/base.h"

enum { NOTED_LAYOUT = '=' };

struct noted_read {
	/* Its text, "str(arg0)". If its value depends on the script (variables, maps, branches)
	 * with the place, "str($p)@120": then it is valid for that script alone. */
	const char *key;
	const char *field; /* of the event: "str_arg0" */
	/* What the field is cast to; "": it is as it is; from NOTED_LAYOUT on a text of
	 * type/layout.h: the field is bytes that are such a value. */
	const char *type;
};

/* Of the events of a probe. */
struct noted_reads {
	const struct noted_read *v;
	u32 n;
	u32 script; /* noted_script() of the one that was recorded; 0: of none */
	u32 clause; /* its number in that script */
	const char *probe, *func;
	const char *args; /* the names of the probe's arguments with a blank after each; NULL */
};

/* Clauses whose events are tuples: output/recording_probes.h. All in an arena of who makes the
 * list. */
struct recorded_probe {
	const char *name;          /* of its events; NULL: made of the probe's */
	const char *const *fields; /* names of the values; NULL-terminated */
	const char *
		reads; /* rows of the text reads:NAME (doc/recording.md) about fields; NULL: none */
};

struct arena;
struct noting { /* a run that records what its script reads */
	struct arena *arena;
	struct recorded_probe *v;
	u32 n;
	u32 script;        /* the script with its parameters, as a number */
	bool reads_stacks; /* ... or addresses that get names */
};

#endif
