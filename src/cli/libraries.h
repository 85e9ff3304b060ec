/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a process, in the order in which the dynamic linker looks names up: the program,
 * LD_PRELOAD, then what these need, breadth first. Of a command, which has not been executed, found
 * as ld.so(8) finds them: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the folders of
 * libraries. Of a process, its mappings.
 */
#ifndef SONDE_CLI_LIBRARIES_H
#define SONDE_CLI_LIBRARIES_H

#include "base/arena.h"
#include "base/hash.h"
#include "object/elf.h"

struct library {
	const char *path, *name; /* name: its soname, else the last part of the path */
	struct elf *elf;
};

struct libraries {
	struct arena *arena; /* of the caller; the rest is 0 at first */
	VEC(struct library *) list;
	struct hash by_path; /* -> struct library */
};

/* Of a program that is about to be executed, or of the interpreter of a script. Nothing if it is no
 * program. */
void libraries_of_program(struct libraries *all, const char *path);
/* 0 or -errno. */
int libraries_of_process(struct libraries *all, u32 pid, struct err *err);
/* A library that the program may open later, by path or name, with those that it needs. NULL: there
 * is none. */
const struct library *libraries_add(struct libraries *all, const char *name);
/* Closes the files. */
void libraries_release(struct libraries *all);

#endif
