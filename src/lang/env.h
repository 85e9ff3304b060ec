/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of a compilation: what the language gets from other rooms. builtin/ provides the
 * rows, sym/ types and constants, cli/ the request; lang/ itself knows no builtin and no probe by
 * name.
 */
#ifndef SONDE_LANG_ENV_H
#define SONDE_LANG_ENV_H

#include "base/diag.h"
#include "base/hash.h"
#include "lang/config.h"
#include "lang/ast.h"
#include "type/features.h"
#include "type/loc.h"
#include "type/request.h"

struct check;
struct noting; /* type/noted.h */
struct lower;  /* ir/lower.h */
struct ir_val; /* ir/lower.h */
struct action; /* trace/action.h */

enum builtin_flags {
	/* How it is written. */
	BI_VARIABLE = 1 << 0, /* may be written without parentheses */
	BI_PREFIXED = 1 << 1, /* may also be written __builtin_NAME */
	BI_KEYWORDS = 1 << 2, /* accepts name=value arguments */
	/* Arguments: name, default, description. Constant in this run only: all branches on it are
	 * checked. */
	BI_OPTION = 1 << 3,

	/* Its value. */
	BI_STATEMENT = 1 << 4, /* has no value: void */
	BI_AGGREGATE = 1 << 5, /* only as `@m = f(...)` */
	BI_CONST = 1 << 6,     /* evaluated at compile time by check; lowering sees a constant */
	BI_NO_DISCARD_WARNING = 1 << 7,
	BI_RECORD = 1 << 8, /* args: its fields are the names of the probe's arguments */
	BI_VARS = 1 << 9,   /* vars: its fields are the names of the variables in scope */
	/* The number of the running thread: unique among running threads, except idle ones (0). */
	BI_THREAD = 1 << 10,
	/* A kernel pointer whose type verifiers know: its fields are loaded directly. */
	BI_TRUSTED = 1 << 11,

	/* Its effects. */
	BI_UNSAFE = 1 << 12,     /* needs --unsafe */
	BI_SPECULATES = 1 << 13, /* later records of the clause wait for commit() */
	/* Works without sonde as reader: its output goes to the reader of a pinned iterator. */
	BI_SEQ = 1 << 14,

	/* Its inputs. */
	BI_NEEDS_PROFILE = 1 << 15, /* the probe's context: check uses c->inst->profile */
	BI_READS_ARGS = 1 << 16,    /* args, argN, retval: the argument layout matters */
	BI_READS_RESULT = 1 << 17,  /* retval: functions without one are skipped */
	BI_READS_NAME = 1 << 18,    /* probe, func: the site matters */
	BI_READS_STACK = 1 << 19,
	BI_READS_KSTACK = 1 << 20, /* the kernel's stack */
	BI_READS_GOID = 1 << 21,   /* goid: the goroutine matters */
	BI_READS_RECORD = 1 << 22, /* the whole record of a trace event */
	BI_READS_REGS = 1 << 23,   /* reg(): registers by name, as they are at the probe */
	BI_READS_CTX = 1 << 24,    /* ctx: the context itself */
	/* Pointers that the kernel trusts: fentry must stay a trampoline. */
	BI_READS_TYPED = 1 << 25,
	/* followed(): the clause decides itself which processes it sees. */
	BI_ASKS_FOLLOW = 1 << 26,
	/* The machine is asked, which a recording is not: noted.h. The same if it has arguments. */
	BI_NOTED = 1 << 27,
	BI_NOTED_ARGS = 1 << 28,
	/* A statement that a script which only records runs, too. */
	BI_STAYS = 1 << 29,
	/* uaddr: the file that the site is in, and where in it: a program for each file. */
	BI_READS_FILE = 1 << 30,
	/* Each recorded event has it: its thread, its processor. */
	BI_OF_EVENT = 1u << 31,
};

enum engine_set { ON_KERNEL = 1, ON_PROCESS = 2, ON_REPLAY = 4, ON_ALL = 7 };

/*
 * A builtin: one row of the vocabulary. sig is text in the language's own syntax, parsed when the
 * name is first used:
 *	"pid -> u32"
 *	"str(addr: ptr|int|string|array, len: int = 0) -> string"
 *	"printf(fmt: lit string, ...)"
 *	"hist(n: int, bits: lit int = 0) -> hist"
 *	"print(what: any|map, top: lit int = 0, div: lit int = 0)"
 * Kinds: int uint bool string ptr array struct buffer stack map scalar_map any enum tuple float,
 * type (a type as argument), stack_mode and timestamp_mode (their names), name (a bare word, left
 * as N_IDENT), var (a scratch variable, which the call may set). "lit" before a kind demands a
 * literal (or positional parameter); a|b either; "= value" optional; "..." any number of further
 * arguments. Result: a scalar type name, string, void (nothing after ")"), or, if check determines
 * it, a name for the help only.
 */
struct builtin {
	const char *name, *sig, *brief, *doc, *example;
	/* the command whose events the example traces (-c, --follow); NULL: none */
	const char *work;
	const char *output;   /* output of the example; "..." is any text. NULL: not shown */
	bool varies;          /* the numbers in the output differ in each run */
	u32 flags;            /* enum builtin_flags */
	u32 engines;          /* enum engine_set */
	s16 feature;          /* enum feature it needs + 1, or 0 */
	const char *alias_of; /* an old spelling: a note names the current one */
	/*
	 * The arguments are checked (types known, counts and kinds as in sig). Returns the type of
	 * the call, or diag_type(...). NULL: the signature's result type.
	 */
	const struct type *(*check)(struct check *c, struct node *call);
	/* Emits code; the result is ignored for BI_STATEMENT. */
	struct ir_val (*lower)(struct lower *l, struct node *call);
	/* Aggregates: updates @map (an N_MAP node). See lower_agg_begin() in ir/lower.h. */
	void (*lower_update)(struct lower *l, struct node *call, struct node *map);
	const struct action *action;
	/* Of a BI_NOTED statement: the row whose value, with the same arguments, is all that the
	 * statement reads. A recording has that, and the statement takes it as its first argument.
	 * NULL: it cannot be recorded. */
	const char *noted_as;
	u32 aux; /* private to the row: helper number, size, mode ... */
	const char
		*filter; /* the same in the kernel's filters of events; NULL: they do not have it */
};

struct builtin_theme {
	const char *title;
	const struct builtin *rows;
	u32 n;
};
#define THEME(title_, rows_)                                                                       \
	{                                                                                          \
		(title_), (rows_), ARRAY_SIZE(rows_)                                               \
	}

enum world_text { TEXT_ERRNO, TEXT_SIGNAL, TEXT_SYSCALL, TEXT_ERRNO_NAME, TEXT_SIGNAL_ABBREV };

/*
 * Address ranges of kernel code; calls return to addresses after the last byte. All zero if the
 * kernel hides its symbols.
 */
struct tracer_frames {
	/* sorted: tracer code begins at [1], ends at [2], begins at [3] ...; [0] is 0 */
	const u64 *bounds;
	u32 n;                  /* a power of two; the rest is ~0 */
	u64 text_from, text_to; /* all code except modules and BPF programs */
	/* bpf_trace_run1 to bpf_trace_run12, which call a raw tracepoint's programs */
	u64 run_from, run_to;
};

struct user_symbol {
	u64 address, size; /* as in its file */
	bool moves;        /* the file is position independent */
};

/* Queries about the traced system, implemented by session with sym/. Any may be NULL. */
struct world {
	void *ctx;
	/* tag: 's', 'u', 'e', or 0 for any (typedefs and base types too). NULL: no such type. */
	const struct type *(*type)(void *ctx, u8 tag, const char *name);
	/* System constants and BTF enumerators. */
	bool (*constant)(void *ctx, const char *name, s64 *value, const struct type **enum_type);
	/* Address of a kernel symbol, 0: unknown. */
	u64 (*ksym_addr)(void *ctx, const char *name);
	/* The kernel functions that run between an event and its program, as address ranges. */
	const struct tracer_frames *(*tracer_frames)(void *ctx);
	/* The BTF type of a per-CPU or ordinary variable, may be NULL. */
	const struct type *(*ksym_type)(void *ctx, const char *name);
	/* Near names for "did you mean". */
	const char *(*near_type)(void *ctx, const char *name);
	/* Text of number n of a table: strerror(2), "Interrupt", "read"; NULL: there is none. */
	const char *(*text_of)(void *ctx, enum world_text table, u32 n);
	/* BTF id of a function of the kernel, 0: none. */
	u32 (*kernel_func)(void *ctx, const char *name);
	/* Id of the cgroup at a path, 0: none; level: how many cgroups it is below the root. */
	u64 (*cgroup_id)(void *ctx, const char *path, u32 *level);
	/* A symbol of a program or library; false: it has none of that name. */
	bool (*user_symbol)(void *ctx, const char *path, const char *name, struct user_symbol *s);
	/* Our own pid namespace; false: it is the initial one. */
	bool (*pid_namespace)(void *ctx, u64 *dev, u64 *ino);
};

/* The target of an import: a file, or the files of a folder. All of it is malloc'ed except why. */
struct import_source {
	char *id, *path, *text; /* id: the same for all spellings of a path; NULL when not found */
	char **entries;         /* paths, sorted, NULL-terminated */
	const char *why;        /* the reason if there is neither text nor entries */
};

struct env {
	const struct builtin_theme *const *themes; /* NULL-terminated */
	struct hash builtins;                      /* name -> row, filled by env_init */
	struct world world;
	struct features *features;
	const struct request *request; /* NULL before lang_init(): the defaults */
	struct config config;
	/* BPFTRACE_DUMMY_TS_MAP: a map of the script whose value is the time, for tests; NULL */
	const char *clock_map;
	/* Of a run that records what the script reads, else NULL; and the script with its
	 * parameters as a number. */
	struct noting *noting;
	u32 script_id;
	struct hash noted_texts; /* by the address of a node: its struct noted_text */
	bool is_replay;          /* its events are those of a recording */
	u32 recorded_cpid;       /* of the recorded command; 0: none */
	u32 recorded_cpus;       /* of the recorded machine */
	/* its engine has what only engines in user space have: type/bpf_isa.h */
	bool has_past;
	bool counts_frames;   /* the script uses the number of frames of a stack */
	bool told_of_stacks;  /* that user stacks are walked by frame pointers */
	bool compares_stacks; /* ... or whether two are equal */
	/* ... and something was missing: the types of the script are not all known */
	bool unchecked;
	u32 probe_name_max; /* bytes of the longest name of an attached probe */
	bool *named_used;   /* by index of request->script.named: a getopt() reads it */
	/* names of options that the script reads -> their descriptions */
	struct hash options;
	struct hash option_default; /* -> the node of the first default */
	/* Fills *found; `from` is the importing file, "" for paths that are relative to none. */
	void (*read_import)(struct env *env, const char *from, const char *path,
			    struct import_source *found);
};

void import_source_release(struct import_source *found);

void env_init(struct env *env);
void env_release(struct env *env);
/* Row of a name; "arg3" finds the row named "argN". NULL: none. */
const struct builtin *env_builtin(const struct env *env, const char *name);
/* The number in a name that belongs to a numbered row, or -1. */
s64 env_builtin_number(const struct builtin *row, const char *name);

#endif
