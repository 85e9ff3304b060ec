/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed tree -> IR. This header is what builtin rows write against. Building folds and reuses: asking
 * twice for the same stable value gives the same temporary.
 *
 * A value is a scalar in an operand, or bytes in our memory at an address ("place"). Bigger things
 * (strings, tuples, structs, stacks) are lowered straight to where they are wanted: lower_into().
 */
#ifndef SONDE_IR_LOWER_H
#define SONDE_IR_LOWER_H

#include "ir/ir.h"
#include "lang/check.h"

struct ir_val {
	const struct type *type;
	bool in_memory; /* o is the address of type->size bytes, else o is the scalar */
	bool is_foreign; /* the address is the kernel's or a process's: read it with lower_probe_read() */
	enum space space; /* of a foreign address */
	bool clean;       /* a string whose bytes after the NUL are known to be zero */
	struct opnd o;
	struct opnd
		bytes; /* of a foreign array that is counted; else O_NONE: all that its type has */
};

struct lower {
	struct arena *arena;
	struct lang *lang;
	struct env *env;
	struct features *features;
	struct program *prog;
	struct ir_unit *unit;
	struct ir_func *f;
	struct ir_block
		*block; /* where code goes; never NULL: unreachable code goes to a dead block */
	struct instance *inst;
	const struct profile *profile;
	struct span span;      /* stamped on every instruction */
	struct lower_state *s; /* ir/state.h: value numbers, scratch, loops, the room's own */
};

/* ---- instructions */
struct opnd ir_op2(struct lower *l, enum ir_opcode op, struct opnd a, struct opnd b); /* folds */
struct opnd ir_ext(struct lower *l, struct opnd a, u32 size, bool is_signed);
/* Says that verifiers know it as a pointer to a kernel structure: arithmetic makes a number of it first. */
struct opnd ir_known(struct lower *l, struct opnd o);
struct opnd ir_set(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b);
struct opnd ir_load(struct lower *l, struct opnd addr, u32 size,
		    bool is_signed); /* our memory only */
void ir_store(struct lower *l, struct opnd addr, u32 size, struct opnd v);
struct opnd ir_addr(struct lower *l, struct opnd addr);
void ir_zero(struct lower *l, struct opnd addr, u32 len);
void ir_copy(struct lower *l, struct opnd dst, struct opnd src, u32 len);
void ir_atomic_add(struct lower *l, struct opnd addr, u32 size, struct opnd v);
/* Helper call. stable: the same arguments give the same result throughout the probe (reused). */
struct opnd ir_call(struct lower *l, u32 helper, bool stable, u32 n,
		    ...); /* struct opnd arguments */
struct opnd ir_emit(struct lower *l,
		    struct ir_insn insn); /* any op; returns the new dst or O_NONE */

/* ---- control */
struct ir_block *ir_block_new(struct lower *l);
void ir_jump(struct lower *l, struct ir_block *to);
void ir_branch(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b, struct ir_block *yes,
	       struct ir_block *no);
void ir_place(struct lower *l, struct ir_block *b); /* continues in b: appends it to the order */
u32 ir_var(struct lower *l);                        /* a mutable temporary */
void ir_var_set(struct lower *l, u32 var, struct opnd v);
struct opnd
ir_opaque(struct lower *l,
	  struct opnd v); /* v, of which verifiers know nothing where they would follow too much */
struct opnd ir_at_most(struct lower *l, struct opnd n,
		       s64 most); /* n, or most where n is more (or negative) */

/* ---- memory */
/* A temporary of our own, not initialised: on the stack when small, in claimed scratch when not. */
struct opnd lower_temp(struct lower *l, u32 size, u32 align, const char *name);
/* The same in scratch, until the program ends. */
struct opnd lower_scratch_kept(struct lower *l, u32 size);
/*
 * A string or buffer that a kernel function was handed may be its caller's: filename of do_sys_openat2. The
 * kernel's halves of the address space do not overlap on the processors that we know, so the address tells.
 */
enum space lower_handed_space(const struct lower *l, enum space s);
/* Reads size bytes at a foreign address into dst (probe_read_kernel or _user, by space). Failure zeroes
 * dst; reported as LOSS_UNREADABLE only with -k. */
void lower_probe_read(struct lower *l, struct opnd dst, u32 size, struct opnd addr,
		      enum space space);
/* Scalar of type t at a foreign address. */
struct opnd lower_read_scalar(struct lower *l, const struct type *t, struct opnd addr,
			      enum space space);
/* NUL-terminated string; dst gets at most cap bytes; returns the helper's result. A string of the process that
 * cannot be read at the entry of a system call is counted always. */
struct opnd lower_read_str(struct lower *l, struct opnd dst, u32 cap, struct opnd addr,
			   enum space space);

/* The same with a size that the code bounds itself (at most cap). */
struct opnd lower_read_str_sized(struct lower *l, struct opnd dst, struct opnd size, u32 cap,
				 struct opnd addr, enum space space);
void lower_probe_read_sized(struct lower *l, struct opnd dst, struct opnd size, u32 cap,
			    struct opnd addr, enum space space);
/* Whether the program can be one that waits for pages of user memory. */
bool lower_may_sleep(struct lower *l);
/* When a string is only compared with a literal: how many bytes are enough; 0: all. Asking clears it. */
u32 lower_str_limit(struct lower *l);
/* A string in our memory of which only the first len bytes matter: more is not read. Clean. */
struct ir_val lower_string_prefix(struct lower *l, struct node *n, u32 len);

/* ---- expressions */
struct ir_val lower_expr(struct lower *l, struct node *n);
/* The scalar, converted to u64/s64 by its own type; dereferences memory scalars. */
struct opnd lower_scalar(struct lower *l, struct node *n);
/* Writes n converted to type t at dst: all t->size bytes are defined afterwards. */
void lower_into(struct lower *l, struct node *n, const struct type *t, struct opnd dst);
void lower_store_val(struct lower *l, const struct ir_val *v, const struct type *t,
		     struct opnd dst);
/* Bytes in our memory, whatever n is: reads foreign memory, stores scalars. */
struct ir_val lower_memory(struct lower *l, struct node *n);
/* Like lower_into, but bytes behind a string's NUL may be anything: for records. */
void lower_into_record(struct lower *l, struct node *n, const struct type *t, struct opnd dst);
/* For builtins whose value is bytes: where to put them (what the caller wants, else a temporary).
 * canonical: bytes behind a string's NUL must be zero. Call it once, before lowering arguments that
 * may themselves be builtins. */
struct opnd lower_dest(struct lower *l, const struct type *t, bool *canonical);
/* Where an lvalue or aggregate lies, without reading it. */
struct ir_val lower_place(struct lower *l, struct node *n);
/* Converts a scalar held in 64 bits from one type to another. */
struct opnd lower_convert(struct lower *l, struct opnd v, const struct type *from,
			  const struct type *to);
/* Jumps on truth; short-circuits. Values numbered meanwhile are valid in both or dropped. */
void lower_cond(struct lower *l, struct node *n, struct ir_block *yes, struct ir_block *no);
void lower_stmts(struct lower *l, struct node *list);
struct ir_val val_scalar(const struct type *t, struct opnd o);
struct ir_val val_memory(const struct type *t, struct opnd addr);

/* ---- probe context */
/* The value described by a location, as type t (integers extended). */
struct ir_val lower_loc(struct lower *l, const struct arg_desc *arg);

/* The program's context pointer, + off, wherever we are. */
struct opnd lower_ctx(struct lower *l, s64 off);

/* Number of the system call on the raw path (profiles with syscall_enter or syscall_exit). */
struct opnd lower_syscall_number(struct lower *l);

/* ---- events */
struct event_build { /* one record under construction */
	struct event_desc *desc;
	struct opnd record; /* address of the reserved record */
	struct ir_block *out;
	u32 mark; /* values numbered while it is filled are not known behind it */
};
/* Plans a record: fields are added first, then begin reserves, the caller fills, end submits. */
struct event_desc *event_new(struct lower *l, const struct builtin *b, struct node *call);
u32 event_field(struct lower *l, struct event_desc *e, const struct type *t); /* its index */
struct event_build event_begin(struct lower *l, struct event_desc *e);
struct opnd event_at(const struct event_build *eb, u32 field);
void event_end(struct lower *l, struct event_build *eb);
/*
 * A whole record. fill stores the fields, at their offsets from record; where
 * lower_may_sleep() its code is there twice and may run three times, because reads of user memory wait for pages.
 */
typedef void (*event_fill_fn)(struct lower *l, const struct event_desc *e, struct opnd record,
			      void *ctx);
void event_emit(struct lower *l, struct event_desc *e, event_fill_fn fill, void *ctx);
/*
 * A record of any length, made in our own memory instead: room for a struct record_head, then len - 8 bytes
 * of the action's own. len is bounded by e->size.
 */
void event_output(struct lower *l, struct event_desc *e, struct opnd record, struct opnd len);
/* Records from here on wait for commit() of that number; 0: for nothing. Rows with BI_SPECULATES. */
void lower_speculate(struct lower *l, struct opnd number);
/* What waited for the number was decided: records from here on do not wait for it. */
void lower_speculation_decided(struct lower *l, struct opnd number);

/* ---- losses: adds one to the counter of (this statement, reason); which of prog->losses */
u32 lower_loss(struct lower *l, enum loss_reason reason, const char *where);
/* The same on a condition. Code after it goes on. */
void lower_loss_if_zero(struct lower *l, struct opnd v, enum loss_reason reason, const char *where);
void lower_loss_unless_zero(struct lower *l, struct opnd v, enum loss_reason reason,
			    const char *where);
/* The same for one of two reasons: odd where the lowest bit of which is set. */
void lower_loss_by_bit(struct lower *l, enum loss_reason even, enum loss_reason odd,
		       const char *where, struct opnd which);
/* Ends the program for this event: releases scratch, returns. Code after it is unreachable. */
void lower_return(struct lower *l, struct opnd value);

/* ---- lower_func.c: functions that the program has once */
struct shared_func {
	const char *name;
	u32 n_args;    /* at most 4: numbers */
	bool is_table; /* most[1] is of a table in the data map, not of scratch */
	/* Its value. most: bytes that calls need behind the offsets that they hand over. */
	struct opnd (*body)(struct lower *l, const struct opnd *arg, const u32 most[2]);
};
/* Whether code with a loop over so many bytes is to be such a function here: the program has many of the kind, or this is
 * in a loop. */
bool lower_wants_shared(struct lower *l, u32 bytes);
struct opnd lower_call_shared(struct lower *l, const struct shared_func *row, const u32 most[2],
			      const struct opnd *arg);
/* What a call hands over for a temporary in scratch. */
struct opnd lower_scratch_offset(const struct lower *l, struct opnd at);
/* In a body: the address of room bytes at an offset; where there are none, the function returns 0. */
struct opnd lower_shared_scratch(struct lower *l, struct opnd offset, u32 room);
struct opnd lower_shared_data(struct lower *l, struct opnd offset, u32 len);

/* ---- maps */
/* Index in prog->maps of a script's map, created on first use. */
u32 lower_map(struct lower *l, struct map *m);
/* Address of the key bytes of @m[...], written once and reused; O_NONE for keyless maps. */
struct opnd lower_key(struct lower *l, struct node *map_node);
/* The value read (0 or zeroes when missing); aggregations are merged over the CPUs. */
struct ir_val lower_map_read(struct lower *l, struct node *map_node);
void lower_map_assign(struct lower *l, struct node *map_node, struct node *value);
/* 1 when the key exists. */
struct opnd lower_map_has(struct lower *l, struct node *map_node);
/* The element of an aggregation that this CPU updates, made when missing: evaluate arguments first,
 * begin, update at addr, end. */
struct agg_place {
	struct opnd addr;
	struct ir_block *out;
};
struct agg_place lower_agg_begin(struct lower *l, struct node *map_node);
void lower_agg_end(struct lower *l, struct agg_place *place);
/* Removes; the result is 0, or another number where the key was missing (32 bits of it count). */
struct opnd lower_map_delete(struct lower *l, struct node *map_node);
/* An offset in the data map for len bytes of our own, aligned to 8. */
u32 lower_data(struct lower *l, u32 len, const void *init);
/* The u64 at one of the fixed offsets of the data map (DATA_*). */
struct opnd lower_own_word(struct lower *l, u32 offset);
/* The current process as our own pid namespace numbers it; 0: it has no number there. */
struct opnd lower_own_pid(struct lower *l);
/* The number of the current thread, or process, in the pid namespace of a device and inode, which is ours; 0 where it has none. */
struct opnd lower_ns_number(struct lower *l, const u64 ns[2], bool is_process);
/* Values numbered between mark and drop are not reused later: code in between is in a block that does
 * not dominate what follows. */
u32 lower_values_mark(struct lower *l);
void lower_values_drop(struct lower *l, u32 mark);
/* Index into prog->strings. */
u32 lower_string_index(struct lower *l, const char *s);

/* ---- whole */
/* Lowers one checked instance to a unit of IR (one BPF program). NULL when errors were reported. */
struct ir_unit *lower_instance(struct lang *lang, struct program *prog, struct instance *in,
			       u32 level);
/* After the last instance: lays out the data map. */
void lower_finish(struct program *prog);

#endif
