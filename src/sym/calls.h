/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the arguments of system calls are, beyond their C types: which are strings, sets of flags, names for
 * numbers. The tables are calls.def (generated) and callsets.def.
 */
#ifndef SONDE_SYM_CALLS_H
#define SONDE_SYM_CALLS_H

#include "base/arena.h"

struct call_desc {
	const char *event;  /* as tracefs calls it: "newstat" */
	const char *groups; /* "desc file", or "" */
	/* "AT dfd; STR filename; |open flags; MODE mode": a word of enum call_word or a C type, and the name */
	const char *args;
};

enum call_word {
	CALL_CTYPE,
	CALL_STRING,  /* STR: a NUL-terminated string of the caller */
	CALL_AT,      /* a descriptor of a directory, or AT_FDCWD */
	CALL_MODE,    /* permission bits, octal */
	CALL_HEX,     /* HEX: 32 bits */
	CALL_ADDRESS, /* ADDRESS: an unsigned long, in hex */
	CALL_FLAGS,   /* |SET */
	CALL_NAMES,   /* =SET */
};

struct call_arg {
	enum call_word word;
	const char *type; /* C type, or the set's name */
	const char *name;
};

/* NULL: nothing is known of it. */
const struct call_desc *call_find(const char *event);
/* The arguments of a call, in order: at most max, texts in the arena. Returns how many. */
u32 call_args(struct arena *a, const struct call_desc *c, struct call_arg *args, u32 max);
bool call_in_group(const struct call_desc *c, const char *group);
/* "desc file ipc ...", for messages. */
const char *call_groups(void);
/* Names of the calls that one name stands for, "open openat openat2" for open; NULL: it is alone. */
const char *call_family(const char *name);
/* Of the calls that do the same as one that this machine may lack (open on arm64) the first that it has; NULL: none. */
const char *call_instead(struct arena *a, const char *name);

struct call_name {
	const char *name;
	s64 value;
	u32 mask; /* of flags: the bits that are compared */
};
/* The names of a set; returns how many, at most max. 0: no such set. */
u32 call_set(struct arena *a, const char *set, struct call_name *names, u32 max);

#endif
