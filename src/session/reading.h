/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What clauses mention, before names are resolved: it decides attachments and layouts of
 * arguments. */
#ifndef SONDE_SESSION_READING_H
#define SONDE_SESSION_READING_H

#include "session/session.h"

/* Of one clause, and the functions and macros that it may call. */
struct reading {
	u32 argn; /* bit N: argN */
	const struct env *env;
	struct arena *arena;
	u32 flags;
	VEC(const char *) args;           /* names after "args." */
	VEC(const char *) vars;           /* names after "vars." */
	bool reads_sp, reads_regs;        /* by reg(): the stack pointer, others */
	bool whole;                       /* args itself, argstr or record(): all names matter */
	bool whole_args;                  /* args itself */
	bool names_types;                 /* perhaps: of the program or the kernel */
	const struct function *functions; /* of the script */
	u32 depth;                        /* of calls: recursion is refused later */
};

void reading_of_clause(struct compiled *c, struct clause *clause, struct reading *r);
/* All clauses together: c->reads, c->kernel_reads, c->kprobe_only, c->call_events. */
void reading_of_script(struct compiled *c);

#endif
