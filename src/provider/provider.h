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
#include "type/request.h"
#include "type/site.h"

struct btf;
struct kallsyms;
struct provider;
struct provider_env;
struct recorded_kernel;

struct target {
	struct site site;
	struct profile *profile;
	/* One attachment that serves several probes (system call wildcards): their names. Then
	 * profile->syscall.site holds indexes into this list. NULL: only the site's own name. */
	const char *const *covered;
	u32 n_covered;
	/* part of a probe that another target counts: a further ret of a function */
	bool is_part;
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

/* The union of what the clauses of a script read. Probes of different clauses on one function get
 * the same address, so that they fire in the order of the script. */
struct script_reads {
	u32 argn;    /* bit N: argN */
	bool record; /* args.NAME, vars.NAME */
	bool regs, ctx, stack;
	bool sp;       /* reg("sp"): the only register that is known wherever the probe is */
	bool args;     /* any arguments, or the result */
	bool returns;  /* a clause is on returns for which the kernel replaces the return address */
	bool followed; /* followed(): the set of --follow holds threads */
};

/* What one clause uses. */
struct clause_reads {
	bool args;   /* args, argN or retval: layouts matter */
	bool result; /* retval */
	bool name;   /* probe or func */
	bool stack;  /* kstack or ustack */
	bool record; /* argstr: the unmodified record of the event */
	bool typed;  /* a builtin needs pointers whose type verifiers track */
	bool goid;
	bool names_types; /* perhaps: those of the program */
	bool is_large;    /* compiling it costs more than a cookie at each event */
	u32 n_attaches;   /* attach points of the clause */
	u32 number;       /* of the clause in the script */
	/* Names after "args." if all are known: then probes of a pattern only differ in these, and
	 * can share programs. NULL: not known, or the whole record is used; non-NULL and n 0: only
	 * argN or retval. */
	const char *const *arg_names;
	u32 n_arg_names;
	/* The same of a system call, whose argstr has nothing to do with args. */
	const char *const *call_args;
	u32 n_call_args;
	const char *const *var_names; /* the same, after "vars." */
	u32 n_var_names;
};

/* How probes are attached if there is a choice. */
struct attach_choice {
	bool records;    /* tracepoints of sonde.h write records into rings of the process of -p */
	bool prefer_raw; /* the cheapest attachment that gives the same result (default true) */
	/* do not rely on BTF: it lists names of which the kernel only has name.isra.0 */
	bool by_kallsyms;
	/* Each system call has its own perf event; otherwise they share the raw tracepoint.
	 * calls_why: the reason, if it matters. */
	bool calls_by_perf;
	const char *calls_why;
	/* why a kprobe is not attached as a trampoline, for -v; NULL: it may */
	const char *kprobe_only;
};

/* Of struct config. */
struct probe_config {
	bool exact_uprobes;
	u32 missing_probes;
	u32 max_targets; /* max_probes */
	u32 max_strlen;  /* capacity of strings of unknown length; 0: 1024 */
	u32 argstr_bytes;
	bool argstr_rest, argstr_whole;
};

/* Access to the system, opened on first use. */
struct probe_system {
	struct features *features;
	struct btf *(*btf)(struct provider_env *env); /* NULL: the kernel has none */
	void *ctx;                                    /* the caller's, for btf() */
	struct kallsyms *ksyms;                       /* the caller's, or own_ksyms */
	bool own_ksyms;                               /* provider_env_release() frees ksyms */
	const struct recorded_kernel *recorded; /* events of a recording; NULL: of this kernel */
};

/* The environment in which a probe is resolved; one per clause. */
struct provider_env {
	struct arena *arena;
	struct diags *diags; /* NULL when listing */
	struct probe_system system;
	const struct request *request;
	struct probe_config config;
	struct attach_choice attach;
	struct clause_reads clause;
	u32 script_id; /* of struct env */
	struct script_reads script;
	struct script_reads kernel_script; /* of clauses on kernel functions alone */
};

/* The only process of -p, or -1. */
static inline s32 env_pid(const struct provider_env *env)
{
	return traced_pid(&env->request->traced);
}

/* Binds a site to one process: that of -p or, with an engine for processes, the command of -c. */
static inline void env_bind(const struct provider_env *env, struct site *s)
{
	s->pid = env_pid(env);
	s->is_of_command = env->attach.records && env->request->traced.command && s->pid < 0;
	if (s->is_of_command)
		s->pid = 0;
}

typedef int (*target_fn)(void *ctx, struct target *t); /* non-zero stops */
typedef int (*list_fn)(void *ctx, const char *probe, const struct profile *profile /* or NULL */);

/* The system call events that a script's attach points need. */
struct call_events {
	u32 n;           /* events by name */
	const char *raw; /* why not all of them can be perf events, or NULL */
	bool reads_args; /* the clause reads their arguments */
};

enum probe_mode { MODE_TEST = 1, MODE_BENCH = 2 };

struct provider {
	const char *name; /* "tracepoint" */
	/* "t" or "t TRACEPOINT", separated by spaces; matched without regard to case */
	const char *aliases;
	const char *syntax; /* "tracepoint:CATEGORY:EVENT" */
	const char *brief, *doc, *example;
	const char *work, *output; /* of the example, as in struct builtin */
	bool varies;
	const char *old_names;    /* accepted with a note: "kfunc" */
	u32 min_parts, max_parts; /* including the provider's name */
	const char *empty;        /* the message if the last part is empty; may be NULL */
	const char *takes; /* the allowed number of parts after the name, for messages: "1 or 2" */
	s16 feature;       /* the enum feature that it needs, + 1; 0: none */
	s16 feature_instead; /* an alternative to feature, + 1; 0: none */
	/*
	 * Calls f for each match. Returns the number of targets, or -errno after a report through
	 * env->diags at spec->attach->span: no match, bad syntax, missing privilege.
	 */
	int (*resolve)(struct provider_env *env, const struct spec *spec, target_fn f, void *ctx);
	/*
	 * The pattern of the paths of files that may appear during the run and have probes of the
	 * spec: "*" is every program, a path without wildcards one binary, NULL none. A pattern
	 * without a match now gives a target with site.is_deferred and a placeholder profile.
	 * resolve_file() resolves the spec in one such file; open_path is the path to open now.
	 */
	const char *(*deferred)(struct provider_env *env, const struct spec *spec);
	int (*resolve_file)(struct provider_env *env, const struct spec *spec, const char *path,
			    const char *open_path, target_fn f, void *ctx);
	/* Lists the probes that match spec, whose parts may be patterns; verbose (-lv): with their
	 * profiles. */
	int (*list)(struct provider_env *env, const struct spec *spec, bool verbose, list_fn f,
		    void *ctx);
	/* Adds the system call events that the attach point `text` needs. NULL: none. */
	void (*calls)(struct arena *a, const char *text, struct call_events *to);
	bool argn_is_all;  /* a probe has as many argN as it has arguments */
	bool in_libraries; /* "*" of deferred() includes libraries */
	bool bound_to_pid; /* -p attaches to the process itself */
	u32 mode;          /* enum probe_mode: only with that option; 0: always */
	bool unfiltered;   /* interval, begin, end: -p does not filter */
	bool is_replayed;  /* --from: its events are in recordings, or follow their clock */
	/* uretprobe: the kernel replaces the return address */
	bool replaces_return;
	/* kprobe, kretprobe: attached as fentry or fexit if the result is the same */
	bool may_be_trampoline;
};

extern const struct provider *const providers[]; /* NULL-terminated */

/* Splits an attach point and finds its provider. NULL after a report (D_UNKNOWN_PROBE and
 * others). */
struct spec *spec_parse(struct provider_env *env, const struct attach *attach);
const struct provider *provider_find(const char *name);
/* The provider of an attach point's text, "kprobe:vfs_read"; NULL: it begins with none. */
const struct provider *provider_of(const char *text);
/* Whether it is TYPE:..., a probe of the language, and not SYSTEM:NAME, an event of tracefs. */
bool probe_has_type(const char *text);
/* recorded_probe.c: the events that a script recorded for such probes (type/noted.h), as
 * provider.resolve(). False: none, and this is not the recorded script, whose other probes may have
 * had no hits. */
bool recorded_probe_resolve(struct provider_env *env, const struct spec *spec, target_fn f,
			    void *ctx);
/* A profile with everything that any probe has, for checking a clause whose probe this system
 * lacks. */
struct profile *profile_unseen(struct provider_env *env, const char *why);
bool profile_equal(const struct profile *a, const struct profile *b);
/* Closes what was opened by resolving, but not the caller's objects. */
void provider_env_release(struct provider_env *env);
/* Lists the probes of all providers that match a -l pattern. Returns their number, or -errno. */
int probes_list(struct provider_env *env, const char *pattern, bool verbose, list_fn f, void *ctx,
		struct err *err);

/* ---- perf_events.c: the events of hardware: and software:, for commands that count them */
/* Stores type and config of struct perf_event_attr. False: no event has that name. */
bool perf_event_find(struct arena *a, const char *name, u32 *type, u64 *config);
/* The probe "software:page-faults:1" of such a name, hit each time that it counts; of clocks each
 * ms, of the processor's events at the default period. NULL: no event has that name. */
const char *perf_event_probe(struct arena *a, const char *name);
/* The most similar name, or NULL. */
const char *perf_event_near(struct arena *a, const char *name);

/* Whether BPF helpers may run the site's function while they hold a lock that other programs need,
 * judged by its name. */
bool site_is_in_helpers(const struct site *s);

#endif
