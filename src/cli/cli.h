/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: words become a struct cli, one command gets it. Only this room prints, and only
 * it decides to end the program.
 */
#ifndef SONDE_CLI_H
#define SONDE_CLI_H

#include <stdio.h>
#include "base/buf.h"
#include "base/new_file.h"
#include "session/session.h"

struct cli;
struct option_row;
struct bundle;
struct tool;
struct strace;
struct ltrace;
struct background;

/*
 * The vocabulary of the command line: sets of options. An option (option.c) names the sets that
 * contain it, a command the sets that it takes; an option without a set belongs to every command. A
 * new command takes the sets that apply to it, and adds rows for its own options.
 *
 * Rules for every command:
 *  - Results go to standard output, or to the file of -o. Diagnostics, warnings, notes and "Attached
 *    N probes" go to standard error. With -f json, messages of the run are part of the results.
 *  - The exit status of "run" and "top" is bpftrace's: 0, the N of exit(N), 1 if the command line or
 *    the script is wrong, 255 if the system refuses. The status of the command of -c or "--" does
 *    not change it. A command that runs CMD on behalf of the user, as strace(1) does, exits with the
 *    status of CMD. Other commands: 0, 1, 255.
 */
enum option_set {
	SET_SCRIPT = 1 << 0,     /* a script is read: -e, -I, --diag */
	SET_COMPILE = 1 << 1,    /* and compiled: --unsafe, --no-pass */
	SET_TARGET = 1 << 2,     /* what is traced: -p, -- CMD, --where */
	SET_CHILD = 1 << 3,      /* of scripts: -c, --follow, --probe-filter */
	SET_TREE = 1 << 4,       /* of commands that trace CMD and its children: -a, --no-follow */
	SET_RUN = 1 << 5,        /* how a run goes: --duration, -B, -q, --dry-run */
	SET_SCRIPT_RUN = 1 << 6, /* what else is done with a script: --test, --aot */
	SET_FORMAT = 1 << 7,     /* -f */
	SET_OUTPUT = 1 << 8,     /* -o */
	SET_PID = 1 << 9,        /* -p alone */
	SET_CPUS = 1 << 10,      /* -C */
	SET_FROM = 1 << 11,      /* --from, of commands with a script of their own */
	SET_TIME = 1 << 12,      /* --time, of commands that read a recording */
	SET_CALLS = 1 << 13,     /* lines of calls, as strace prints them: -t, -k, -s */
	SET_SAMPLES = 1 << 14,   /* -F */
	SET_CGROUP = 1 << 15,    /* -G */
	SET_OVER = 1 << 16,      /* --over */
	SET_STACK = 1 << 17,     /* --stack */
	SET_FILTER = 1 << 18,    /* --filter of all events */
	SET_EVENTS = 1 << 19,    /* -e EVENTS, as perf takes them */
	SET_MODULE = 1 << 20,    /* --module */
	SET_PROBE = 1 << 21,     /* -m, -n and -q of perf probe */
	SET_ENGINE = 1 << 22,    /* --engine, of commands with a script of their own */
	SET_THREADS = 1 << 23,   /* -t TIDS and a --filter for each -e, as perf takes them */
	SET_INPUT = 1 << 24,     /* -i FILE, of commands that read a recording */
	SET_PART = 1 << 25,      /* --comms, --pid and others, of commands that read a recording */
	SETS_COMPILE = SET_SCRIPT | SET_COMPILE | SET_TARGET | SET_CHILD,
	/* A command that runs a script of the user. */
	SETS_TRACE = SETS_COMPILE | SET_RUN | SET_SCRIPT_RUN | SET_FORMAT | SET_OUTPUT,
	/* A command with a script of its own (job.h). */
	SETS_JOB = SET_TARGET | SET_TREE | SET_RUN | SET_FORMAT | SET_OUTPUT,
};

struct command {
	const char *name, *args; /* "check", "FILE" */
	const char *brief, *doc, *example;
	int (*run)(struct cli *c); /* the exit status */
	u32 takes;                 /* enum option_set */
	bool own_options;          /* all words are arguments, also those that begin with - */
	/* The first word is a program to run, what follows are its arguments: "strace ls -l". */
	bool words_are_cmd;
	/* Before CMD: words that are no CMD but say what to do; the word after one is an argument.
	 * NULL: none. */
	const char *const *verbs;
	bool script_before_cmd; /* CMD may follow a script, if the first word names one */
	bool cmd_after;         /* CMD ARGS follow "--": "trace 'sched:*' -- ls -l" */
	bool cmd_times_pids;    /* "-p PID CMD": CMD only tells how long, as in perf */
	bool cmd_and_pids;      /* both are traced, as in strace */
};
#define C(name) extern const struct command command_##name;
#include "cli/index.h"
#undef C
/* Commands that only an option selects. */
extern const struct command command_usage, command_version, command_compiler_bench,
	command_tool_help, command_object;
/* The rows of index.h; NULL-terminated. */
extern const struct command *const commands[];
const struct command *command_find(const char *name);
/* The command whose name is most similar to word, or NULL. */
const char *command_near(const char *word);

enum manual {
	MANUAL_NONE,
	MANUAL_MAN,
	MANUAL_BUILTINS,
	MANUAL_PROBES,
	MANUAL_TOOLS,
	MANUAL_CONFIGURATION,
	MANUAL_OPTIONS,
	MANUAL_DIAGNOSTICS,
	MANUAL_IR,
	MANUAL_REQUIREMENTS
};

/* sonde profile: the options of cmd_profile.c, as given. */
struct profile_options {
	const char *by, *min, *event;
	bool threads, user, kernel, off_cpu, wall, lines, no_inline;
};

/* sonde trace: the same, of cmd_trace.c. */
struct trace_options {
	const char *fields, *limit;
};

/* sonde flow: of cmd_flow.c. */
struct flow_options {
	const char *depth, *binary;
	bool args, calls, kernel, report, graph;
	const char *const *libraries,
		*const *include, *const *exclude; /* patterns, NULL-terminated, or NULL */
};

/* sonde stat: of cmd_stat.c. */
struct stat_options {
	const char *separator;                             /* -x */
	const char *before, *after;                        /* --pre, --post */
	u32 repeat, interval_ms, interval_count, delay_ms; /* 0: not given */
	bool per_cpu, per_thread, per_core, per_die, per_socket, per_node;
	bool json, detailed, append, summary, table, none, sync;
	int timer; /* of -I; -1: none */
};

/* sonde sched: of cmd_sched.c. */
struct sched_options {
	const char *sort, *tids, *pids_given;
	bool pids, wakeups, summary, with_summary, idle, migrations, next, state, visual, compact;
};

/* For output that depends on whether a terminal reads it. */
enum when { WHEN_TERMINAL, WHEN_ALWAYS, WHEN_NEVER };

/* sonde ftrace: of cmd_ftrace.c; lists are NULL-terminated, or NULL. */
struct ftrace_options {
	const char *tracer, *clock;
	const char *const *functions, *const *notrace, *const *graph, *const *nograph,
									      *const *options;
	const char *const *given; /* --filter and --trigger, whose place among the options counts */
	u32 depth, buffer_kb;
};

/* sonde probe: of cmd_probe.c; lists are NULL-terminated, or NULL. */
struct probe_options {
	const char *file, *lines, *vars, *vmlinux;
	const char *const *add, *const *remove, *const *definition;
	bool list, functions, force;
};

/* sonde record: of cmd_record.c. */
struct record_options {
	bool stacks; /* -g */
	u64 count;   /* -c; 0: not given */
	const char *overwrite;
	const char *max_size, *switch_output, *switch_max_files;
	const char *dump_on;           /* --dump-on */
	u64 dump_after_ns;             /* --after */
	struct background *background; /* record start: in its process; else NULL */
};

/* sonde script: of cmd_script.c. */
struct script_lines {
	const char *const *columns; /* values of -F, NULL-terminated, or NULL */
	bool time_in_ns, reltime, deltatime;
	bool as_ftrace; /* --ftrace */
	bool no_stacks; /* -G */
};

/* sonde report: of cmd_report.c; NULL: not given. */
struct report_options {
	const char *sort, *fields, *graph, *percent_limit, *percentage, *separator;
	bool stdio, samples, period, children, no_children, inverted;
};

/* sonde export: of cmd_export.c. */
struct export_options {
	const char *to;
	bool html;
	const char *const *lanes; /* NULL-terminated, or NULL */
};

/* sonde view: of cmd_view.c. */
struct view_options {
	const char *port;
	bool live;
};

/* sonde help: of cmd_help.c. */
struct help_options {
	const char *completion; /* --completion SHELL */
	enum manual manual;
};

/* sonde info: of cmd_info.c. */
struct info_options {
	bool refresh, selftest;
	const char *selftest_work;
};

/* sonde fmt: of cmd_fmt.c. */
struct fmt_options {
	bool compare, rewrite; /* --check, --write */
};

/* sonde build: of cmd_build.c and cmd_object.c. */
struct build_options {
	const char *object; /* --emit-elf */
	const char *runtime;
};

/* The options that single commands have, by command. */
struct command_options {
	struct profile_options profile;
	struct trace_options trace;
	struct flow_options flow;
	struct stat_options stat;
	struct sched_options sched;
	struct probe_options probe;
	struct ftrace_options ftrace;
	struct record_options record;
	struct script_lines script;
	struct report_options report;
	struct export_options export;
	struct view_options view;
	struct help_options help;
	struct info_options info;
	struct fmt_options fmt;
	struct build_options build;
	struct strace *strace; /* its options and state */
	struct ltrace *ltrace;
	bool listed; /* explain --list */
};

/* The words of the command line. */
struct command_line {
	const char *program; /* as called: "sonde", "bpftrace" */
	bool drop_in;        /* called bpftrace: no subcommands, its version */
	bool is_run;         /* the word "run" was given: the next one may be the name of a tool */
	const char **words;  /* all but options, in order, without the name of the command */
	u32 n_words;
	/* of a command with script_before_cmd: words are a script and its parameters */
	bool has_script;
	/* the words after the first "--", or NULL; of a command with words_are_cmd, CMD ARGS */
	char **after;
	u32 n_after, n_after_words, n_before_named;
	const char *after_command; /* request.traced.command, if it is from them */
	struct given *given;       /* the options, in order */
	u32 n_given;
	u32 n_built_in;     /* words that a tool was built with: any option is valid there */
	struct arena arena; /* words put together; main releases it */
};

/* Which samples of a recording: lists with commas, or NULL. */
struct part_options {
	const char *comms, *dsos, *symbols, *pids, *tids;
};

/* Which events and samples a command takes: options that several commands have. */
struct selection {
	bool all, no_follow;       /* -a, --no-follow */
	bool all_user, all_kernel; /* of counters and samples */
	const char *cpus;          /* -C */
	const char *frequency;     /* -F */
	const char *cgroup;        /* -G */
	const char *filter;        /* --filter of all events */
	u64 over_ns;               /* --over */
	bool stack;                /* --stack */
	const char *time_range;    /* --time: parts of a recording */
	struct part_options part;  /* likewise: --comms, --pid ... */
	const char *const *events; /* values of -e, NULL-terminated, or NULL */
	const char *module;        /* --module: of the kernel */
	/* of each of the first n of them that of --filter, or NULL */
	const char **event_filters;
	u32 n_event_filters;
	VEC(u32) tids; /* record: -t */
};

/* Where results go, and how. */
struct output_options {
	const char *file;         /* -o; NULL: standard output */
	bool appends;             /* keeps what the file has */
	VEC(const char *) moved;  /* older files with these names are NAME.old now */
	struct new_file new_file; /* that file, of an output that writes at the end */
	enum when escape;         /* --escape */
	bool quiet, buffering_given;
	bool header, header_only; /* about a recording */
};

struct cli {
	struct command_line line;
	const struct command *command;
	const struct command *named_command; /* by the first word; NULL: by an option, or none */
	struct tool *tool;                   /* the one that "run" names, or NULL; main frees it */
	const struct bundle *bundle;         /* this is a tool made by "sonde build"; else NULL */
	struct request request;
	struct session_host host;
	struct sink sink;
	/* what request.script.text points to when it was read from a file; main releases it */
	struct buf script;
	struct script_arg *named; /* request.script.named */
	struct selection select;
	struct output_options output;
	struct command_options own;
	u32 n_warnings_given; /* -k */
};

struct given {
	const struct option_row *row;
	const char *value; /* NULL when the row takes none */
};

/* 0, or the exit status after a message; *done: help or version, which end the reading of words. */
int args_parse(struct cli *c, int argc, char **argv);

/* ---- cmd_build.c: a stand-alone tool. The exit status. */
int bundle_main(struct cli *c, int argc, char **argv);

/* ---- say.c: messages. "sonde: TEXT" on stderr. */
void say(const struct cli *c, const char *fmt, ...) FORMAT(2, 3);
void say_note(const struct cli *c, const char *fmt, ...) FORMAT(2, 3);
/* Whole lines, as they are; control characters are escaped on a terminal. Releases b. */
void say_lines(const struct cli *c, struct buf *b);
void say_err(const struct cli *c, const struct err *err);
/* Reports that tracefs is not there or that its events are not readable; false: neither. */
bool say_no_tracefs(const struct cli *c);
/* Diagnostics as --diag asks. */
void say_diags(const struct cli *c, const struct diags *d);
/* Whether colors are wanted on a descriptor: a terminal, NO_COLOR, BPFTRACE_COLOR. */
bool color_wanted(int fd);
/* Whether control characters of traced text are escaped on a descriptor (base/visible.h). */
bool escape_wanted(const struct cli *c, int fd);

/* ---- usage.c */
/* A wrong command line: the text and a short usage; returns 1. */
int say_usage(const struct cli *c, const char *fmt, ...) FORMAT(2, 3);
/* Worded as by getopt_long(3). near: the similar option, or NULL. */
int say_bad_option(const struct cli *c, const char *near, const char *fmt, ...) FORMAT(3, 4);
/* "    sonde check [OPTION]... FILE..." */
void put_command_usage(struct buf *b, const struct cli *c, const struct command *cmd);
/* "USAGE:" and a line, for c->tool. */
void tool_put_usage(const struct cli *c, struct buf *b);

/* ---- help.c */
void print_help(const struct cli *c, FILE *to);
/* The options that a tool shares with sonde, in their groups. */
void put_running_options(struct buf *b);

/* ---- tool_help.c */
int tools_list(struct cli *c);

/* ---- out.c */
/* All of it, to -o or standard output; 0 or 1 after a message. */
int put_out(const struct cli *c, struct buf *text);
/* The file of -o, or -1 after a message. */
int output_open(const struct cli *c);
/* The sink of a run: c->host.sink. 0, or the exit status after a message. */
int sink_open(struct cli *c);
/* Whether what is written to `to` would replace the recording that is read; says so. */
bool is_own_input(const struct cli *c, const char *to, const char *recording);
/* Results go to this descriptor instead; buffered as suits it. */
void sink_to(struct cli *c, int fd);
int sink_close(struct cli *c);

/* Words that session splits as they are: what request.traced.command may be. */
const char *join_command(struct cli *c, char *const *words, u32 n);
/* ---- script.c: the script of a run. 0, or the exit status after a message. */
int script_read(struct cli *c);
/* sonde run: the script of the command line or of c->request, from there to the exit status. */
int run_script(struct cli *c);
/* f for each script of a command that takes several, read; the worst of the statuses. */
int each_script(struct cli *c, int (*f)(struct cli *c));
/* "NAME=VALUE" or "NAME": one more of request.script.named. word is borrowed. */
void add_named(struct cli *c, const char *word);
/* --follow has a process to follow: 0, or 1 after a message. */
int follow_check(const struct cli *c);
/* Compiles it for any kernel and prints diagnostics: 0, 1 if there are errors, 255. */
int script_check(struct cli *c);
/* A file, or standard input for "-". */
int script_read_file(struct cli *c, const char *path, struct buf *text);

#endif
