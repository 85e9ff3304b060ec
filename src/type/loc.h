/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a probe's argument lives, as data: providers say it, lowering reads it. Most are a word of
 * the context; what debug information describes is a short program for a stack of words, or several
 * pieces.
 */
#ifndef SONDE_TYPE_LOC_H
#define SONDE_TYPE_LOC_H

#include "type/type.h"

struct call_format;
struct snapshot;

/* Numbers of system calls: those of 32-bit programs on x86-64 follow those of the machine. */
enum { SYSCALL_I386 = 512, SYSCALL_SET_BITS = 1024 };

enum loc_kind {
	LOC_NONE,
	LOC_CTX, /* value at ctx + offset (tracepoint record field, BTF argument: 8 bytes each) */
	/* the address ctx + offset itself (arrays inside a tracepoint record; pointers to it) */
	LOC_CTX_ADDR,
	/* u32 at ctx + offset holds (len << 16 | offset); the data is at ctx + offset */
	LOC_DATA_LOC,
	LOC_REL_LOC, /* likewise, relative to the end of that u32 */
	LOC_REG,     /* pt_regs at ctx: offset of the register within it, plus inner */
	LOC_REGS_PTR, /* ctx + offset holds a struct pt_regs * (kernel memory); a word of 8 bytes, or of as
		       * many as value says, at + inner */
	LOC_REGS_USER, /* likewise, a pointer of the process: the value lies there, at + value */
	LOC_CONST,     /* value; of what is no scalar the address */
	LOC_STACK,     /* word at [sp + inner] of the traced context (user or kernel, by space) */
	/* step[0..n): leaves the address of the value on top, or with is_value the value */
	LOC_EXPR,
	LOC_PIECES, /* piece[0..n), consecutive, lowest address first */
};

/* Steps are those of DWARF's expressions (DWARF 5, 2.5), with what depends on the frame worked
 * in. */
enum loc_op {
	LOP_CONST, /* push value */
	LOP_REG,   /* push the register at ctx + value */
	/* push the thread pointer: the word at value in the kernel's struct task_struct */
	LOP_THREAD,
	LOP_DEREF, /* address -> size bytes there, extended by is_signed */
	LOP_EXT,   /* keep size bytes, extended by is_signed */
	LOP_PICK,  /* push a copy of the value-th from the top */
	LOP_SWAP,
	LOP_ROT, /* a b c -> c a b, c was on top */
	LOP_DROP,
	LOP_ADD,
	LOP_SUB,
	LOP_MUL,
	LOP_DIV, /* signed */
	LOP_MOD, /* unsigned */
	LOP_AND,
	LOP_OR,
	LOP_XOR,
	LOP_SHL,
	LOP_SHR,
	LOP_SAR,
	LOP_NEG,
	LOP_NOT,
	LOP_ABS,
	LOP_EQ, /* 0 or 1; signed */
	LOP_NE,
	LOP_LT,
	LOP_LE,
	LOP_GT,
	LOP_GE,
	N_LOC_OPS
};

enum { LOC_MAX_DEPTH = 16, LOC_MAX_STEPS = 64, LOC_MAX_PIECES = 16 };

struct loc_step {
	enum loc_op op;
	u8 size;
	bool is_signed;
	s64 value;
};

struct loc_piece;

struct loc {
	enum loc_kind kind;
	u32 offset;
	s32 inner;
	u8 size; /* bytes of the value as stored: 1, 2, 4, 8 */
	bool is_signed;
	bool is_value; /* LOC_EXPR */
	/* LOC_CTX: a pointer that may be null, which verifiers require to be checked before use */
	bool nullable;
	/* LOC_CTX: a pointer that verifiers do not let a program load: a helper reads it */
	bool opaque;
	bool known; /* LOC_CTX: verifiers know it as a pointer to a kernel structure */
	s64 value;
	const struct loc_step *step;
	const struct loc_piece *piece;
	u32 n; /* of step or piece */
};

struct loc_piece {
	struct loc loc;
	u32 size; /* bytes */
};

/* Types that a binary describes, for names in the clauses of its probes. */
struct type_scope {
	void *ctx;
	/* tag as in struct world; everywhere: also what the probe's own source file does not
	 * see. */
	const struct type *(*find)(void *ctx, u8 tag, const char *name, bool everywhere);
};

/* As what the kernel loads a program, and on what it is attached. */
struct load_kind {
	u32 prog_type;      /* BPF_PROG_TYPE_* */
	u32 attach_type;    /* expected_attach_type */
	u32 btf_id;         /* tp_btf, fentry, iter */
	const char *module; /* whose BTF that id is of; NULL: the kernel's, or bpf_prog's */
	u32 bpf_prog;       /* id of a BPF program to trace, 0: none */
};

/* How a clause's program sees its event: the target profile. One per distinct argument layout. */
enum profile_kind {
	PROFILE_NONE,       /* begin, end, self: nothing to read */
	PROFILE_PT_REGS,    /* kprobe, uprobe: ctx is struct pt_regs * */
	PROFILE_TRACEPOINT, /* perf path: ctx is the event's record */
	PROFILE_RAW_TP,     /* ctx is u64 args[] */
	PROFILE_BTF,        /* tp_btf, fentry, fexit: u64 args[] with BTF types */
	PROFILE_PERF_EVENT, /* ctx is struct bpf_perf_event_data: pt_regs first */
	PROFILE_ITER,
};

struct arg_desc {
	const char *name;
	const struct type *type;
	struct loc loc;
	const char *text; /* its declaration as the kernel writes it, for listings; may be NULL */
	/* no argument of this call: its result, or an argument of another call of its family */
	bool is_foreign;
	const char *why; /* it is known but cannot be read: the reason; loc is LOC_NONE then */
	/* 1 and up: which part of profile.kept it is, as it was at the entry of the call */
	u32 kept;
	/* a part of it cannot: the reason; loc is LOC_PIECES with LOC_NONE among them */
	const char *gap;
};

/* Bits of a word of struct task_struct, at offset; mask 0: not asked. */
struct task_bits {
	u32 offset, size;
	u64 mask;
};

struct noted_reads;

/* Why arguments are not known. */
struct missing_args {
	const char *why; /* there are no args or vars, where they could be; may be NULL */
	bool no_btf;     /* ... because the kernel's types are not available */
	/* why the arguments cannot be known here; NULL: args are all there are */
	const char *unseen;
	const char *unseen_help; /* ... and what helps */
	/* the file is not here yet: any argument may be named, and none is known */
	bool awaits_file;
};

/* The return of a call that replaces the caller's memory: session/keepers.c. */
struct kept_args {
	/* the map (without the at sign) that holds the arguments of the entry under curtask; NULL:
	 * they can be read */
	const char *map;
	const char *clause; /* that puts them there */
};

/* Of argstr there (type/call.h). */
struct profile_snapshot {
	const struct snapshot *what;   /* to copy; NULL: argstr is not used */
	struct arg_desc *args, result; /* that it sends */
	struct arg_desc *i386_args;    /* syscall.either: of 32-bit programs */
	u32 kept;  /* 1 and up: which part of profile.kept has that of the entry */
	bool gone; /* it replaces that of the return if the call succeeded */
	const struct call_format **calls; /* how calls are shown, by number */
	const struct snapshot **rows;     /* what->is_rows: of each call, by number */
};

/* Registers that show whether user code ran. */
struct user_mode {
	struct arg_desc where;
	u64 mask, user; /* which bits of it, and what they are then */
};

/* The path by the raw tracepoint of all system calls: the program accepts only these numbers, and
 * 64-bit calls. */
struct syscall_profile {
	bool enter, exit;
	bool decoded; /* the arguments are as syscall probes know them */
	bool i386;    /* of 32-bit programs on x86-64: numbers from SYSCALL_I386 on */
	bool either;  /* native calls and those of 32-bit programs, which copy the same memory */
	/* where the number is: an argument at entry, saved registers at exit */
	struct arg_desc nr;
	u64 *set;    /* bitmap of SYSCALL_SET_BITS numbers, NULL: all */
	u32 *site;   /* number -> site index, for `probe`; NULL when there is one site */
	u32 of_none; /* exit: the call that the number -1 stands for; 0: none */
	struct task_bits compat; /* of thread_info: a 32-bit call; mask 0: there are none here */
	/* Where registers are typed: a call is native for sure when cs is user_cs and cx equals ip,
	 * which is what the SYSCALL instruction leaves; offsets in struct pt_regs. user_cs 0: not
	 * here. */
	struct {
		u16 user_cs, cs, cx, ip;
	} native;
};

#define NO_SITE (~0u)

/* How a program knows the site whose event it sees. */
struct profile_site {
	u32 index; /* when constant; NO_SITE: from cookie or system call number */
	bool from_cookie;
	/* which half of the cookie: 32 the low one, 64 the high one; 0: all of it */
	u8 cookie_bits;
	bool own; /* the index is compiled in: never shared with another target */
	/* of all sites of the program, if it looks up symbols there (BI_READS_FILE); NULL */
	const char *file;
};

/* Arguments, variables or registers that a clause can name. */
struct arg_list {
	struct arg_desc *v;
	u32 n;
};

static inline struct arg_desc *arg_find(const struct arg_list *l, const char *name)
{
	for (u32 i = 0; i < l->n; i++)
		if (streq(l->v[i].name, name))
			return &l->v[i];
	return NULL;
}

/* The whole record, if it can be printed. */
struct profile_record {
	const struct type *type; /* TY_EVENT: argstr; NULL: there is none */
	const char *name;        /* for messages: "struct syscalls_sys_enter_read_args" */
};

/* Registers that the context holds. */
struct profile_registers {
	struct arg_list list;  /* reg("NAME") */
	struct user_mode mode; /* if there are registers */
	bool are_users;        /* argN and reg() are a user function's (uprobe) */
};

/* The function that the site is in. */
struct profile_function {
	bool is_known;         /* func can be answered */
	struct arg_desc where; /* where the function's address is; LOC_NONE: bpf_get_func_ip */
	bool is_return;        /* return probe */
	/* of the return address that a stack lacks as the kernel walks it, the user's where
	 * registers.are_users; LOC_NONE: none */
	struct loc caller;
	/* the site is N bytes after the function's entry; ustack shows the entry */
	u32 ip_delta;
	/* of a user function before it makes its frame: the return address is at sp + return_at -
	 * 1; 0: elsewhere */
	u32 return_at;
};

/* An iterator. */
struct profile_iterator {
	/* the argument that is the task whose object is shown, and where its tgid lies; NULL: no
	 * process's */
	const struct arg_desc *owner;
	u32 owner_tgid;
	bool pinned; /* it outlives sonde: its output goes to its readers */
};

struct profile {
	enum profile_kind kind;
	struct load_kind load;
	enum space default_space; /* of integers turned into pointers: str(arg0) */

	struct arg_list args; /* args.NAME; a struct type when the whole record can be printed */
	struct profile_record record;
	struct arg_list vars;   /* vars.NAME */
	struct arg_list argn;   /* arg0.. argN; empty when not available */
	struct arg_desc retval; /* kind LOC_NONE: none */
	bool may_be_null;       /* pointers among the arguments are nullable */
	struct missing_args missing;
	struct kept_args kept;

	struct arg_desc goid;           /* Go's goroutine; LOC_NONE: not known */
	const struct type_scope *types; /* may be NULL */
	bool fixed_address; /* locations hold at this very address: the site may not be moved */
	struct profile_registers regs;
	struct profile_function func;
	struct syscall_profile syscall;
	struct profile_snapshot snapshot;
	struct profile_site site;
	/* events of a script that was recorded: type/noted.h; NULL */
	const struct noted_reads *noted;
	bool d_path; /* the kernel lets programs here ask for the name of a struct path */
	/* The kernel is still loading the program (exec): what it writes then is not the program's
	 * doing. */
	struct task_bits loading;
	struct profile_iterator iterator;
	bool only_child; /* events of the -c command alone */
};
#endif
