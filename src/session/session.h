/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run: compile, load, attach, drain, act, detach. Both the command line and the C API call
 * this; it prints only through the sink and returns errors to the caller.
 */
#ifndef SONDE_SESSION_H
#define SONDE_SESSION_H

#include <regex.h>
#include "base/err.h"
#include "base/hash.h"
#include "ir/ir.h"
#include "lang/lang.h"
#include "provider/provider.h"
#include "trace/sink.h"

/* Exit statuses: the command line or the script is wrong; the system refused. */
enum { STATUS_WRONG = 1, STATUS_REFUSED = 255 };
enum stage { STAGE_NONE, STAGE_AST = 1, STAGE_IR = 2, STAGE_BPF = 4, STAGE_ASM = 8 };

struct session_options {
	const char *script_name; /* "stdin" for -e and - */
	const char *script;
	size_t script_len;
	const char *const *params;
	u32 n_params;
	const char *const *named; /* "--name=value" words after -- */
	u32 n_named;
	s32 pid;             /* -p, or -1 */
	const char *command; /* -c, or NULL */
	bool follow, unsafe, dry_run, no_warnings, extra_warnings, verbose;
	const char *engine; /* the one to use, by name; NULL: chosen for each site */
	/* instead of all that there are: NULL-terminated, or NULL */
	const struct engine *const *engines;
	u64 redraw_ns;       /* sonde top: how often maps are shown; 0: at the end alone */
	u64 duration_ns;     /* the run ends then, counted from when all is attached; 0: no limit */
	bool redraw_anew;    /* ... and aggregations begin again each time */
	u32 mode;            /* enum probe_mode set: test: and bench: probes that are run */
	u32 dump;            /* enum stage set: print and stop before loading */
	const char *no_pass; /* --no-pass */
	struct sink *sink;
	const struct builtin_theme *const *themes;
	const char *probe_filter;
	bool diag_json, color;
	const char *const *include_dirs,
		*const *includes; /* -I, --include: NULL-terminated, or NULL */
	/* Where imports come from; NULL: from files, beside the script. */
	void (*read_import)(struct env *env, const char *from, const char *path,
			    struct import_source *found);
	/* what stood in for a kprobe was refused: this time no trampoline does, nor a name of
	 * BTF */
	bool no_substitutes;
	/* verifiers could not follow a program: this time all are made to be followed easily */
	bool compact;
	/* each program does without the others: whoever loads an object file attaches them */
	bool no_dispatch;
	bool any_kernel; /* compile only: assume no particular kernel and no privilege (check) */
};

struct btf;
struct engine;
struct kallsyms;

/* What is asked about the system, opened when it is first needed. */
struct system_access {
	struct arena *arena;
	struct btf *btf;
	struct kallsyms *kallsyms, *kallsyms_before;
	struct tracer_frames *tracer_frames; /* NULL until it is asked for */
	bool btf_tried, pid_ns_asked;
	u64 pid_ns_dev, pid_ns_ino;
};

struct target_site {
	struct site site;
	u32 func;
	u32 engine;    /* index in compiled.engines: choose.c */
	u32 n_covered; /* probes that this attachment stands for */
};

/* A probe that files may have which come later. */
struct deferred_probe {
	struct provider_env *env;
	const struct spec *spec;
	const char *pattern;
	u32 first, end; /* the instances of its clause */
	/* whoever opens such a file waits; else it replaces one that is probed already */
	bool holds;
	bool libraries;  /* files that are loaded, not only those that are executed */
	bool reads_name; /* the clause asks which site it is */
	/* the clause asks for what debug information names: no two files share a program */
	bool names_args;
	struct clause *clause;
	VEC(u32) more; /* instances made for layouts that were met while it ran */
	VEC(const struct profile *) unfit; /* layouts that the clause does not go with: said once */
};

/* A script compiled for the engines that will run it. */
struct compiled {
	/* that may be used, the one whose features resolve probes first */
	const struct engine *const *engines;
	u32 n_engines;
	/* of the first; those that all of them have are env.features, for programs */
	struct features *features;
	struct system_access system;
	struct arena arena;
	struct intern names;
	struct sources sources;
	struct diags diags;
	struct env env;
	struct lang lang;
	struct program prog;
	struct hash site_numbers;         /* name and function of a site -> its number + 1 */
	VEC(struct instance *) instances; /* instances.v[i] is funcs.v[i] */
	VEC(struct instance *)
	unseen; /* of clauses that have none of those: for the types of maps */
	VEC(struct ir_unit *) units;
	VEC(struct target_site) sites;
	struct script_reads reads,
		kernel_reads; /* of all clauses, and of those on kernel functions */
	struct call_events call_events;
	const char *kprobe_only;             /* of struct provider_env */
	VEC(struct deferred_probe) deferred; /* deferred.c */
	regex_t *filter;                     /* --probe-filter, or NULL */
	u32 left_out;                        /* enum probe_mode: probes of another kind of run */
	u32 n_probes;                        /* as "Attached N probes" counts them */
	u32 follow_map;                      /* set of followed processes, or NO_INDEX */
	u64 compile_ns;
	u8 *is_long; /* by instance: verifiers would follow it for long; NULL: none of them */
};

/* 0: ready to load. 1: the script is wrong, diagnostics are in c->diags. -errno: the system
 * refused. */
int session_compile(struct compiled *c, const struct session_options *o, struct err *err);
/* The exit status for what session_compile() returned. */
int session_status(const struct compiled *c, int rc);
void compiled_release(struct compiled *c);

/* Everything. Returns the exit status (0, exit(N), 1, 255); err says why at 255. */
int session_run(const struct session_options *o, struct err *err);

#endif
