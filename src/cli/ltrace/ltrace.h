/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde ltrace: calls between a program and its libraries, in the format of ltrace(1).
 *
 *	options.c	options -> struct ltrace_options
 *	filter.c	the expressions of -e, -x and -l
 *	objects.c	the program and its libraries -> the names that they define and need
 *	functions.c	objects and filters -> the functions to probe
 *	callsite.c	the name by which the code before a return address calls
 *	proto.c		ltrace.conf(5) -> prototypes; proto_table.c has those of common functions
 *	typed.c		debug information -> prototypes
 *	places.c	a prototype -> the registers and words of the stack that have its arguments
 *	captures.c	a prototype -> the memory that its arguments and result show
 *	values.c	arguments and results as text
 *	script.c	functions -> a script, which prints a record for each entry and return
 *	lines.c		records -> lines: entries and returns paired, nesting, several threads
 *	json.c		--format=json
 *	summary.c	-c: the table
 *
 * A function is probed at its entry in the library, whatever way leads there: PLT, a GOT that is
 * called through, a pointer. Programs in the kernel pass over entries whose return address is in
 * the library itself (outside()). The same code may have several names (memcpy, memmove): the
 * caller's is shown.
 */
#ifndef SONDE_CLI_LTRACE_LTRACE_H
#define SONDE_CLI_LTRACE_LTRACE_H

#include "base/hash.h"
#include "cli/cli.h"
#include "cli/libraries.h"
#include "cli/line.h"
#include "cli/ltrace/proto.h"
#include "object/elf_dynamic.h"

/* The first member of each record that the script prints. */
enum ltrace_record {
	LTRACE_ENTER = 1, /* tid, pid, ns, probe, return address, sp, depth, arguments ... */
	LTRACE_RETURN,    /* tid, pid, ns, probe, return address, sp, results */
	LTRACE_END,       /* tid, pid, ns, exit code of wait(2), threads that are left */
	LTRACE_EXEC,      /* tid, pid, ns */
	LTRACE_SIGNAL,    /* tid, pid, ns, number, handler */
	LTRACE_IGNORED,   /* likewise, of the thread that ignores it */
	LTRACE_SYSCALL, /* tid, pid, ns, probe, result, arguments: of a system call that returns */
	LTRACE_EXIT,    /* likewise, of one that does not */
	N_LTRACE_RECORDS
};

struct ltrace_object {           /* a file of a process */
	const char *path, *name; /* name: its soname, else the last part of the path */
	struct elf *elf;
	bool is_main, is_loader;
	bool is_late; /* -l: the program may open it with dlopen(), and call it by pointers */
	struct dwarf *dwarf; /* once asked_dwarf; NULL: it has none */
	bool asked_dwarf;
	struct hash exports; /* name -> struct ltrace_export */
	struct hash imports; /* names */
	bool has_stubs;      /* the following are read */
	struct hash slots;   /* address in the file -> name: words of the GOT */
	struct hash stubs;   /* address in the file -> name: entries of the PLT */
};

struct ltrace_export {
	struct elf_symbol symbol;
	struct ltrace_export *next; /* another version of the name */
};

enum {
	LTRACE_CAPTURES = 16,
	LTRACE_RESULT = 0xff,
	LTRACE_STACK = 0xfe,     /* the words of the stack */
	LTRACE_BYTES = 256,      /* of an array or a structure */
	LTRACE_WORDS = 8 + 32,   /* registers and words of the stack */
	LTRACE_FORMAT_WORDS = 6, /* of the stack, for what follows a format */
	LTRACE_FORMAT_TEXTS = 2, /* of them, those that may lead to text */
	LTRACE_FORMAT = 200      /* bytes of a format that are read */
};

/* Memory that a record has, in the order of its last members. */
struct ltrace_capture {
	u32 param;                     /* number of the word, LTRACE_RESULT or LTRACE_STACK */
	const struct proto_type *type; /* of the pointer */
	bool is_string, is_pointer_to_string;
	u32 bytes, unit; /* at most; of which the length is a multiple */
};

struct ltrace_captures {
	struct ltrace_capture v[LTRACE_CAPTURES];
	u32 n;
};

struct ltrace_func { /* a place that is probed */
	struct ltrace_object *object;
	u64 address; /* in the file's own numbering */
	VEC(const char *) names;
	bool is_entry; /* -x: calls from the file itself count, too */
	bool is_stub;  /* of the caller's PLT: the function is where no probe can be */
	const struct proto *proto;
	struct ltrace_captures at_entry, at_return;
	bool saves_args; /* what a return shows depends on arguments */
	bool has_second; /* the result is in two registers */
	bool has_return; /* its return is probed */
};

struct ltrace_options {
	const struct ltrace_filter *calls;     /* -e: names and callers */
	const struct ltrace_filter *entries;   /* -x */
	const struct ltrace_filter *libraries; /* -l */
	VEC(const char *) library_names;       /* those of -l that are no patterns */
	u32 strings;                           /* -s: bytes of strings */
	u32 elements;                          /* -A: of arrays */
	u32 frames;                            /* -w, -k: of stacks */
	u32 column;                            /* -a: where "= " begins */
	u32 indent;                            /* -n: blanks for each call that one is within */
	struct line_clock clock;               /* -t, -r */
	bool spent, addresses;                 /* -T, -i */
	bool summary, json;                    /* -c; --format=json */
	bool system_calls, no_signals;         /* -S, -b */
	bool demangle;                         /* -C */
	bool no_default;                       /* -L */
	bool other_programs;                   /* -f: all that they may call is probed */
};

struct ltrace_frame { /* a call that has not returned */
	const struct ltrace_func *func;
	const char *name;
	u64 sp, ns;
	char *record; /* of the entry, if arguments are shown at the return; owned */
	char *args;   /* -f json: text of the arguments before those; owned */
	const char *caller;
	const struct type *type;
};

struct ltrace_count {
	const char *name;
	u64 calls, ns;
	bool is_stepped; /* by the kernel, which executes a copy of its first instruction */
};

struct ltrace_thread {
	u32 tid, pid;
	VEC(struct ltrace_frame) frames;
	u32 n_handlers; /* of signals that it is in */
	u32 signal;     /* the last one that was shown, of the process's first thread */
	bool is_open;   /* its last line has no end yet */
	u32 width;      /* of that line */
};

struct ltrace {
	struct cli *c;
	struct sink *s;
	struct ltrace_options o;
	struct libraries files;
	VEC(const struct library *) late;    /* of them, those that are not there yet */
	VEC(struct ltrace_object *) objects; /* in the order in which names are looked up */
	VEC(struct ltrace_func *) funcs;
	struct proto_table prototypes;
	struct hash by_place;             /* "PATH:0xADDRESS" -> struct ltrace_func */
	struct hash by_path;              /* -> struct ltrace_object */
	struct hash threads;              /* by tid: struct ltrace_thread */
	struct hash callers;              /* struct caller_key -> struct ltrace_caller */
	struct ltrace_thread *current;    /* whose line is open */
	const struct ltrace_func **sites; /* by number of the site */
	u32 n_sites;
	bool has_exceptions; /* which pass through functions: not all have a return probe */
	bool awaits_exec;    /* CMD has not been executed yet */
	bool told_program;   /* that another one was executed */
	u32 n_programs;      /* executed */
	struct hash counts;  /* -c: by name: struct ltrace_count */
	struct buf line, text;
};

/* ---- options.c: 0, or 1 after a message. */
int ltrace_read_options(struct ltrace *lt);
/* ---- filter.c */
/* NULL after a message. */
const struct ltrace_filter *ltrace_filter_parse(struct ltrace *lt, const char *text,
						const struct ltrace_filter *before);
/* Likewise of -l: the pattern of a library. */
const struct ltrace_filter *ltrace_filter_library(struct ltrace *lt, const char *text,
						  const struct ltrace_filter *before);
/* object: whose name and path the part after @ is compared with. */
bool ltrace_filter_has(const struct ltrace_filter *f, const char *name,
		       const struct ltrace_object *object);
/* The text of an option that no name has matched so far; NULL: there is none. */
const char *ltrace_filter_vain(const struct ltrace_filter *f);
/* ---- objects.c: 0, or the exit status after a message. */
int ltrace_find_objects(struct ltrace *lt);
void ltrace_release_objects(struct ltrace *lt);
/* ---- functions.c */
void ltrace_find_functions(struct ltrace *lt);
/* ---- captures.c */
void ltrace_find_captures(struct ltrace *lt, struct ltrace_func *f);
/* ---- typed.c */
const struct proto *ltrace_typed(struct ltrace *lt, const struct ltrace_func *f);
/* ---- callsite.c */
/* The name that the call which returns to the address names; NULL: it is another kind of call. */
const char *ltrace_called_name(struct ltrace_object *o, u64 return_address);
/* The entry of the PLT that leads to a function, 0: none. */
u64 ltrace_stub(struct ltrace_object *o, const char *name);
/* ---- script.c: in the words_arena of c. */
const char *ltrace_script(struct ltrace *lt);
/* ---- summary.c */
/* f NULL: a system call. */
void ltrace_count_call(struct ltrace *lt, const struct ltrace_func *f, const char *name, u64 ns);
void ltrace_put_summary(struct ltrace *lt, struct buf *b);
/* ---- json.c: an object in a line, without its end; wall_ns: when it began. */
void ltrace_json_begin(struct buf *b, const struct ltrace_thread *th, const char *type,
		       u64 wall_ns);
/* caller: the name of the file that calls, or NULL; args: as in lines. */
void ltrace_json_call(struct buf *b, const char *caller, const char *name, const char *args);
void ltrace_json_result(struct buf *b, const char *result, u64 ns);
/* The exit status or signal of wait(2). */
void ltrace_json_status(struct buf *b, s32 wait_status);
/* ---- lines.c */
extern const struct output output_ltrace;
void ltrace_release_lines(struct ltrace *lt);

#endif
