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
	 * "AT dfd; STR filename; |open flags; MODE mode": a word of enum call_word or a C type, and
	 * the name. A C type may be followed by " @" and how argstr shows it (callstructs.def).
	 */
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
	const char *view; /* NULL: by the word or type */
};

/* NULL: no description. */
const struct call_desc *call_find(const char *event);
/* The arguments of a call, in order: at most max, texts in the arena. Returns their number. */
u32 call_args(struct arena *a, const struct call_desc *c, struct call_arg *args, u32 max);
bool call_in_group(const struct call_desc *c, const char *group);
/* "%clock %creds ...", for messages. */
const char *call_groups(void);
/* Names of the calls that one name covers, "open openat openat2" for open; NULL: only itself. */
const char *call_family(const char *name);
/* The first variant on this machine of a call that it may lack (open on arm64); NULL: none. */
const char *call_instead(struct arena *a, const char *name);

enum { CALL_SET_MAX = 200 };
/* The names of a set; returns their number, at most max. 0: no such set. */
u32 call_set(struct arena *a, const char *set, struct call_name *names, u32 max);
/* What words of a set begin with that are no names: callsets.def. */
#define CALL_SET_MARKS "?%&<="
/* The first word of a set with such a mark, without it; NULL: none. */
const char *call_set_word(struct arena *a, const char *set, char mark);

#endif
