/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of session_compile() that have their own files. */
#ifndef SONDE_SESSION_COMPILE_H
#define SONDE_SESSION_COMPILE_H

#include "session/session.h"

/* compile.c: session_compile() for a later attempt. */
int session_compile_again(struct compiled *c, const struct request *q, const struct session_host *h,
			  struct attempt attempt, struct err *err);

/* compat.c: fills in how to recognize 32-bit calls, from BTF. */
void compat_fill(struct compiled *c, struct profile *p);

enum {
	MOST_JUMPS = 30
}; /* one after another; the kernel follows 33 tail calls: MAX_TAIL_CALL_CNT */

/* dispatch.c: several instances on the tracepoint of all system calls become one attachment; before
 * lowering. */
void dispatch_instances(struct compiled *c);
/* The map, of n programs, that instances jump by. */
u32 jump_table(struct compiled *c, const char *name, u32 n);

/* chain.c: of more instances at one place than the engine attaches, some are jumped to; before
 * lowering. */
void chain_instances(struct compiled *c);

/* pair.c: which entries and returns of kernel functions may be one program; before lowering. */
void pair_instances(struct compiled *c);

/*
 * resolve.c: adds the instances of a clause; internal: added by sonde, not written in the script.
 */
void resolve_clause(struct compiled *c, struct clause *clause, bool internal);
/* resolve.c: whether the request leaves out functions of this name. */
bool resolve_leaves_out(const struct request *q, const char *func);
/* keepers.c: adds the clauses that keep arguments of system calls for the return (profile.kept). */
void keepers_add(struct compiled *c);
/* where.c: adds a condition, the expression `where` or NULL, to each clause of the script. False
 * after a report. */
bool where_add(struct compiled *c, const char *where);
/* Whether the run has a set of what is followed. */
static inline bool follow_has_set(const struct compiled *c)
{
	const struct traced *t = &c->request->traced;

	return traced_by_set(t) || (c->reads.followed && t->n_pids);
}

/* follow_clauses.c: adds the clauses that maintain the set of followed processes, and makes all
 * instances test it. */
void follow_add_clauses(struct compiled *c);
/* Before lowering: the map of those clauses is the internal set, not a map of the script. */
void follow_bind_set(struct compiled *c);

/* resolve.c: numbers a site: as an earlier one of the same name in the same function; by_place:
 * with a number of its own, for which its address is noted. */
void resolve_site(struct compiled *c, struct site *s, bool by_place);
/* resolve.c: whether its clause serves only processes without code of an engine (struct
 * probe_choice). */
bool instance_is_elsewhere(const struct compiled *c, const struct instance *in);
/* resolve.c: one more instance of a clause, for targets of t's layout. t has its number. */
struct instance *resolve_instance(struct compiled *c, struct clause *clause,
				  const struct provider *provider, const struct target *t);
/* guard.c: sets instance.guarded; before lowering. */
void guard_instances(struct compiled *c);
/* instance.c: adds the function of an instance to prog.funcs. 0; 1: diagnostics say why not;
 * -errno. */
int emit_instance(struct compiled *c, struct instance *in, struct err *err);
/* Runs our verifier on it. A refusal is a bug in sonde, reported at the user's line. Returns as
 * emit_instance(). */
int instance_verify(struct compiled *c, const struct instance *in, struct err *err);
/* Both, for an instance that comes after the others. */
int compile_instance(struct compiled *c, struct instance *in, struct err *err);

/* kernel_filter.c: site.event.filter of the engine's sites, of checked predicates. */
void kernel_filters_set(struct compiled *c);

/* unrecorded.c: reports what the engine cannot answer in the code of an instance, and stores in
 * c->fetches what it fetches; index: of the instance. */
void unrecorded_report(struct compiled *c, const struct ir_unit *u, u32 prog_type, u32 index);

/* long_keys.c: the first map whose key is longer than the kernel allows (MAX_BPF_STACK), or
 * NULL. */
const struct map_desc *long_key(const struct compiled *c);
void refuse_long_keys(struct compiled *c);

/*
 * deferred_compile.c: the clause for a layout that was not known when the script was compiled, with
 * the maps as they are. Gives the number of the function, or -EINVAL with the reason in err and
 * nothing changed.
 */
int deferred_compile(struct compiled *c, const struct deferred_probe *l, const struct target *t,
		     struct err *err);

#endif
