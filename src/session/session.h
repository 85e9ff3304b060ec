/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run: compile, load, attach, drain, act, detach. It prints only through the sink and returns
 * errors to the caller.
 */
#ifndef SONDE_SESSION_H
#define SONDE_SESSION_H

#include <regex.h>
#include <sys/resource.h>
#include "base/err.h"
#include "base/hash.h"
#include "ir/ir.h"
#include "lang/lang.h"
#include "provider/provider.h"
#include "target/target.h"
#include "trace/sink.h"
#include "type/fetch.h"
#include "type/request.h"

/* Exit statuses: the command line or the script is wrong; the system refused. */
enum { STATUS_WRONG = 1, STATUS_REFUSED = 255 };

/* What goes on beside the script for as long as it runs: the counters of sonde stat. */
struct beside {
	void *ctx;
	/* All is attached; child, the command of -c, waits for its start (0: there is none). 0, or
	 * -errno, which ends the run. */
	int (*begin)(void *ctx, s32 child, struct err *err);
	void (*over)(void *ctx);  /* the run is over: right away */
	int fd;                   /* -1: none */
	void (*ready)(void *ctx); /* fd is readable; the maps have been shown before */
	struct rusage *usage;     /* of the command, when it has ended; or NULL */
	bool keeps_maps;          /* ready() is called without that the maps are shown */
};

/* What runs a request is provided with: by cli, or by a test. */
struct session_host {
	struct sink *sink; /* NULL: compile only */
	const struct builtin_theme *const *themes;
	/* the engines to choose from, NULL-terminated; NULL: all */
	const struct engine *const *engines;
	/* Reads imports; NULL: from files relative to the script. */
	void (*read_import)(struct env *env, const char *from, const char *path,
			    struct import_source *found);
	int *wait_status;            /* set when the command has ended, as by waitpid(2); or NULL */
	const struct beside *beside; /* NULL: nothing */
};

/* A run restarts if the kernel refuses the first attempt. */
struct attempt {
	/* A substitute for a kprobe was refused: no trampolines and no names of BTF are used. */
	bool no_substitutes;
	/* A verifier gave up: all programs are compiled in the compact form. */
	bool compact;
	/* A verifier does not trust an argument of a raw tracepoint, although BTF has its type. */
	bool no_direct_loads;
	bool has_started; /* set by the run: it is not tried again */
	/* Of a clause with many instances only one is compiled: what no kernel loads ends it. */
	bool sample;
};

struct btf;
struct engine;
struct kallsyms;
struct recorded_kernel;

/* Access to the system; each part is opened on first use. */
struct system_access {
	struct arena *arena;
	struct btf *btf;
	struct kallsyms *kallsyms, *kallsyms_before;
	struct tracer_frames *tracer_frames; /* NULL until first needed */
	bool btf_tried, pid_ns_asked;
	u64 pid_ns_dev, pid_ns_ino;
};

struct target_site {
	struct site site;
	u32 func;
	u32 engine;    /* index in compiled.engines: choose.c */
	u32 n_covered; /* probes that this attachment serves */
};

/* A probe in files that may appear during the run. */
struct deferred_probe {
	struct provider_env *env;
	const struct spec *spec;
	const char *pattern;
	u32 first, end; /* the instances of its clause */
	/* A process that opens such a file is held; else the file replaces one that has probes. */
	bool holds;
	bool libraries;  /* libraries as well as programs */
	bool reads_name; /* the clause reads the name of the site */
	bool reads_file; /* ... and where in its file it is */
	/* the clause reads names from debug information: each file has its own program */
	bool names_args;
	struct clause *clause;
	VEC(u32) more; /* instances for layouts that appeared during the run */
	/* layouts that the clause cannot be compiled for: each is reported once */
	VEC(const struct profile *) unfit;
};

/* A script, compiled for the engines that run it. */
struct compiled {
	struct fetch_table fetches;
	const struct request *request;
	const struct session_host *host;
	struct attempt attempt;
	/* the engines that may be used; the features of the first one resolve probes */
	const struct engine *const *engines;
	u32 n_engines;
	/* of the first engine; env.features, for programs, are those of all engines */
	struct features *features;
	const struct recorded_kernel *recorded; /* events of --from; NULL: those of this kernel */
	struct system_access system;
	struct arena arena, scratch; /* scratch: prog.scratch */
	struct intern names;
	struct sources sources;
	struct diags diags;
	struct env env;
	struct lang lang;
	struct program prog;
	struct hash site_numbers; /* name and function of a site -> its number + 1 */
	struct hash probe_owners; /* request.probes.once: name of a probe -> its struct attach */
	VEC(struct instance *) instances; /* instances.v[i] is funcs.v[i] */
	VEC(struct instance *)
	unseen;                      /* of clauses that have none of those: for the types of maps */
	VEC(struct ir_unit *) units; /* -d ir; else none is kept: */
	struct arena ir;             /* of the unit of one instance */
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
	struct target_walks walks; /* what estimates followed */
	bool is_sample;            /* instances were left out, see struct attempt */
	/* instances have no copy of their clause yet: a sample is not chosen yet */
	bool has_no_code;
	u8 *is_long; /* by instance: verifiers would follow it for long; NULL: none of them */
};

/* q and h are borrowed until compiled_release(). 0: ready to load. 1: the script is wrong,
 * diagnostics are in c->diags. -errno: the system refused. */
int session_compile(struct compiled *c, const struct request *q, const struct session_host *h,
		    struct err *err);
/* The exit status for what session_compile() returned. */
int session_status(const struct compiled *c, int ret);
void compiled_release(struct compiled *c);

/* A whole run. Returns the exit status (0, exit(N), 1, 255); at 255 err holds the reason. */
int session_run(const struct request *q, const struct session_host *h, struct err *err);

#endif
