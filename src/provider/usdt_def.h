/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provider definitions, the .d files from which programs with USDT probes are built (DTrace's
 * "Statically Defined Tracing for User Applications"), and what builds generate from them: a C
 * header with a macro for each probe, and an object file with the semaphores that the macros test.
 */
#ifndef SONDE_PROVIDER_USDT_DEF_H
#define SONDE_PROVIDER_USDT_DEF_H

#include "base/arena.h"
#include "base/buf.h"

struct usdt_def_probe {
	const char *provider, *name; /* as written: "tracetest", "query__start" */
	VEC(const char *) types;     /* of the arguments, as written */
};

struct usdt_defs {
	VEC(struct usdt_def_probe *) probes;
	/* The error in the text, or NULL; and its line, from 1. */
	const char *error;
	u32 line;
};

/* False: d->error is the reason. All memory is from the arena. */
bool usdt_def_parse(struct usdt_defs *d, struct arena *a, const char *text);
/* Writes the header; its guard is made from the file's name. */
void usdt_def_header(const struct usdt_defs *d, const char *file, struct buf *out);
/* Writes a relocatable ELF64 object for this machine: a zeroed 16-bit word PROVIDER_PROBE_semaphore
 * for each probe, in the section .probes. */
void usdt_def_object(const struct usdt_defs *d, u16 elf_machine, struct buf *out);

#endif
