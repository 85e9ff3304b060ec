/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the shared functions of a walk have in common: its state in scratch, the offsets of kernel
 * members, the maps. Private to unwind.c and unwind_keep.c.
 */
#ifndef SONDE_BUILTIN_UNWIND_WALK_H
#define SONDE_BUILTIN_UNWIND_WALK_H

#include "builtin/text.h"
#include "builtin/unwind.h"
#include "type/unwind.h"

enum {
	/* The buffer: the state of a walk, the copied piece of the stack, the frames. */
	ST_SP = 0,
	ST_FP = 8,
	ST_PC = 16,
	ST_EXACT = 24, /* 1: pc is the next instruction; 0: a return address */
	ST_N = 32,     /* frames so far */
	ST_WHY = 40,   /* enum unwind_reason */
	ST_SALT = 48,
	ST_WINDOW_AT = 56,  /* address of the copied piece, */
	ST_WINDOW_LEN = 64, /* number of offsets at which a word may begin */
	ST_PID = 72,
	ST_BY_FP = 80,   /* the reason, if the last step guessed by frame pointers; else 0 */
	ST_SELF = 88,    /* offset of the buffer in scratch */
	ST_OWN_PID = 96, /* ST_PID may be the parent's */
	ST_START_STACK = 104,
	ST_FIRST = 112,   /* sp, fp, pc, link of the hit */
	ST_ENTERED = 144, /* struct unwind_raw.entered */
	ST_LINK = 152,    /* the link register, where pc is exact */
	ST_LOST = 160,    /* 1: sp is only a lower bound; with a link register */
	ST_WORD = 168, /* bytes of an address in the process's memory: 8, or 4 in 32-bit programs */
	ST_MASK = 176, /* the bits of such an address */
	ST_BYTES = 184,  /* of the stack, which are kept */
	ST_RETURN = 192, /* struct return_instance */
	ST_WINDOW = 288,
	WINDOW = 2048,
	ST_FRAMES = ST_WINDOW + WINDOW,

	MAX_RETURN_INSTANCE = ST_WINDOW - ST_RETURN,
	USER_PAGE = 4096,
};

struct walk_offsets {                          /* offsets of kernel members */
	u32 sp, fp, pc, link, mode, regs_size; /* in struct pt_regs; link: lr, on x86 rdi */
	u32 stack, mm, start_stack, real_parent, tgid;
	u32 thread_pointer; /* in task_struct */
	u32 utask, returns, ri_size, ri_addr, ri_stack, ri_next, ri_chained;
	bool has_returns, has_chained, has_thread_pointer;
};

struct walk { /* of a function */
	struct lower *l;
	struct opnd at; /* address of the buffer */
	u32 room;       /* bytes of frames */
	struct ir_block *stop;
};

/* False: the kernel has other types, and stacks cannot be unwound here. */
bool walk_find_offsets(const struct lower *l, struct walk_offsets *p);
/* The maps of type/unwind.h, by index. */
u32 walk_tables(struct lower *l);
u32 walk_processes(struct lower *l);
u32 walk_bell(struct lower *l);
/* Whether the tables are a single element, which programs address directly. */
bool walk_is_whole(const struct lower *l);
/* Whether stored hits use entries by number; else each processor has separate entries. */
bool walk_numbers_hits(const struct lower *l);
/* Address of the tables' element `number`. */
struct opnd walk_part(const struct walk *w, struct opnd number);
/* Address of the byte `offset` of the tables. */
struct opnd walk_tables_at(const struct walk *w, s64 offset);
/* Address of the entry `index`, masked, of a table with n entries of 1 << shift bytes, in one
 * element. */
struct opnd walk_table_at(const struct walk *w, s64 offset, struct opnd index, u32 n, u32 shift);
/* Continues in a block of a shared function, where no value of another block is known. */
void walk_place(struct lower *l, struct ir_block *b);
/* The address in a word that may be a signed return address. */
struct opnd walk_address(struct lower *l, struct opnd word);
/* Words of the state, by ST_*. */
struct opnd walk_get(const struct walk *w, u32 what);
void walk_put(const struct walk *w, u32 what, struct opnd v);
/* Stores the n-th frame. */
void walk_push(const struct walk *w, struct opnd n, struct opnd pc);
/* Continue if the condition holds; else the walk stops for that reason. */
void walk_demand_or(const struct walk *w, enum ir_cond cc, struct opnd a, struct opnd b,
		    struct opnd why);
void walk_demand(const struct walk *w, enum ir_cond cc, struct opnd a, struct opnd b,
		 enum unwind_reason why);
/* The first and the last call of the body of a shared function. It returns `value`, or 0 from the
 * stop block. */
struct walk walk_begin(struct lower *l, const struct opnd *arg, const u32 most[2]);
struct opnd walk_end(const struct walk *w, struct opnd value);
/* Words of the kernel's memory, and the task. */
struct opnd walk_kernel_word(struct lower *l, struct opnd base, u32 offset);
struct opnd walk_task(struct lower *l);
/* Address of the struct pt_regs with which the process entered the kernel. */
struct opnd walk_registers(struct lower *l, const struct walk_offsets *p);
/* The register `link` in it. */
struct opnd walk_link(struct lower *l);
/* Address of the struct unwind_process of ST_PID, or 0. */
struct opnd walk_process(const struct walk *w);

/* The word at an address of the stack; the walk stops if it cannot be read. */
struct opnd walk_read_word(const struct walk *w, struct opnd address);
/* The same, of ST_WORD bytes. */
struct opnd walk_read_pointer(const struct walk *w, struct opnd address);
/* n words of ST_WORD bytes past an address. */
struct opnd walk_past(const struct walk *w, struct opnd address, u32 n);
/* A member of the struct unwind_rule at an address. */
struct opnd walk_rule_field(struct lower *l, struct opnd rule, u32 offset, u32 size);
#define RULE_FIELD(l, rule, name)                                                                  \
	walk_rule_field(l, rule, offsetof(struct unwind_rule, name),                               \
			(u32)sizeof(((struct unwind_rule *)0)->name))
/* The code that follows runs if kind == k; walk_else() ends it. */
struct ir_block *walk_if(struct lower *l, struct opnd kind, s64 k);
void walk_else(struct lower *l, struct ir_block *no, struct ir_block *out);

/* ---- unwind_odd.c: each makes the state that of the caller, or stops the walk */
void walk_push_this(const struct walk *w);
void walk_step_odd(const struct walk *w, struct opnd rule);
/* why: why the code has no rule; continues at `again`. */
void walk_step_by_fp(const struct walk *w, struct opnd why, struct ir_block *again);
/* The state's pc is where a return probe traps, or not a code address. */
void walk_step_return_probe(const struct walk *w);

/* unwind_keep.c: a stack that may have ended only because its tables do not exist yet. Sets the
 * variable to its id. */
void walk_keep_if_new(struct lower *l, struct opnd buffer, u32 id, const u32 most[2]);

#endif
