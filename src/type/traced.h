/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that a run traces, as given by the user. */
#ifndef SONDE_TYPE_TRACED_H
#define SONDE_TYPE_TRACED_H

#include "base/base.h"

/*
 * Which events of user and kernel belong to a run:
 *
 *			no -p, no command	-p PID[,PID]		a command
 *	SCOPE_SCRIPT	all of the machine	these processes		all: bpftrace's -c filters nothing
 *	SCOPE_OWN				these processes		its process
 *	SCOPE_TREE				these processes, their	its process and its descendants
 *						threads and descendants
 *	SCOPE_EVENTS				the same, and the events of the engine are of these alone
 *
 * Probes that no process causes (interval, begin, end) always belong to it.
 */
enum traced_scope { SCOPE_SCRIPT, SCOPE_OWN, SCOPE_TREE, SCOPE_EVENTS };

/* As whom a command runs. */
struct traced_user {
	u32 uid, gid, n_groups, groups[64];
};

/* All 0: the whole machine. */
struct traced {
	const u32 *pids; /* the run ends when none of them is left, nor the command */
	u32 n_pids;
	/* Words as a shell would split them. It is started when all probes are attached; the run
	 * ends with it and the pids. NULL: none. */
	const char *command;
	/* A command that is not traced: the run starts it, and ends with it at the latest. */
	const char *timer;
	const struct traced_user *user; /* of the command; NULL: ours */
	enum traced_scope scope;
	/* An expression of the language that each clause has as a further condition, or NULL. */
	const char *where;
	/* User-space probes are put into these processes alone: no other one carries a breakpoint.
	 * Only where a set of processes is traced. */
	bool alone;
	/* The command is stopped while the rings of its events are rather full. Only with a
	 * command. */
	bool lossless;
	/* A process that runs programs itself waits for room in its rings, a second at most, rather
	 * than lose a record. */
	bool waits;
	/* Code in a process serves its children, too, which fork() copies it to. */
	bool in_children;
};

/* The only process that was named, or -1. */
static inline s32 traced_pid(const struct traced *t)
{
	return t->n_pids == 1 ? (s32)t->pids[0] : -1;
}

/* Whether the programs ask a set of processes (session/follow_clauses.c), because a single number
 * does not do. */
static inline bool traced_by_set(const struct traced *t)
{
	return t->scope != SCOPE_EVENTS &&
	       (t->scope == SCOPE_TREE || t->n_pids > 1 || (t->scope == SCOPE_OWN && t->command));
}

#endif
