/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file that uprobe and uretprobe name: each becomes a target, at the best
 * position in the function for the kernel's probe.
 */
#ifndef SONDE_PROVIDER_UFUNC_H
#define SONDE_PROVIDER_UFUNC_H

#include "object/elf.h"
#include "provider/internal.h"
#include "provider/uret.h"

struct upoint_finder;

/* Of a file: cfi_each_without_call(), sorted, once they are known. */
struct without_call {
	VEC(u64) at;
	bool known;
};

/* A specification that is being matched with files. Zero except env and spec; all memory is in the
 * environment's arena. */
struct ufunc_match {
	struct provider_env *env;
	const struct spec *spec;
	const char *binary, *func;
	bool is_return, is_cpp, many, verbose;
	bool by_name;    /* the spec names one function of one file */
	bool is_exact;   /* or several of C++ */
	bool is_of_list; /* func is one of those of a list */
	struct without_call without_call;
	u32 n_files;
	const char *last_cpp; /* the last result of cpp_name() */
	u64 last_value;
	const char *path;            /* of the current file */
	const char *shown_path;      /* for the names of its probes */
	const char *open_path;       /* where it can be opened now, if that is different */
	const char *now_at, *now_of; /* cache: the path by which now_of is opened; and that path */
	int unread;                  /* the errno if it cannot; 0 */
	struct elf *elf;
	struct upoint_finder *finder; /* of elf; made with its first function, as is: */
	enum unwinds unwinds;
	struct targets ts;
	struct profile *profile, *profile_i386;
	struct near near;
	int error;     /* reported */
	u32 n_refused; /* functions that a pattern matches and the kernel does not probe */
	const char *refused, *why_refused; /* the first of them */
	/* stack pointer offset of the site added last, if it was moved */
	s32 moved_sp;
	list_fn list;
	void *list_ctx;
};

/* One for all functions of files with the same word size. */
struct profile *ufunc_profile(struct ufunc_match *m);
/* Adds a target at exactly file_offset. func: its name; shown: as in the name of the probe. */
struct target *ufunc_add_exactly(struct ufunc_match *m, const char *func, const char *shown,
				 u64 file_offset);
/* "malloc|free|0x9f1c0" */
bool ufunc_is_list(const struct ufunc_match *m);
/* The demangled name of s if it matches and differs from the last one, else NULL. Constructors have
 * one symbol for whole objects and one for bases, mostly with the same code. */
const char *ufunc_cpp_name(struct ufunc_match *m, const struct elf_symbol *s);
/* Whether servers may be queried: for a file that the script names, not for all matches of a
 * pattern. */
bool ufunc_may_fetch(const struct ufunc_match *m);
/* Adds the functions of the file to m->ts. 0, or m->error after a message; m->unread: why a file
 * could not be read. ctx: struct ufunc_match. */
int ufunc_match_file(void *ctx, const char *path);

#endif
