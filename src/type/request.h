/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's request. cli parses the command line into one of these; all rooms below read the
 * same one. All 0: the script, with the defaults, over the whole machine.
 */
#ifndef SONDE_TYPE_REQUEST_H
#define SONDE_TYPE_REQUEST_H

#include "base/hash.h"
#include "type/traced.h"

struct noting;

/* Of "--NAME=VALUE" after "--": an option of the script, which reads it by getopt(). */
struct script_arg {
	const char *name, *value; /* value NULL: none was given */
};

/* Printed instead of a run. */
enum stage { STAGE_NONE, STAGE_AST = 1, STAGE_IR = 2, STAGE_BPF = 4, STAGE_ASM = 8 };

/* Of a probe that several attach points have, only the first of them gets it. */
enum probes_once { PROBES_REPEAT, ONCE_IN_CLAUSE, ONCE_IN_SCRIPT };

/* The script, its parameters and options, and the folders that are searched for headers. */
struct script_source {
	const char *name; /* "stdin" for -e and - */
	const char *text;
	size_t len;
	bool is_of_command;        /* made by a command from its options */
	const char *const *params; /* positional: $1 is params[0] */
	u32 n_params;
	const struct script_arg *named;
	u32 n_named;
	/* -I: folders for #include; --include: headers read before the script's own C text.
	 * NULL-terminated, or NULL. */
	const char *const *include_dirs, *const *includes;
};

/* Which of the attach points that clauses name get a probe, and of what kind. */
struct probe_choice {
	const char *filter; /* --probe-filter */
	enum probes_once once;
	bool some_may_miss; /* of the attach points of a clause, as long as one matches */
	/* Return probes of programs sit on ret instructions; a function whose returns cannot be
	 * found there has none. The kernel's replace return addresses, which exceptions and
	 * coroutines do not survive. */
	bool keeps_return_addresses;
	/* The calls of kernel functions matter as a whole: patterns leave out functions whose
	 * return cannot be probed, and where entry and return share a program, the return of a call
	 * that the entry's filter refused is not seen. */
	bool whole_calls;
	/* Names of functions of the kernel, which alone patterns have; NULL: any. */
	const struct hash *kernel_functions;
	/* Patterns of functions, of C++ without parameters: no probe is put there. NULL-terminated,
	 * or NULL. */
	const char *const *left_out;
	/* Clauses from this one on serve, by an engine that does not change processes, those of the
	 * traced processes in which no code is: that execute a program, and what they start. 0: no
	 * such clauses. Only with struct traced's alone. */
	u32 elsewhere;
};

/* How the script is compiled. */
struct compile_options {
	bool unsafe, no_warnings;
	bool extra_warnings; /* -k: failed reads and lookups are reported */
	bool any_kernel;     /* check: assume no particular kernel and no privilege */
	/* Programs are independent of each other: an object file is attached by its loader. */
	bool no_dispatch;
	const char *no_pass; /* --no-pass */
	u32 dump;            /* enum stage set: print and stop before loading */
};

struct engine_choice {
	const char *name; /* the engine to use; NULL: chosen for each site */
	/* Also from one that changes the process of -p or -c; the others serve what that one
	 * refuses. */
	bool is_auto;
};

/* A recording, whose events the script gets. */
struct past {
	const char *file;     /* NULL: the events of now */
	u64 begin_ns, end_ns; /* only those of begin_ns <= time <= end_ns; end_ns 0: all */
};

/* sonde top: maps are shown again and again. */
struct redraw {
	u64 interval_ns; /* 0: at the end only */
	u32 top;         /* rows of each at most, where it is no terminal; 0: all */
	bool anew;       /* aggregations restart each time */
};

struct diag_style {
	bool json, color;
	bool hidden; /* errors of the script are not shown */
};

struct request {
	struct script_source script;
	struct traced traced; /* -p, -c, -- CMD, --follow, --where */
	struct probe_choice probes;
	struct compile_options compile;
	struct engine_choice engine;
	struct noting *noting; /* the script runs to record what it reads: type/noted.h; NULL */
	struct past from;
	bool dry_run, verbose;
	u32 mode;        /* enum probe_mode set: test: and bench: probes that are run */
	u64 duration_ns; /* time from attaching to the end of the run; 0: no limit */
	struct redraw redraw;
	struct diag_style diag;
};

#endif
