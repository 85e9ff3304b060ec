/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde flow: what a function calls, as a tree with durations.
 *
 *	functions.c	words -> functions of the program and of the kernel
 *	files.c		the program -> files whose functions are shown
 *	found.c		functions that no file has -> messages
 *	split.c		functions -> those that the process engine serves, the others
 *	script.c	options -> a script, which sends a record at each entry and return
 *	records.c	records -> entries and returns
 *	order.c		records of two engines -> those of threads within FUNC, by time
 *	names.c		sites -> functions
 *	reach.c		functions of a kernel without multi links -> what they reach by direct calls
 *	kernel_args.c	--args of functions of the kernel
 *	frames.c	entries and returns -> the open calls of each thread: which have ended, by the stack pointer
 *	tails.c		two functions -> whether the first may end in a jump to the second
 *	lines.c		calls -> lines, --over
 *	json.c		calls -> JSON
 *	sums.c		calls -> --report, --graph
 *	cost.c		what probes on the kernel cost the machine
 *
 * A frame is where the return address is: the stack pointer at the entry. The stack grows down, so
 * an entry or return at a higher place means that all frames below have gone, also those whose
 * return was not seen because an exception or longjmp() left them, or because they ended in a jump.
 * An entry at the same place with the same return address is a tail call, if the code of the frame
 * there has such a jump: else it is the next call of a loop. Frames of a coroutine
 * that is suspended are set aside until something of its stack is seen. Functions of the kernel and
 * system calls return in order, so they need no place: they are within what is open.
 */
#ifndef SONDE_CLI_FLOW_FLOW_H
#define SONDE_CLI_FLOW_FLOW_H

#include "base/hash.h"
#include "cli/trace/trace.h"

enum flow_record {
	FLOW_ENTER,
	FLOW_RETURN,
	FLOW_CALL_ENTER, /* a system call */
	FLOW_CALL_RETURN,
	FLOW_KERNEL_ENTER, /* a function of the kernel */
	FLOW_KERNEL_RETURN
};

enum { FLOW_WORDS = 6 }; /* registers of arguments that a record has, of functions of the kernel */

#define FLOW_NONE UINT32_MAX /* no function */

/* Frames farther apart are on stacks of their own. */
#define FLOW_OTHER_STACK (256ull << 10)

struct flow_frame {
	u32 function;           /* its number */
	bool in_kernel;         /* a system call or a function of the kernel */
	bool is_open;           /* its line has been begun: something is called */
	bool is_tail;           /* it went on as the frame above it, at the same place */
	bool was_aside;         /* its lines are not together */
	u64 sp, back, ns;       /* back: the return address */
	u64 inner_ns;           /* time of what it called */
	size_t line;            /* --over: where its lines begin in the thread's text */
	char *args;             /* as text, or NULL */
	struct flow_node *node; /* --graph */
};

/* A call path of --graph. */
struct flow_node {
	u32 function;
	u64 calls, ns;
	struct flow_node *inner, *next; /* the first that it calls; the next of its caller */
};

struct flow_frames {
	struct flow_frame *v;
	u32 n, cap;
};

struct flow_thread {
	u32 tid;
	struct flow_frames open;  /* the innermost is the last */
	struct flow_frames aside; /* of suspended coroutines */
	u64 last_ns;
	u64 in;          /* split: @in of the script */
	bool elsewhere;  /* it runs where the kernel serves all functions */
	struct buf text; /* of lines that are not written yet */
};

/* How a call ended. */
struct flow_end {
	u64 ns;
	const char *result; /* text, or NULL */
	const char *args;   /* of a system call, which are known when it returns; or NULL */
	bool unseen;        /* something above it showed that it is gone */
};

/* Clauses of the script if the process engine serves functions. */
enum flow_split_kind {
	SPLIT_BEGIN, /* entries of FUNC */
	SPLIT_ENTER,
	SPLIT_LEAVE,
	SPLIT_KERNEL_BEGIN, /* of functions that the kernel serves: of all threads */
	SPLIT_KERNEL_ENTER,
	SPLIT_KERNEL_LEAVE,
	/* The first three in processes that execute the program, where the kernel serves them: of
	 * all threads. */
	SPLIT_ELSEWHERE,
	N_SPLIT_KINDS = SPLIT_ELSEWHERE + 3
};
/* Above @in[tid], by less than that, a place is outside of FUNC. */
#define FLOW_OUTSIDE (8ull << 20)

struct flow_sum {
	u64 calls, ns, self_ns;
};

struct flow_function {
	const char *name; /* demangled */
	const char *file; /* NULL: in none */
	const char *symbol;
	struct flow_sum sum;
};

struct flow_tails {
	VEC(struct elf *) files; /* opened */
	struct hash known;       /* by two functions: whether the first may jump to the second */
};

/* A record of the kernel's that waits for those of the process engine. */
struct flow_waiting {
	u64 ns;
	const struct type *type;
	void *value;
};
struct flow_queue {
	struct flow_waiting *v; /* by time */
	u32 first, n, cap;      /* from first to n - 1 */
};

struct flow_split {
	bool is_on;
	/* The kernel serves a FUNC: where threads are inside is decided here alone, of records of
	 * all threads. */
	bool sends_all;
	VEC(u8) kinds; /* of t.clauses */
	struct flow_queue waiting;
};

struct flow {
	struct trace t;                     /* probes, clauses, and what is counted */
	VEC(const char *) files;            /* whose functions are shown: the program, libraries */
	VEC(const char *) functions;        /* of these */
	VEC(const char *) kernel_functions; /* of the kernel, without "kprobe:" */
	const char *binary;                 /* of the command or process; NULL: none */
	bool is_script;                     /* it is none of machine code */
	u64 over_ns;
	u32 depth; /* 0: any */
	bool is_json;
	bool has_args, has_calls, has_kernel; /* --kernel */
	u64 call_ns;                          /* of a system call without probes */
	struct {
		bool lines, report, graph;
	} shows;
	struct hash threads; /* by tid: struct flow_thread */
	/* by function, from 1 */
	VEC(struct flow_function) known;
	struct hash functions_by_symbol;
	VEC(u32) sites;              /* site -> function; 0: not known yet */
	struct system_access system; /* symbols and types of the kernel */
	struct flow_tails tails;
	struct hash reached;    /* names of functions of the kernel: by direct calls */
	struct hash signatures; /* --args: by function, of the kernel */
	struct flow_node root;
	struct flow_split split;
	bool has_head; /* the line of titles is written */
	struct sink *s;
};

/* ---- files.c: f->binary, -l -> f->files. 0, or the exit status after a message. */
int flow_find_files(struct flow *f);
/* ---- functions.c: c->line.words -> f->functions, f->kernel_functions. 0, or the exit status after
 * a message. */
int flow_sort_functions(struct flow *f);
/* ---- found.c: 0, or the exit status after a message. */
int flow_check_found(struct flow *f);
/* ---- split.c: t.clauses -> those of f->split, and the engine of the run. */
void flow_split(struct flow *f);
/* ---- order.c */
void flow_wait(struct flow *f, const struct flow_waiting *w);
/* The oldest that waits, if it is not younger; the caller frees its value. */
bool flow_next_waiting(struct flow *f, u64 until, struct flow_waiting *w);
void flow_release_waiting(struct flow *f);
/* Whether the thread is inside FUNC at an event of a clause of a kind, where its stack pointer is
 * `sp`. */
bool flow_is_inside(struct flow_thread *th, enum flow_split_kind kind, u64 sp);
/* ---- script.c: 0, or the exit status after a message. */
/* The functions of the program -> t.clauses. */
int flow_clauses(struct flow *f);
void flow_script(struct flow *f, const char **script);
/* Functions of the kernel are probed. */
bool flow_has_kernel(const struct flow *f);
/* ---- reach.c: f->kernel_functions -> f->reached. 0, or the exit status after a message. */
int flow_find_reached(struct flow *f);
/* ---- frames.c */
struct flow_thread *flow_thread(struct flow *f, u32 tid);
void flow_enter(struct flow *f, struct flow_thread *th, const struct flow_frame *frame);
void flow_return(struct flow *f, struct flow_thread *th, const struct flow_frame *frame,
		 const struct flow_end *end);
/* At the end of the run: the calls that have not returned. */
void flow_end(struct flow *f);
void flow_release(struct flow *f);
/* ---- names.c */
/* The number of the function of a site, from 1; FLOW_NONE: it is none. */
u32 flow_function(struct flow *f, u32 site);
const char *flow_name(const struct flow *f, u32 function);
/* "   12.345 us" */
void flow_put_time(struct buf *b, u64 ns);
/* ---- tails.c */
bool flow_may_jump(struct flow *f, u32 from, u32 to);
void flow_release_tails(struct flow *f);
/* ---- kernel_args.c: nothing where types are not known. words: FLOW_WORDS of them. */
void flow_put_kernel_args(struct flow *f, struct buf *b, u32 function, const u64 *words);
void flow_put_kernel_result(struct flow *f, struct buf *b, u32 function, u64 word);
/* ---- records.c */
extern const struct output output_flow;
/* ---- lines.c */
/* The call on top is about to call something. */
void flow_put_begun(struct flow *f, struct flow_thread *th);
/* The call on top ends. */
void flow_put_end(struct flow *f, struct flow_thread *th, const struct flow_end *end);
/* The i-th open call at the end of the run. */
void flow_put_unfinished(struct flow *f, struct flow_thread *th, u32 i);
/* Writes complete output to the sink. */
void flow_write_lines(struct flow *f, struct flow_thread *th);
/* ---- json.c: the same in JSON, each an object in a line. */
void flow_json_end(struct flow *f, struct flow_thread *th, const struct flow_end *end);
void flow_json_unfinished(struct flow *f, struct flow_thread *th, u32 i);
void flow_json_sum(struct buf *b, const char *name, const struct flow_sum *sum);
void flow_json_node(struct buf *b, const char *name, const struct flow_node *node, u32 depth);
/* ---- sums.c */
void flow_sum_enter(struct flow *f, struct flow_thread *th);
void flow_sum_end(struct flow *f, struct flow_thread *th, u64 ns);
void flow_put_report(struct flow *f, struct buf *b);
void flow_put_graph(struct flow *f, struct buf *b);
/* ---- cost.c */
void flow_time_before(struct flow *f);
/* When probes are attached. */
void flow_tell_cost(struct flow *f, u32 n_probes);

#endif
