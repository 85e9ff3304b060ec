/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sonde strace: system calls in the format of strace(1).
 *
 *	options.c	options -> struct strace_options
 *	sets.c		the sets of -e: calls, signals, states, descriptors
 *	script.c	struct strace_options -> a script, which prints a record for each event
 *	file_clauses.c	-y: the part of the script that says what descriptors are
 *	i386.c		whether calls of 32-bit programs are traced
 *	files.c		-y: what descriptors are
 *	paths.c		-P: calls that name a file
 *	inflight.c	the calls that threads are in when tracing begins
 *	lines.c		the output: each record to its handler (event.h), which appends lines
 *	calls.c		entries and returns of calls, paired
 *	delivery.c	deliveries of signals
 *	lifetime.c	forks, executions and ends of threads
 *	descriptors.c	-y: records of what a descriptor is
 *	threads.c	the threads that are traced
 *	put.c		the parts of a line, and the file that it goes to
 *	dump.c		-e read=, -e write=: data in hex
 *	memory.c	memory of a call that is more than argstr keeps
 *	pids.c		-Y: the command names of processes
 *	result.c	what a call returned, as text
 *	signal.c	signals and ends as text
 *	json.c		the objects of --format=json
 *	summary.c	-c, -C: the table
 *
 * The order of lines is that of strace: a line begins when the call does. If another thread's event
 * comes before the return, the line ends with <unfinished ...>, and the return is a line of its
 * own, <... NAME resumed>.
 */
#ifndef SONDE_CLI_STRACE_STRACE_H
#define SONDE_CLI_STRACE_STRACE_H

#include <stdio.h>
#include "base/hash.h"
#include "cli/cli.h"
#include "cli/line.h"
#include "sym/syscalls.h"
#include "trace/call_text.h"
#include "trace/names.h"

/* The first member of each record that the script prints. */
enum strace_record {
	RECORD_ENTER =
		/* tid, pid, ns or 0, probe, the clock of -c, 0, stack of -i, name of -Y,
		 * arguments */
	1,
	/* tid, pid, ns or 0, probe, the clock of -c, result or STRACE_NO_RESULT, arguments */
	RECORD_RETURN,
	RECORD_BORN,    /* tid, pid, ns, process that began it: a thread begins */
	RECORD_END,     /* the members of SIGNAL, wait(2) status, number of remaining threads */
	RECORD_SIGNAL,  /* tid, pid, ns, number, code, errno, four words of the siginfo */
	RECORD_IGNORED, /* the same: a signal that has no effect */
	RECORD_TICK,    /* 0, 0, ns */
	RECORD_FORKED,  /* tid, pid, ns: the thread has begun another one */
	RECORD_EXEC,    /* tid, pid, ns, whether the program is a 32-bit one */
	/* tid, pid, ns, descriptor, path; -yy: mode, device, process of a pidfd or 0 */
	RECORD_FILE,
	RECORD_SOCKET, /* tid, pid, ns, descriptor, the members of struct strace_socket */
	RECORD_MEMORY, /* tid, pid, 0, address, bytes */
	N_STRACE_RECORDS
};

/* Whether a return is shown: -e status=, -z, -Z. */
enum strace_status {
	STATUS_SUCCESSFUL = 1,
	STATUS_FAILED = 2,
	STATUS_UNFINISHED = 4,
	STATUS_UNAVAILABLE = 8,
	STATUS_DETACHED = 16,
	STATUS_ALL = 31
};

enum { STRACE_STRINGS_MOST = 4096 /* bytes that a program copies of a buffer */ };
enum { STRACE_NO_RESULT = -600 /* the thread ends in the call; errors are less than 530 */ };
enum { STRACE_FD_MAX = 1024 /* descriptors of -e read= and write= are less */ };

/* -e decode-fds=: what is shown of descriptors. */
enum strace_decode {
	DECODE_PATH = 1,
	DECODE_SOCKET = 2,
	DECODE_DEVICE = 4,
	DECODE_PIDFD = 8,
	DECODE_ALL = 15
};

/* Messages that can be left out. */
enum strace_message {
	MESSAGE_ATTACH = 1,
	MESSAGE_EXIT = 2,
	MESSAGE_PATH = 4,
	MESSAGE_PERSONALITY = 8,
	MESSAGE_THREAD_EXECVE = 16,
	MESSAGE_SUPERSEDED = 32,
	MESSAGE_ALL = 63
};

struct strace_options {
	u64 calls[SYSCALL_MAX / 64];   /* set of numbers */
	bool all_calls;                /* every call of the machine */
	bool i386;                     /* those of 32-bit programs, too */
	u64 raw[SYSCALL_MAX / 64];     /* -e raw=: numbers of calls */
	u64 abbrev[SYSCALL_MAX / 64];  /* -e abbrev=: whose structures are shown in part */
	u64 verbose[SYSCALL_MAX / 64]; /* -e verbose=: whose structures are shown */
	u64 read_fds[STRACE_FD_MAX / 64], write_fds[STRACE_FD_MAX / 64]; /* data in hex */
	u64 signals;                   /* bit N - 1 for signal N */
	u32 status;                    /* enum strace_status set */
	struct line_clock clock;       /* -t, -r */
	bool spent;                    /* -T */
	bool numbers, stacks;          /* -n, -k */
	bool pointer, arg_names;       /* -i, -N */
	bool pids;                     /* -Y */
	u32 files;                     /* -y: enum strace_decode set */
	enum call_constants constants; /* -X */
	int spent_digits;              /* of -T */
	bool detach_on_execve;         /* -b execve */
	const char **paths;            /* -P */
	u32 n_paths;
	u32 strings, hex;    /* -s: bytes of strings; -x: how often */
	u32 column;          /* -a: where " = " begins */
	u32 quiet, forks;    /* -q, -f: how often */
	u32 silent;          /* enum strace_message set: left out by -q, -qq, -e quiet= */
	u64 overhead_ns;     /* -O: subtracted from the time of each call in the table */
	bool separate;       /* -ff: FILE.TID for each thread */
	bool append;         /* -A */
	bool json;           /* objects instead of lines */
	bool summary, lines; /* -c: only the first, -C: both */
	bool wall;           /* -w */
	const char *sort;    /* -S, or NULL */
	const char *columns; /* -U, or NULL */
};

enum strace_result { RESULT_NUMBER, RESULT_HEX, RESULT_OCTAL, RESULT_U32 };

/* Properties of a call: result.c. */
struct strace_call {
	const char *name;
	u32 nr; /* SYSCALL_MAX: not in the table; from SYSCALL_I386 on: of 32-bit programs */
	u32 n_at_entry; /* arguments that are known at the entry; the others are set by the call */
	enum strace_result result;
	bool never_fails;
	bool returns_fd, returns_pid;
	bool lists_fds; /* of all that are open there are records */
};

/* Descriptors and what they are. */
struct strace_files {
	struct strace_file *v;
	u32 n;
};

struct strace_thread {
	u32 tid, pid;
	bool lives, is_new;             /* is_new: the return of the fork has not been seen */
	const struct strace_call *call; /* that it is in, or NULL */
	u64 begun_ns, begun_clock;
	bool is_missing;  /* from /proc */
	bool was_in_call; /* since before tracing began; no record has come yet */
	bool is_hidden;   /* the call does not name a file of -P */
	bool is_shown;    /* the begin of the call is on a line */
	bool is_open;     /* ... which has no end yet */
	const struct type *args_type;
	struct {
		struct buf args;       /* the bytes of the argument record at the entry */
		struct call_more more; /* memory of the call besides */
	};
	struct buf held; /* a line that follows the return of the call; without the newline */
	u32 last_signal; /* of the first thread: delivered to the process */
	bool is_ending;  /* the first thread, while others live: end_code is what it ended with */
	s32 end_code;
	u32 width;        /* of its open line */
	u64 ip;           /* -i; 0: not known */
	u32 nr;           /* -n: of its last call */
	char comm[16];    /* -Y */
	bool is_i386;     /* its last call was one of a 32-bit program */
	bool changes;     /* execve is changing between 32-bit and 64-bit programs */
	bool is_detached; /* -b execve */
	struct buf out;   /* -ff: what its file gets */
	int fd;           /* -ff: that file, or -1 */
	/* -y: of its call; since its last event; of the process whose first thread this is */
	struct strace_files call_files, next_files, files;
};

struct strace_count {
	u64 calls, errors, ns, min_ns, max_ns;
};

struct strace {
	struct cli *c;
	struct sink *s;
	struct strace_options o;
	struct hash threads;           /* by tid: struct strace_thread */
	struct hash sockets;           /* -yy: by inode, what was known last: struct strace_known */
	s32 n_expected;                /* threads that were created and have not run yet */
	bool none_lived;               /* at the last scan of /proc */
	u32 n_live;                    /* threads that have not ended */
	struct strace_thread *current; /* whose call began last, if nothing was printed since */
	bool awaits_exec;              /* CMD has not been executed yet */
	bool has_executed;             /* some program */
	bool no_more_in_call;          /* calls that began before tracing have been shown */
	u64 looked_ns;                 /* time of the last scan of /proc */
	u64 last_ns;             /* of the last record with a time: those of calls may have none */
	struct names names;      /* those of s, and -y */
	struct call_style style; /* of them */
	FILE *pipe;              /* -o '|COMMAND'; or NULL */
	struct buf comm;         /* -Y: of a process that is not traced */
	struct strace_thread *shown; /* whose arguments become text */
	struct buf line;             /* being put together */
	struct buf entry_args, args; /* arguments as text: of a call that is begun; others */
	struct buf joined;           /* a value of argstr: what entry and return have copied */
	struct strace_call **sites;  /* by number of the site; NULL: not known yet */
	u32 n_sites;
	struct strace_count counts[SYSCALL_MAX];
};

/* ---- options.c: 0, or 1 after a message. */
int strace_read_options(struct strace *st);
/* ---- sets.c: 0, or 1 after a message. set: of SYSCALL_MAX, STRACE_FD_MAX or 64 members. */
int strace_read_calls(struct strace *st, const char *words, u64 *set);
int strace_read_fds(struct strace *st, const char *words, u64 *set);
int strace_read_signals(struct strace *st, const char *words, u64 *set);
int strace_read_names(struct strace *st, const char *what, const char *names, const char *words,
		      u64 *set);
bool strace_in_set(const u64 *set, u64 n_set, u64 i);
bool strace_is_raw(const struct strace_options *o, u32 nr);
bool strace_has_call(const struct strace_options *o, u32 nr);
/* One past the highest number of a call that may be traced. */
u32 strace_end_of_calls(const struct strace_options *o);
/* ---- i386.c */
bool strace_is_i386(u32 pid);
bool strace_wants_i386(const struct traced *t);
/* ---- script.c: in the words_arena of c. */
const char *strace_script(const struct strace *st);
/* ---- file_clauses.c */
void strace_put_file_clauses(struct buf *b, const struct strace_options *o);
/* ---- inflight.c: the number of the call that a thread is in and a value of argstr; false: in
 * none. */
bool strace_in_call(u32 pid, u32 tid, const struct program *prog, u32 *nr, struct buf *value);
/* ---- files.c */
enum { STRACE_CWD = -100 }; /* AT_FDCWD */
void strace_set_file(struct strace *st, struct strace_thread *th, s32 fd, const char *text,
		     size_t len);
void strace_close_file(struct strace *st, const struct strace_thread *th, s32 fd);
void strace_take_files(struct strace_thread *th);
void strace_forget_files(struct strace_files *files);
/* Of the thread that is shown; NULL: not known. ctx: struct strace. */
const char *strace_file(void *ctx, s32 fd, bool is_arg);
/* Whether there are records also of the descriptors in memory. */
bool strace_lists_files(void);
/* After the path of a device, "<char 1:3>"; dev as in the kernel. */
void strace_put_device(struct buf *b, u32 mode, u32 dev);
/* Of a file of this mode. */
bool strace_shows_path(const struct strace *st, u32 mode);
/* ---- lines.c */
extern const struct output output_strace;
/* ---- threads.c */
/* Created if unknown; pid: its process. */
struct strace_thread *strace_thread_of(struct strace *st, u32 tid, u32 pid);
void strace_thread_ends(struct strace *st, struct strace_thread *th);
/* Those that live, from *i on; NULL: no more. */
struct strace_thread *strace_next_thread(const struct strace *st, u32 *i);
/* The threads of a process that runs already. */
void strace_add_process(struct strace *st, u32 pid);
/* The call in which a thread is already. */
void strace_look_in_call(struct strace *st, struct strace_thread *th);
/* Ends whose records were lost. */
void strace_look_for_ends(struct strace *st);
void strace_release(struct strace *st);
/* ---- put.c: st->line is put together, and moved to the output of the thread. */
void strace_begin_line(struct strace *st, struct strace_thread *th, u64 ns);
void strace_put_line(struct strace *st, struct strace_thread *th);
void strace_write_file(struct strace *st, struct strace_thread *th);
/* The arguments as text, in b: a value of argstr. */
const char *strace_format_args(struct strace *st, struct buf *b, struct strace_thread *th,
			       const struct type *t, const char *p);
/* NAME(what is known at the entry; the line stays open. */
void strace_begin_call(struct strace *st, struct strace_thread *th);
/* Another line follows: the call that began last gets a line of its own, ending with `how`. */
void strace_close_current(struct strace *st, const char *how);
/* The call and its arguments up to ")", which may have begun on a line before: of that the
 * width. */
u32 strace_put_call(struct strace *st, struct strace_thread *th, const char *args, u64 ns);
void strace_put_equals(struct strace *st, u32 width);
void strace_put_spent(struct strace *st, u64 ns);
/* The line that follows the return of a call. */
void strace_flush_held(struct strace *st, struct strace_thread *th, u64 ns);
/* ---- memory.c: clauses that print RECORD_MEMORY; what those of a thread have said. */
void strace_put_memory(struct buf *b, const struct strace *st);
void strace_forget_memory(struct strace_thread *th);
/* ---- dump.c */
/* The descriptors for which a call shows its data in hex; NULL: it has none. */
const u64 *strace_dumped_fds(const struct strace_options *o, const char *name);
/* In st->line, the data that a call that has succeeded has read or written. */
void strace_put_dump(struct strace *st, const struct strace_call *call, const void *value,
		     u32 size);
/* ---- pids.c: "<cat>" of a process, or NULL. ctx: struct strace. */
const char *strace_comm(void *ctx, u32 pid);
/* comm: up to 15 bytes and a NUL. */
void strace_set_comm(struct strace_thread *th, const char *comm);
/* ---- result.c */
/* The members of a call with this name. */
void strace_describe(struct strace_call *c);
bool strace_returns_fd(const char *name);
/* "0", "-1 ENOENT (No such file or directory)", "0x7f..."; value: of argstr at the return. */
void strace_put_result(struct buf *b, const struct strace_call *call, const struct names *names,
		       const void *value, u32 size, s64 ret);
bool strace_is_error(const struct strace_call *call, s64 ret);
/* Length of the first n arguments of a text, with the separator that follows. */
size_t strace_args_length(const char *args, u32 n);
/* ... of those that are known at the entry. */
size_t strace_entry_length(const struct strace_call *call, const char *args);
/* Past a string of a text, which begins at s. */
const char *strace_after_string(const char *s);
/* ---- paths.c */
int strace_add_path(struct strace *st, const char *path);
/* Of the arguments as text with what descriptors are. */
bool strace_names_path(const struct strace_options *o, const struct strace_call *call,
		       const char *args);
/* ---- signal.c */
void strace_put_signal_name(struct buf *b, u32 signo);
u32 strace_signal_number(const char *name, size_t len); /* "SIGHUP", "HUP", "1"; 0: none */
/* {si_signo=SIGCHLD, ...}: words are the bytes from offset 16 of a kernel_siginfo. */
void strace_put_siginfo(struct buf *b, u32 signo, s32 code, s32 err, const u64 words[4],
			const struct call_style *style);
/* +++ exited with 0 +++ */
void strace_put_end(struct buf *b, s32 wait_status);
/* ---- json.c: the parts of an object. */
void strace_json_begin(struct buf *b, const struct strace_thread *th, const char *type,
		       u64 wall_ns);
void strace_json_call(struct buf *b, const char *name, const char *args);
void strace_json_result(struct buf *b, const struct strace_call *call, s64 ret, u64 ns);
void strace_json_end(struct buf *b, s32 wait_status);
/* ---- summary.c */
int strace_check_summary(struct strace *st);
void strace_count_call(struct strace *st, u32 nr, u64 ns, bool is_error);
void strace_put_summary(struct strace *st, struct buf *b);

#endif
