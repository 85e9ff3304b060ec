/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the language needs from above, as rows and questions. builtin/ fills the rows, sym/ answers
 * for types and constants, cli/ hands it all in: lang/ itself knows no builtin and no probe by name.
 */
#ifndef SONDE_LANG_ENV_H
#define SONDE_LANG_ENV_H

#include "base/diag.h"
#include "base/hash.h"
#include "lang/config.h"
#include "lang/ast.h"
#include "type/features.h"
#include "type/loc.h"

struct check;
struct lower;  /* ir/lower.h */
struct ir_val; /* ir/lower.h */
struct action; /* trace/action.h */

enum builtin_flags {
	BI_VARIABLE = 1,       /* may be written without parentheses */
	BI_UNSAFE = 2,         /* needs --unsafe */
	BI_AGGREGATE = 4,      /* only as `@m = f(...)` */
	BI_CONST = 8,          /* evaluated at compile time by check; lowering sees a constant */
	BI_STATEMENT = 16,     /* has no value: void */
	BI_NEEDS_PROFILE = 32, /* reads the probe's context: check consults c->inst->profile */
	BI_KEYWORDS = 64,      /* accepts name=value arguments */
	BI_NO_DISCARD_WARNING = 128,
	BI_READS_ARGS = 256, /* args, argN, retval: the argument layout matters */
	BI_READS_NAME = 512, /* probe, func: the site matters */
	BI_READS_STACK = 1024,
	BI_READS_KSTACK = 1 << 27, /* the kernel's */
	BI_PREFIXED = 1 << 28,     /* may be written __builtin_NAME, too */
	BI_RECORD = 4096,          /* args: its fields are what the probe's arguments are called */
	BI_READS_RESULT = 1 << 24, /* retval: functions without one do not matter */
	BI_READS_GOID = 1 << 25,   /* goid: the goroutine matters */
	BI_THREAD =
		1
		<< 26, /* the number of the running thread: no two run with the same, but idle ones (0) */
	BI_VARS = 131072,     /* vars: likewise, of the variables in scope */
	BI_SPECULATES = 8192, /* records behind it in the clause wait for commit() */
	BI_OPTION =
		16384, /* arguments: name, default, description; constant in this run alone: branches on it are all checked */
	BI_READS_RECORD = 1 << 22, /* the record of a trace event, whole */
	BI_READS_TYPED =
		1 << 21, /* needs pointers that the kernel vouches for: fentry stays a trampoline */
	BI_SEQ =
		1
		<< 20, /* acts without a reader: what it prints goes to whoever reads a pinned iterator */
	BI_READS_REGS = 32768, /* reg(): registers by name, as they are at the probe */
	BI_READS_CTX = 65536,  /* ctx: the context itself */
	BI_TRUSTED =
		2048, /* a kernel pointer that verifiers know by type: its fields are loaded directly */
};

enum engine_set { ON_KERNEL = 1, ON_PROCESS = 2, ON_REPLAY = 4, ON_ALL = 7 };

/*
 * One row of the vocabulary. sig is text in the language's own syntax, parsed when the name is first
 * used:
 *	"pid -> u32"
 *	"str(addr: ptr|int|string|array, len: int = 0) -> string"
 *	"printf(fmt: lit string, ...)"
 *	"hist(n: int, bits: lit int = 0) -> hist"
 *	"print(what: any|map, top: lit int = 0, div: lit int = 0)"
 * kinds: int uint bool string ptr array struct buffer stack map scalar_map any enum tuple float, type (a
 * type as argument), stack_mode and timestamp_mode (their names), name (a bare word, left as N_IDENT),
 * var (a scratch variable, which the call may set); "lit"
 * before a kind demands a literal (or positional parameter); a|b either; "= value" optional; "..."
 * any number of further arguments. Result: a scalar type name, string, void (nothing after ")"), or
 * a name only for people when check decides.
 */
struct builtin {
	const char *name, *sig, *brief, *doc, *example;
	const char *
		work; /* the command whose events the example sees (-c, --follow); NULL: it needs none */
	const char *
		output; /* what the example prints; "..." is any text. NULL: nothing that can be shown */
	bool varies;          /* the output has other numbers in each run */
	u32 flags;            /* enum builtin_flags */
	u32 engines;          /* enum engine_set */
	s16 feature;          /* enum feature it needs + 1, or 0 */
	const char *alias_of; /* an old spelling: a note names the current one */
	/* Arguments are already checked (types known, counts and kinds right by sig). Returns the type of
	 * the call, or diag_type(...). NULL: the signature's result type. */
	const struct type *(*check)(struct check *c, struct node *call);
	/* Emits code; the result is ignored for BI_STATEMENT. */
	struct ir_val (*lower)(struct lower *l, struct node *call);
	/* Aggregates: updates @map (an N_MAP node). See lower_agg_begin() in ir/lower.h. */
	void (*lower_update)(struct lower *l, struct node *call, struct node *map);
	const struct action *action;
	u32 aux; /* the rows' own: helper number, size, mode ... */
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

/* Code of the kernel; addresses behind the last byte are called to. All zero where the kernel hides its symbols. */
struct machinery {
	const u64 *
		bounds; /* sorted: [1] is where machinery begins, [2] where it ends, [3] begins ...; [0] is 0 */
	u32 n;                  /* a power of two; the rest is ~0 */
	u64 text_from, text_to; /* all code but that of modules and programs */
	u64 run_from,
		run_to; /* bpf_trace_run1 to bpf_trace_run12, which call a raw tracepoint's programs */
};

/* Questions that sym/ answers. Any may be NULL. */
struct world {
	void *ctx;
	/* tag: 's', 'u', 'e', or 0 for any (typedefs and base types too). NULL: no such type. */
	const struct type *(*type)(void *ctx, u8 tag, const char *name);
	/* System constants and BTF enumerators. */
	bool (*constant)(void *ctx, const char *name, s64 *value, const struct type **enum_type);
	/* Address of a kernel symbol, 0: unknown. */
	u64 (*ksym_addr)(void *ctx, const char *name);
	/* Where the kernel's functions lie that run between an event and its program. */
	const struct machinery *(*machinery)(void *ctx);
	/* Percpu or plain variable's BTF type, may be NULL. */
	const struct type *(*ksym_type)(void *ctx, const char *name);
	/* Near names for "did you mean". */
	const char *(*near_type)(void *ctx, const char *name);
	/* Text of number n of a table: strerror(2), "Interrupt", "read"; NULL: there is none. */
	const char *(*text_of)(void *ctx, enum world_text table, u32 n);
	/* Whether the kernel has a function that programs may call. */
	bool (*kernel_func)(void *ctx, const char *name);
	/* Id of the cgroup at a path, 0: none. */
	u64 (*cgroup_id)(void *ctx, const char *path);
	/* Address of a symbol in its file's own numbering; *moves: the file is loaded anywhere. */
	bool (*user_symbol)(void *ctx, const char *path, const char *name, u64 *addr, bool *moves);
	/* Our own pid namespace; false: it is the initial one. */
	bool (*pid_namespace)(void *ctx, u64 *dev, u64 *ino);
};

/* What an import names: a file, or the files of a folder. All of it is malloc'ed but why. */
struct import_source {
	char *id, *path, *text; /* id: the same for all spellings of a path; NULL when not found */
	char **entries;         /* paths, sorted, NULL-terminated */
	const char *why;        /* neither text nor entries: the reason */
};

struct env {
	const struct builtin_theme *const *themes; /* NULL-terminated */
	struct hash builtins;                      /* name -> row, filled by env_init */
	struct world world;
	struct features *features;
	struct config config;
	const char *
		clock_map; /* BPFTRACE_DUMMY_TS_MAP: a map of the script whose value is the time, for tests; NULL */
	bool any_kernel;    /* sonde check: what is missing here may exist where the script runs */
	bool counts_frames; /* the script asks how many frames a stack has */
	bool unchecked;     /* ... and something was: the types of the script are not all known */
	bool unsafe, no_warnings, extra_warnings /* -k */, have_child /* -c */, has_pid;
	u32 pid;                         /* -p */
	u32 probe_name_max;              /* bytes of the longest name of a probe that is attached */
	const char *const *include_dirs; /* -I: where #include looks, NULL-terminated; or NULL */
	const char *const
		*includes; /* --include: headers read before the script's own C text; or NULL */
	const char *const *params; /* positional: $1 is params[0] */
	u32 n_params;
	struct {
		const char *name, *value;
		bool used;
	} * named; /* --name=value after -- */
	u32 n_named;
	struct hash options; /* names that the script asks for -> what they are said to mean */
	struct hash option_default; /* -> the node of the default in the first place */
	/* Fills *found; `from` is the importing file, "" for paths that stand for themselves. */
	void (*read_import)(struct env *env, const char *from, const char *path,
			    struct import_source *found);
};

void import_source_release(struct import_source *found);

void env_init(struct env *env);
void env_release(struct env *env);
/* Row of a name; "arg3" finds the row named "argN". NULL: none. */
const struct builtin *env_builtin(const struct env *env, const char *name);
/* The number in a name that a numbered row answers for, or -1. */
s64 env_builtin_number(const struct builtin *row, const char *name);

#endif
