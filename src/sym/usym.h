/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of processes -> symbols. Maps are read once per process (early by usyms_note(), so that
 * addresses of short-lived processes resolve after they exit); ELF files are shared between
 * processes; both caches are bounded LRU.
 */
#ifndef SONDE_SYM_USYM_H
#define SONDE_SYM_USYM_H

#include "base/base.h"

struct usyms;

struct usym {
	const char *name;   /* valid until the next call; NULL: unknown */
	u64 offset;         /* from the symbol's start; of the file if the name is unknown */
	const char *path;   /* of the mapped file, "[vdso]", ...; NULL: no mapping */
	u64 file_offset;    /* offset of the address in path */
	const u8 *build_id; /* of path, or NULL */
	u32 build_id_len;
};

struct usyms *usyms_new(void);
/* For a recording: mappings come from its events alone; a file is opened when it is needed, if it
 * is still the same. */
struct usyms *usyms_new_recorded(void);
/* Of the running kernel's vDSO; valid until usyms_free(). NULL: not known. */
const u8 *usyms_vdso_build_id(struct usyms *u, u32 *len);
void usyms_free(struct usyms *u);
/* Reads the maps of a process now, unless cached (then cheap). */
void usyms_note(struct usyms *u, u32 pid);
/*
 * Report a new mapping of code, an exec, a fork; used when the process is gone from /proc. time: of
 * the event (CLOCK_MONOTONIC). Events of a process must come in order of time.
 */
struct mapping;
struct procmaps;
void usyms_mapped(struct usyms *u, u32 pid, const struct mapping *m, u64 time);
void usyms_exec(struct usyms *u, u32 pid, u64 time);
void usyms_forked(struct usyms *u, u32 parent, u32 pid, u64 time);
/* Reads the maps of a process, again if they are known. Borrowed until the next call with a pid;
 * NULL: it is gone (usyms_unseen()) or exiting. */
const struct procmaps *usyms_read(struct usyms *u, u32 pid);
/* The code mappings of a process that events reported since its last exec, or its parent's.
 * Borrowed until the next call. */
const struct procmaps *usyms_reported(struct usyms *u, u32 pid);
/* Whether these are all of its code mappings. */
bool usyms_all_reported(const struct usyms *u, u32 pid);
/* The file of a mapping, or the vDSO's image; NULL: not a file, or it cannot be opened. Borrowed
 * until the next call. */
struct elf *usyms_elf(struct usyms *u, u32 pid, const struct mapping *m);
/*
 * False if no symbol covers the address; out->path may be set even then. Reads the maps again if
 * none contains the address (a library was loaded meanwhile). time: when the process executed the
 * code (CLOCK_MONOTONIC); 0: now, or the last mapping if there is none now.
 */
bool usyms_resolve(struct usyms *u, u32 pid, u64 time, u64 address, struct usym *out);
/* Whether the address is in code; true if nothing is known about the process. */
bool usyms_is_code(struct usyms *u, u32 pid, u64 time, u64 address);
/*
 * The source position of code, from the debug information of its file; strings as in struct usym.
 */
struct usource {
	const char *name;
	const char *file;
	u32 line;
	bool inlined; /* into the function of the next depth */
};

/* Why the last read of a process's maps failed: -EACCES ...; 0: it succeeded. */
int usyms_unseen(struct usyms *u, u32 pid);
struct code_at {
	u32 pid;
	u64 time, address; /* as usyms_resolve() */
	bool is_return;    /* a return address: the line of the call is wanted */
};
/*
 * The depth-th function that contains the address, innermost first; false: none, or no debug
 * information.
 */
bool usyms_source(struct usyms *u, const struct code_at *at, u32 depth, struct usource *out);
/* Whether C++, Rust and D names are demangled (default: true). */
void usyms_demangle(struct usyms *u, bool on);

/* Demangles a C++, Rust or D name; NULL: not a mangled name. malloc'ed. A test may replace it;
 * NULL: nothing is demangled. */
extern char *(*demangle_hook)(const char *mangled);

#endif
