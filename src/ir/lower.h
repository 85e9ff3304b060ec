/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed tree -> IR: the interface for builtin rows. Building folds and reuses: the same stable
 * value gives the same temporary each time.
 *
 * A value is a scalar in an operand, or bytes in our memory at an address. Larger values (strings,
 * tuples, structs, stacks) are lowered directly to their destination: lower_into().
 */
#ifndef SONDE_IR_LOWER_H
#define SONDE_IR_LOWER_H

#include "ir/ir.h"
#include "lang/check.h"

struct ir_val {
	const struct type *type;
	bool in_memory; /* o is the address of type->size bytes, else o is the scalar */
	/* the address is in kernel or user memory: read it with lower_probe_read() */
	bool is_foreign;
	enum space space; /* of a foreign address */
	bool clean;       /* a string whose bytes after the NUL are zero */
	struct opnd o;
	/* size of a foreign array whose length is known at run time; else O_NONE: the type's
	 * size */
	struct opnd bytes;
};

struct lower {
	struct arena *arena; /* of the unit only: prog->arena for what the program keeps */
	struct lang *lang;
	struct env *env;
	struct features *features;
	struct program *prog;
	struct ir_unit *unit;
	struct ir_func *f;
	/* receives code; never NULL: unreachable code goes to a dead block */
	struct ir_block *block;
	struct instance *inst;
	const struct profile *profile;
	struct span span; /* of every instruction that is added */
	/* ir/state.h: value numbers, scratch, loops: private to the room */
	struct lower_state *s;
};

/* ---- instructions */
struct opnd ir_op2(struct lower *l, enum ir_opcode op, struct opnd a, struct opnd b); /* folds */
struct opnd ir_ext(struct lower *l, struct opnd a, u32 size, bool is_signed);
/*
 * Marks it as a pointer to a kernel structure for verifiers: arithmetic converts it to a number
 * first.
 */
struct opnd ir_known(struct lower *l, struct opnd o);
/* The pointer as a number, if verifiers know it. */
struct opnd ir_as_number(struct lower *l, struct opnd o);
struct opnd ir_set(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b);
/* our memory only */
struct opnd ir_load(struct lower *l, struct opnd addr, u32 size, bool is_signed);
void ir_store(struct lower *l, struct opnd addr, u32 size, struct opnd v);
struct opnd ir_addr(struct lower *l, struct opnd addr);
void ir_zero(struct lower *l, struct opnd addr, u32 len);
void ir_copy(struct lower *l, struct opnd dst, struct opnd src, u32 len);
void ir_atomic_add(struct lower *l, struct opnd addr, u32 size, struct opnd v);
/*
 * Helper call. stable: the same arguments give the same result throughout the probe, which is
 * reused.
 */
/* struct opnd arguments */
struct opnd ir_call(struct lower *l, u32 helper, bool stable, u32 n, ...);
/* any op; returns the new dst or O_NONE */
struct opnd ir_emit(struct lower *l, struct ir_insn insn);

/* ---- control */
struct ir_block *ir_block_new(struct lower *l);
void ir_jump(struct lower *l, struct ir_block *to);
void ir_branch(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b, struct ir_block *yes,
	       struct ir_block *no);
void ir_place(struct lower *l, struct ir_block *b); /* continues in b: appends it to the order */
u32 ir_var(struct lower *l);                        /* a mutable temporary */
void ir_var_set(struct lower *l, u32 var, struct opnd v);
struct opnd ir_opaque(struct lower *l,
		      /* v as a value unknown to verifiers, if they would follow too many paths */
		      struct opnd v);
/* `yes` if a cc b, else `no`; both are computed. */
struct opnd ir_choose(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b,
		      struct opnd yes, struct opnd no);
/* n, or most if n is greater (or negative) */
struct opnd ir_at_most(struct lower *l, struct opnd n, s64 most);

/* ---- memory */
/* An uninitialized temporary: on the stack if small, else in claimed scratch. */
struct opnd lower_temp(struct lower *l, u32 size, u32 align, const char *name);
/* The same, always in scratch; lives until the program ends. */
struct opnd lower_scratch_kept(struct lower *l, u32 size);
/* The clause is being lowered again because its stack was not large enough. */
bool lower_is_short_of_stack(const struct lower *l);
/*
 * A string or buffer passed to a kernel function may be its caller's: filename of do_sys_openat2.
 * The halves of the address space do not overlap on the processors that we support, so the address
 * determines the space.
 */
enum space lower_handed_space(const struct lower *l, enum space s);
/*
 * Reads size bytes at a foreign address into dst (probe_read_kernel or _user, by space). Failure
 * zeroes dst; counted as LOSS_UNREADABLE only with -k.
 */
void lower_probe_read(struct lower *l, struct opnd dst, u32 size, struct opnd addr,
		      enum space space);
/* Scalar of type t at a foreign address. */
struct opnd lower_read_scalar(struct lower *l, const struct type *t, struct opnd addr,
			      enum space space);
/*
 * Reads a NUL-terminated string, at most cap bytes, into dst; returns the helper's result. A user
 * string that cannot be read at the entry of a system call is always counted.
 */
struct opnd lower_read_str(struct lower *l, struct opnd dst, u32 cap, struct opnd addr,
			   enum space space);

/* The same with a variable size that the code bounds itself (at most cap). */
struct opnd lower_read_str_sized(struct lower *l, struct opnd dst, struct opnd size, u32 cap,
				 struct opnd addr, enum space space);
/* Returns what the helper does: negative if nothing was read. */
struct opnd lower_probe_read_sized(struct lower *l, struct opnd dst, struct opnd size, u32 cap,
				   struct opnd addr, enum space space);
/* Whether the program can be sleepable, so that it can fault user pages in. */
bool lower_may_sleep(struct lower *l);
/*
 * If a string is only compared with a literal: the number of bytes that suffice; 0: all. Reading it
 * resets it.
 */
u32 lower_str_limit(struct lower *l);
/* A string in our memory of which only the first len bytes are read. Clean. */
struct ir_val lower_string_prefix(struct lower *l, struct node *n, u32 len);

/* ---- expressions */
struct ir_val lower_expr(struct lower *l, struct node *n);
/* The scalar, converted to u64/s64 by its own type; dereferences memory scalars. */
struct opnd lower_scalar(struct lower *l, struct node *n);
/* Writes n converted to type t to dst: all t->size bytes are defined afterwards. */
void lower_into(struct lower *l, struct node *n, const struct type *t, struct opnd dst);
void lower_store_val(struct lower *l, const struct ir_val *v, const struct type *t,
		     struct opnd dst);
/* The value as bytes in our memory: reads foreign memory, stores scalars. */
struct ir_val lower_memory(struct lower *l, struct node *n);
/* Like lower_into, but the bytes after a string's NUL are unspecified: for records. */
void lower_into_record(struct lower *l, struct node *n, const struct type *t, struct opnd dst);
/*
 * The destination of a builtin whose value is bytes: that of the caller, else a temporary.
 * canonical: bytes after a string's NUL must be zero. Call it once, before lowering arguments that
 * may themselves be builtins.
 */
struct opnd lower_dest(struct lower *l, const struct type *t, bool *canonical);
/* The address of an lvalue or aggregate, without reading it. */
struct ir_val lower_lvalue(struct lower *l, struct node *n);
/* Converts a scalar held in 64 bits from one type to another. */
struct opnd lower_convert(struct lower *l, struct opnd v, const struct type *from,
			  const struct type *to);
/* Jumps on truth; short-circuits. Values numbered in between are valid on both sides or dropped. */
void lower_cond(struct lower *l, struct node *n, struct ir_block *yes, struct ir_block *no);
void lower_stmts(struct lower *l, struct node *list);
struct ir_val val_scalar(const struct type *t, struct opnd o);
struct ir_val val_memory(const struct type *t, struct opnd addr);

/* ---- probe context */
/* The value described by a location, as type t (integers extended). */
struct ir_val lower_loc(struct lower *l, const struct arg_desc *arg);

/* The program's context pointer, + off, also inside callbacks. */
struct opnd lower_ctx(struct lower *l, s64 off);

/* Number of the system call on the raw path (profiles with syscall.enter or syscall.exit). */
struct opnd lower_syscall_number(struct lower *l);

/*
 * The value of argstr in probes of system calls. kept: what the entry has stored, where the profile
 * has snapshot.kept.
 */
struct ir_val lower_snapshot(struct lower *l, const struct type *t, struct node *kept);

/* ---- events */
struct event_build { /* one record under construction */
	struct event_desc *desc;
	struct opnd record; /* address of the reserved record */
	struct ir_block *out;
	u32 mark; /* values numbered while it is filled are unknown after it */
};
/*
 * Plans a record: fields are added first, then begin reserves it, the caller fills it, end submits
 * it.
 */
struct event_desc *event_new(struct lower *l, const struct builtin *b, struct node *call);
u32 event_field(struct lower *l, struct event_desc *e, const struct type *t); /* its index */
struct event_build event_begin(struct lower *l, struct event_desc *e);
struct opnd event_at(const struct event_build *eb, u32 field);
void event_end(struct lower *l, struct event_build *eb);
/*
 * Emits a whole record. fill stores the fields at their offsets from record. If lower_may_sleep(),
 * its code is emitted twice and may run three times, because reads of user memory may fault pages
 * in.
 */
typedef void (*event_fill_fn)(struct lower *l, const struct event_desc *e, struct opnd record,
			      void *ctx);
void event_emit(struct lower *l, struct event_desc *e, event_fill_fn fill, void *ctx);
/*
 * A record of variable length, built in our own memory: a struct record_head, then len - 8 bytes of
 * the action's own. len is bounded by e->size.
 */
void event_output(struct lower *l, struct event_desc *e, struct opnd record, struct opnd len);
/*
 * The arguments of a system call or the long buffer that ends a value of this type, of which only
 * the bytes in use are sent; NULL: it ends differently. *at: what is before it is added.
 */
const struct type *event_open_end(struct lower *l, const struct type *t, u32 *at);
/* The size of a record in which that is at `at`. */
struct opnd event_cut_size(struct lower *l, struct opnd record, u32 at, const struct type *end);
/*
 * From here on records wait for commit() of this number; 0: they do not wait. Rows with
 * BI_SPECULATES.
 */
void lower_speculate(struct lower *l, struct opnd number);
/* The number was committed or discarded: records from here on do not wait. */
void lower_speculation_decided(struct lower *l, struct opnd number);

/* ---- losses: adds one to the counter of (this statement, reason) and returns its index in
 * losses */
u32 lower_loss(struct lower *l, enum loss_reason reason, const char *where);
/* The same on a condition. Execution continues after it. */
void lower_loss_if_zero(struct lower *l, struct opnd v, enum loss_reason reason, const char *where);
void lower_loss_unless_zero(struct lower *l, struct opnd v, enum loss_reason reason,
			    const char *where);
/* The same for one of two reasons: `odd` if the lowest bit of `which` is set. */
void lower_loss_by_bit(struct lower *l, enum loss_reason even, enum loss_reason odd,
		       const char *where, struct opnd which);
/* Ends the program for this event: releases scratch, returns. Code after it is unreachable. */
void lower_return(struct lower *l, struct opnd value);

/* ---- lower_func.c: functions of which a program has one copy */
struct shared_func {
	const char *name;
	u32 n_args;    /* at most 4: numbers */
	bool is_table; /* most[1] is of a table in the data map, not of scratch */
	/* Returns its value. most: bytes that calls need after the offsets that they pass. */
	struct opnd (*body)(struct lower *l, const struct opnd *arg, const u32 most[2]);
};
/*
 * Whether code with a loop over `bytes` bytes becomes such a function here: the program has many
 * such pieces of code, or this one is in a loop.
 */
bool lower_wants_shared(struct lower *l, u32 bytes);
struct opnd lower_call_shared(struct lower *l, const struct shared_func *row, const u32 most[2],
			      const struct opnd *arg);
/* The argument that a call passes for a temporary in scratch. */
struct opnd lower_scratch_offset(const struct lower *l, struct opnd at);
/*
 * In a body: the address of `room` bytes at an offset; if it is out of bounds, the function returns
 * 0.
 */
struct opnd lower_shared_scratch(struct lower *l, struct opnd offset, u32 room);
struct opnd lower_shared_data(struct lower *l, struct opnd offset, u32 len);

/* ---- maps */
/* Index in prog->maps of a script's map, created on first use. */
u32 lower_map(struct lower *l, struct map *m);
/*
 * Address of the key bytes of @m[...], which are written once and reused; O_NONE for keyless maps.
 */
struct opnd lower_key(struct lower *l, struct node *map_node);
/* The value (0 or zeroes if missing); aggregations are merged over the CPUs. */
struct ir_val lower_map_read(struct lower *l, struct node *map_node);
void lower_map_assign(struct lower *l, struct node *map_node, struct node *value);
/* 1 when the key exists. */
struct opnd lower_map_has(struct lower *l, struct node *map_node);
/*
 * The element of an aggregation that this CPU updates, created if missing: evaluate arguments
 * first, begin, update at addr, end.
 */
struct agg_slot {
	struct opnd addr;
	struct ir_block *out;
};
struct agg_slot lower_agg_begin(struct lower *l, struct node *map_node);
void lower_agg_end(struct lower *l, struct agg_slot *slot);
/* Deletes the key; the result is 0, or non-zero in its low 32 bits if the key was missing. */
struct opnd lower_map_delete(struct lower *l, struct node *map_node);
/* Allocates len bytes in the data map, aligned to 8; returns the offset. */
u32 lower_data(struct lower *l, u32 len, const void *init);
/* The u64 at one of the fixed offsets of the data map (DATA_*). */
struct opnd lower_own_word(struct lower *l, u32 offset);
/* The number of CPUs as a power of two, at most 64: index with cpu & (n - 1). */
u32 lower_cpu_slots(void);
/* The current process as numbered by our own pid namespace; 0: it is not in that namespace. */
struct opnd lower_own_pid(struct lower *l);
/*
 * The number of the current thread, or process, in our pid namespace, given by device and inode; 0:
 * none.
 */
struct opnd lower_ns_number(struct lower *l, const u64 ns[2], bool is_process);
/*
 * Values numbered between mark and drop are not reused later: the code in between is in a block
 * that does not dominate what follows.
 */
u32 lower_values_mark(struct lower *l);
void lower_values_drop(struct lower *l, u32 mark);
/*
 * A number that is the same wherever it is computed in one run of the program. key identifies it
 * and need not be a real instruction. False: no dominating block has computed it.
 */
bool lower_value_kept(struct lower *l, const struct ir_insn *key, struct opnd *value);
void lower_value_keep(struct lower *l, const struct ir_insn *key, struct opnd value);
/* Index into prog->strings. */
u32 lower_string_index(struct lower *l, const char *s);

/* ---- a whole instance */
/*
 * No kernel follows that many branches one after another (8192). Code after them is not lowered,
 * unless the instance must be complete because passes removed many.
 */
enum { ENOUGH_JUMPS = 9216 };
/*
 * Lowers one checked instance to a unit of IR (one BPF program), which is in `arena`; what it adds
 * to prog is not. NULL if errors were reported.
 */
struct ir_unit *lower_instance(struct lang *lang, struct program *prog, struct arena *arena,
			       struct instance *in, u32 level);
/* After the last instance: lays out the data map. */
void lower_finish(struct program *prog);

#endif
