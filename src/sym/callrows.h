/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of callstructs.def, netlink.def, callsets.def and calls.def, by name; the files explain
 * their texts. */
#ifndef SONDE_SYM_CALLROWS_H
#define SONDE_SYM_CALLROWS_H

#include "base/base.h"

enum call_table {
	CALL_STRUCTS, /* S: by is the size */
	CALL_CHOICES, /* N */
	CALL_ATTRS,   /* A: by is the prefix; K: NULL */
	CALL_SETS,    /* V, F: by is empty */
	CALL_CALLS,   /* C: by is the groups, the text the arguments */
	N_CALL_TABLES
};

struct call_row {
	const char *name, *by, *text;
};

/* NULL: there is none. Lives as long as the process. */
const struct call_row *call_row(enum call_table table, const char *name);

#endif
