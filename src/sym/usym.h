/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of processes -> symbols. Maps are read once per process (usyms_note() does it early, so
 * that short-lived processes resolve after they are gone); ELF files are shared between processes;
 * both caches are bounded, the least recently used goes first.
 */
#ifndef SONDE_SYM_USYM_H
#define SONDE_SYM_USYM_H

#include "base/base.h"

struct usyms;

struct usym {
	const char *name; /* valid until the next call; NULL: unknown */
	u64 offset; /* from the symbol's start; from the mapping's file when the name is unknown */
	const char *path;   /* of the mapped file, "[vdso]", ...; NULL: no mapping */
	u64 file_offset;    /* of the address in path */
	const u8 *build_id; /* of path, or NULL */
	u32 build_id_len;
};

struct usyms *usyms_new(void);
void usyms_free(struct usyms *u);
/* Reads the maps of a process now, unless they are known. Cheap when they are. */
void usyms_note(struct usyms *u, u32 pid);
/*
 * What is known of a process from events, used when /proc has nothing of it any more: a mapping of code
 * was made; it called exec; it was forked.
 */
struct mapping;
void usyms_mapped(struct usyms *u, u32 pid, const struct mapping *m);
void usyms_exec(struct usyms *u, u32 pid);
void usyms_forked(struct usyms *u, u32 parent, u32 pid);
/* False when no symbol covers the address; out->path may be known even then. Reads the maps again
 * when the address is in none of them (a library loaded meanwhile). */
bool usyms_resolve(struct usyms *u, u32 pid, u64 address, struct usym *out);
/* The text that code came from, by the debug information of its file; strings as in struct usym. */
struct usource {
	const char *name;
	const char *file;
	u32 line;
	bool inlined; /* into another function, which is the next depth */
};

/* Why the mappings of a process could not be read when they were wanted last: -EACCES ...; 0: they could. */
int usyms_unseen(struct usyms *u, u32 pid);
/*
 * The depth-th function whose text is at the address, innermost first; false: there is no such, or no debug
 * information. is_return: the address is where a call returns to; the call's line is meant.
 */
bool usyms_source(struct usyms *u, u32 pid, u64 address, bool is_return, u32 depth,
		  struct usource *out);
/* C++ names are shown demangled (default true). */
void usyms_demangle(struct usyms *u, bool on);

/* Demangles a C++ name; NULL when it is none or there is no demangler. malloc'ed. Replaceable. */
extern char *(*demangle_hook)(const char *mangled);

#endif
