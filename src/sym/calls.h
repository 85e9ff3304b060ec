/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Semantics of system call arguments beyond their C types: strings, flag sets, named values. The
 * tables are calls.def (generated) and callsets.def.
 */
#ifndef SONDE_SYM_CALLS_H
#define SONDE_SYM_CALLS_H

#include "base/arena.h"
#include "type/call.h"

struct call_desc {
	const char *event;  /* as in tracefs: "newstat" */
	const char *groups; /* "desc file", or "" */
	/*
	 * "AT dfd; STR filename; |open flags; MODE mode": a word of enum call_word or a C type,
	 * then the name. " @" and a view (callstructs.def) may follow a C type: how argstr shows
	 * it.
	 */
	const char *args;
};

enum call_word {
	CALL_CTYPE,
	CALL_STRING,  /* STR: a NUL-terminated string of the caller */
	CALL_AT,      /* a descriptor of a directory, or AT_FDCWD */
	CALL_MODE,    /* permission bits, octal */
	CALL_HEX,     /* HEX: 32 bits, in hex */
	CALL_ADDRESS, /* ADDRESS: an unsigned long, in hex */
	CALL_FLAGS,   /* |SET */
	CALL_NAMES,   /* =SET */
};

struct call_arg {
	enum call_word word;
	const char *type; /* a C type, or the name of the set */
	const char *name;
	const char *view; /* NULL: the word or type determines it */
};

/* NULL: no description. */
const struct call_desc *call_find(const char *event);
/* Stores at most max arguments of a call, in order, with texts in the arena; returns their
 * number. */
u32 call_args(struct arena *a, const struct call_desc *c, struct call_arg *args, u32 max);
bool call_in_group(const struct call_desc *c, const char *group);
/* Names of all groups, "%clock %creds ...", for messages. */
const char *call_groups(void);
/* The calls that a name covers: "open openat openat2" for open; NULL: only itself. */
const char *call_family(const char *name);
/* The first variant that this machine has of a call which it may lack (open on arm64); NULL:
 * none. */
const char *call_instead(struct arena *a, const char *name);

enum { CALL_SET_MAX = 256 };
/* Stores at most max names of a set and returns their number; 0: no such set. */
u32 call_set(struct arena *a, const char *set, struct call_name *names, u32 max);
/* Marks at the start of words of a set that are not names: callsets.def. */
#define CALL_SET_MARKS "?%&<="
/* The first word of a set with such a mark, without it; NULL: none. */
const char *call_set_word(struct arena *a, const char *set, char mark);

#endif
