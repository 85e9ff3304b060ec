/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event sources. A provider parses a probe spec, lists what exists, describes arguments and
 * resolves to sites; it never attaches (engines attach site kinds) and never prints. One file per
 * provider, one row in index.h.
 *
 *	spec_parse("tracepoint:sched:sched_*")  -> struct spec
 *	provider->resolve(spec)                 -> targets: each a probe name, a profile, a site
 *
 * Targets whose profiles are the same layout (same profile pointer or profile_equal()) share one
 * compiled program.
 */
#ifndef SONDE_PROVIDER_H
#define SONDE_PROVIDER_H

#include "base/diag.h"
#include "base/err.h"
#include "lang/ast.h"
#include "type/features.h"
#include "type/loc.h"
#include "type/site.h"

struct btf;
struct kallsyms;
struct provider;
struct provider_env;

struct target {
	struct site site;
	struct profile *profile;
	/* One attachment that serves several probes (system call wildcards): their names. Then
	 * profile->syscall_site holds indexes into this list. NULL: the site's own name is all. */
	const char *const *covered;
	u32 n_covered;
	bool is_part; /* of a probe that another target has counted: one more ret of a function */
};

/* A probe as written, split. */
struct spec {
	const struct provider *provider;
	const struct attach *attach; /* span for messages; may be NULL when listing */
	const char *text;            /* whole, unquoted */
	/* "tracepoint", "sched", "sched_*": part[0] as written; quotes removed */
	const char *part[8];
	u32 n_parts, n_parts_written; /* without an empty end, and with it */
};

/* What the clauses of a script read, all together: probes of different clauses on one function are
 * placed alike, so that they fire in the order of the script. */
struct script_reads {
	u32 argn;    /* bit N: argN */
	bool record; /* args.NAME, vars.NAME */
	bool regs, ctx, stack;
	bool args;    /* any of them, or the result */
	bool returns; /* a clause is on returns for which the kernel replaces the return address */
};

/* What one clause mentions. */
struct clause_reads {
	bool args;   /* args, argN or retval: layouts matter */
	bool result; /* retval */
	bool name;   /* probe or func */
	bool stack;  /* kstack or ustack */
	bool record; /* argstr: the event's record as it is */
	bool typed;  /* a builtin that needs pointers that verifiers know by type */
	bool goid;
	u32 n_attaches; /* attach points of the clause */
	/* Names after "args." if all are known: then patterns that match many probes differ by
	 * these alone, and share programs. NULL: not known, or the whole record is used; non-NULL
	 * and n 0: only argN or retval. */
	const char *const *arg_names;
	u32 n_arg_names;
	const char *const *var_names; /* the same, after "vars." */
	u32 n_var_names;
};

/* How probes are attached where there is a choice. */
struct attach_choice {
	bool prefer_raw; /* the cheapest attachment that gives the same result (default true) */
	/* BTF lists names that the kernel has as name.isra.0 only: do not rely on it */
	bool by_kallsyms;
	/* Events of system calls are perf events of their own; else they share the raw tracepoint,
	 * and why if it matters. */
	bool calls_by_perf;
	const char *calls_why;
	/* why a kprobe is not attached as a trampoline, for -v; NULL: it may be */
	const char *kprobe_only;
};

/* Of struct config. */
struct probe_config {
	bool exact_uprobes;
	u32 missing_probes;
	u32 max_targets; /* max_probes */
	u32 max_strlen;  /* capacity of strings of unknown length; 0: 1024 */
};

/* Of the run's options. */
struct probe_run {
	s32 pid;          /* -p, or -1 */
	bool child_alone; /* -c without --follow: what is bound to a process is bound to that one */
	bool unsafe;
	bool any_kernel; /* compile only: what is missing here may exist on another kernel */
};

/* Access to the system, opened on first need. */
struct probe_system {
	struct features *features;
	struct btf *(*btf)(struct provider_env *env); /* NULL: the kernel has none */
	void *ctx;                                    /* the caller's, for btf() */
	struct kallsyms *ksyms;                       /* the caller's, or own_ksyms */
	bool own_ksyms;                               /* provider_env_release() frees ksyms */
};

/* The environment that a probe is resolved in; one per clause. */
struct provider_env {
	struct arena *arena;
	struct diags *diags; /* NULL when listing */
	struct probe_system system;
	struct probe_run run;
	struct probe_config config;
	struct attach_choice attach;
	struct clause_reads clause;
	struct script_reads script;
	struct script_reads kernel_script; /* of clauses on kernel functions alone */
};

typedef int (*target_fn)(void *ctx, struct target *t); /* non-zero stops */
typedef int (*list_fn)(void *ctx, const char *probe, const struct profile *profile /* or NULL */);

/* What the attach points of a script ask of system calls, all together. */
struct call_events {
	u32 n;           /* events by name */
	const char *raw; /* why not all of them can be perf events, or NULL */
	bool reads_args; /* the clause does */
};

enum probe_mode { MODE_TEST = 1, MODE_BENCH = 2 };

struct provider {
	const char *name; /* "tracepoint" */
	/* "t" or "t TRACEPOINT", space separated; case-insensitive for names */
	const char *aliases;
	const char *syntax; /* "tracepoint:CATEGORY:EVENT" */
	const char *brief, *doc, *example;
	const char *work, *output; /* of the example, as in struct builtin */
	bool varies;
	const char *old_names;    /* accepted with a note: "kfunc" */
	u32 min_parts, max_parts; /* including the provider's name */
	const char *empty;        /* what is said when the last part is empty; may be NULL */
	const char *takes; /* how many parts behind the name there can be, for messages: "1 or 2" */
	s16 feature;       /* enum feature it needs + 1, or 0 */
	s16 feature_instead; /* one that will do as well, + 1, or 0 */
	/* Calls f for each match. Reports no match, bad syntax, no privilege … through env->diags
	 * at spec->attach->span with a suggestion, and returns -errno then; else the number of
	 * targets. */
	int (*resolve)(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx);
	/* Lists probes that match the pattern spec ("*" parts); verbose: profiles are filled in
	 * (-lv). */
	/*
	 * Files that come later may hold more of the spec's probes: the pattern of their paths
	 * ("*": every program; without wildcards the name of one binary), or NULL. A pattern that
	 * matches nothing yet gives a target that says site.is_deferred, with a profile that stands
	 * for those. resolve_file() resolves in one such file; open_path is how it can be opened
	 * now.
	 */
	const char *(*deferred)(struct provider_env *env, const struct spec *spec);
	int (*resolve_file)(struct provider_env *env, const struct spec *spec, const char *path,
			    const char *open_path, target_fn f, void *ctx);
	int (*list)(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		    void *ctx);
	/* Adds what an attach point, as it is written, asks of system calls. NULL: nothing. */
	void (*calls)(struct arena *a, const char *text, struct call_events *to);
	/* For SITE_KPROBE etc. with a pid filter: the engine injects it when false. */
	bool in_libraries; /* "*" of deferred() means libraries as well as programs */
	bool bound_to_pid; /* -p attaches to the pid itself */
	u32 mode;          /* enum probe_mode: only with that option; 0: always */
	bool unfiltered;   /* interval, begin, end: -p does not filter */
	/* uretprobe: the kernel puts an address of its own in place of the return address */
	bool replaces_return;
	/* kprobe, kretprobe: attached as fentry or fexit where that answers the same */
	bool may_be_trampoline;
};

extern const struct provider *const providers[]; /* NULL-terminated */

/* Splits and finds the provider; reports D_UNKNOWN_PROBE etc. NULL after reporting. */
struct spec *spec_parse(struct provider_env *env, const struct attach *attach);
const struct provider *provider_find(const char *name);
/* For checking a clause whose probe is not on this system: everything that some probe has. */
struct profile *profile_unseen(struct provider_env *env, const char *why);
bool profile_equal(const struct profile *a, const struct profile *b);
/* Closes what resolving opened (not what the caller gave). */
void provider_env_release(struct provider_env *env);
/* All providers that match a -l pattern. Returns the number listed or -errno. */
int probes_list(struct provider_env *env, const char *pattern, bool verbose, list_fn f, void *ctx,
		struct err *err);

/* Whether helpers of programs come by with a lock held that other programs want, as far as its name
 * tells. */
bool site_is_in_helpers(const struct site *s);

#endif
