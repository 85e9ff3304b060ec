/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of compilation that are not the pass list itself. */
#ifndef SONDE_SESSION_STAGE_H
#define SONDE_SESSION_STAGE_H

#include "session/session.h"

/* All of them: for looking at a script without a kernel to run it. */
struct features *stage_all_features(void);
/* A path as written in the file `from`: relative to that file's folder. The caller frees it. */
char *stage_join_path(const char *from, const char *path);
void stage_read_import(struct env *env, const char *from, const char *path,
		       struct import_source *found);
/* "kprobe:vfs_read", 1 -> "kprobe_vfs_read_1" */
const char *stage_func_name(struct arena *a, const char *probe, u32 index);
/* Fills in how 32-bit calls are told apart, from BTF. */
void stage_compat(struct compiled *c, struct profile *p);

/* dispatch.c: several instances on the tracepoint of all system calls become one attachment; before lowering. */
void stage_dispatch(struct compiled *c, const struct session_options *o);

/* pair.c: which entries and returns of kernel functions may be one program; before lowering. */
void stage_sessions(struct compiled *c);

/* resolve.c: adds the instances of a clause; internal: of ours, not of the script. */
void resolve_clause(struct compiled *c, const struct session_options *o, struct clause *clause,
		    bool internal);
/* Adds the clauses that keep arguments of system calls for the return (profile.kept). */
void stage_keep(struct compiled *c, const struct session_options *o);
/* Adds the clauses that keep the set of followed processes, and lets all instances ask it. */
void stage_follow(struct compiled *c, const struct session_options *o);
/* Before lowering: the map of those clauses is the internal set, not a map of the script. */
void stage_bind_follow(struct compiled *c);

/* resolve.c: the number of a site: that of an earlier one of the same name in the same function. */
u32 resolve_site(struct compiled *c, const char *probe, const char *func);
/* resolve.c: one more instance of a clause, for targets of t's layout. t has its number. */
struct instance *resolve_instance(struct compiled *c, const struct session_options *o,
				  struct clause *clause, const struct provider *provider,
				  const struct target *t);
/* compile.c: lowers, emits and checks it: it is the last of prog.funcs then. 0; 1: diagnostics say why not; -errno. */
int compile_back(struct compiled *c, const struct session_options *o, struct instance *in,
		 struct err *err);

/*
 * deferred_compile.c: the clause for a layout that was not known when the script was compiled, with the maps as they are.
 * Gives the number of the function, or -EINVAL with the reason in err and nothing changed.
 */
int deferred_compile(struct compiled *c, const struct session_options *o, const struct deferred_probe *l,
		 const struct target *t, struct err *err);

#endif
