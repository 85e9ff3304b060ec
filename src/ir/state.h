/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of lowering, not visible to builtin rows. */
#ifndef SONDE_IR_STATE_H
#define SONDE_IR_STATE_H

#include "ir/lower.h"

/*
 * Value numbers: a stack of (computation -> operand), hashed. Control flow is structured, so the
 * values that dominate a position are a prefix of the stack: leaving a region truncates it.
 */
struct vn_entry {
	struct ir_insn key; /* op, size, cc, imm, args compared; dst and span ignored */
	struct opnd result;
	u32 prev, hash;
	u32 epoch; /* of map key.imm when is_map; else 0 */
	bool is_map;
};

struct loop {
	struct ir_block *on_break, *on_continue;
	struct loop *outer;
	u32 iterations; /* iterations at most, times those of the enclosing loops */
	u32 pending;    /* branches on the path to it: see lower_stmt.c */
	bool is_known;  /* its iterations and those of the enclosing loops are known */
};

/* A record of the ring between reservation and submission: lower_user.c. */
struct record_held {
	bool is_held;
	/* it was discarded, and filling it may fault pages in: not counted */
	bool is_trial;
	/* where it is reserved again; NULL: the code that fills it must run once */
	struct ir_block *again;
	struct ir_block *missing; /* where to continue when a page is missing */
	struct opnd record;
	u32 tried;     /* variable: 1 after the trial */
	u32 n_missing; /* reads that jump there */
	u32 unread;    /* variable that counts unreadable memory, 0: not needed */
};

struct lower_state {
	VEC(struct vn_entry) vn;
	u32 *vn_head;        /* index + 1, of n_vn_heads lists */
	u32 n_vn_heads;      /* a power of two, or 0; grows with vn */
	VEC(u32) map_epoch;  /* by map index: bumped by every write */
	u32 epoch;           /* bumped at loop edges, which invalidates all map reads */
	u32 level;           /* 0: normal; 1: everything big or frequent goes to scratch */
	u32 stack_used;      /* bytes of allocated slots */
	VEC(u32) live_slots; /* of the statements that are being lowered */
	VEC(u32) free_slots; /* of statements that are finished */
	u32 n_reg_vars;
	u32 scratch_used, scratch_kept, scratch_peak; /* bytes of this program's scratch */
	struct opnd busy;                             /* address of this processor's guard word */
	struct ir_block *nested;                      /* reached when the guard word is set */
	struct ir_block *claim;                       /* reserved for a claim of scratch */
	u32 scratch; /* variable holding the claimed entry, 0: not claimed */
	bool huge;   /* it is of MAP_HUGE_SCRATCH */
	struct loop *loop;
	u32 loop_pending;  /* branches on the path to this function */
	u32 loop_followed; /* instructions that verifiers process in finished loops */
	u32 loop_branches,
		/*
		 * of the function so far, or of one iteration of the innermost loop: see
		 * set_bound()
		 */
		loop_insns;
	/* inline outermost loops with an unknown number of iterations that are left to lower */
	u32 loops_left;
	bool key_is_numbered;                    /* of the last lower_key() */
	struct ir_block *exit_zero, *exit_value; /* targets of the body's returns */
	struct ir_block *exit_filter, *exit_predicate;
	u32 predicate_scratch; /* claimed before the predicate is evaluated */
	u32 return_var;
	u32 n_blocks;              /* ids assigned in this function */
	VEC(struct opnd) var_home; /* by struct var->ir: register variable (O_TEMP) or address */
	/* destination for the bytes of the builtin being lowered; O_NONE: any */
	struct opnd want;
	bool want_canonical;
	u32 str_limit; /* str(): bytes that suffice (compared with a literal); 0: no limit */
	VEC(u32) var_epoch;
	bool shares;          /* there are loops whose bodies are functions: lower_loop.c */
	bool shares_early;    /* the predicate has such loops */
	struct opnd share;    /* the object that they share with this function */
	struct opnd returned; /* two words in scratch: a body returned from the probe, and what */
	/* a word of scratch that hides compared values from verifiers; O_NONE: not needed */
	struct opnd opaque;
	u32 depth;             /* this is such a body: nesting depth, itself included */
	struct ir_block *stop; /* of a body: ends the walk */
	bool has_return;       /* a body: it or one inside returns from the probe */
	/* address of the number that records get; O_NONE: no speculate() in the clause */
	struct opnd speculation;
	struct record_held held;
	bool walks_map;   /* this is in the body of a loop over a map */
	bool reads_stack; /* the current read is of the traced function's stack */
	/* of a program for native and 32-bit calls: a variable, or two bytes of the stack */
	struct opnd call_number;
};

void ir_order(struct lower *l);
/* Temporaries of a statement are free again after it, except those that value numbers refer to. */
struct temp_mark {
	u32 live_slots, scratch_used;
};
struct temp_mark temps_mark(struct lower *l);
void temps_release(struct lower *l, struct temp_mark m);
/* A temporary that lives until the end of the program. */
struct opnd lower_temp_kept(struct lower *l, u32 size, u32 align, const char *name);

u32 vn_mark(struct lower *l);
void vn_truncate(struct lower *l, u32 mark);
bool vn_find(struct lower *l, const struct ir_insn *key, bool is_map, struct opnd *result);
void vn_add(struct lower *l, const struct ir_insn *key, bool is_map, struct opnd result);
void vn_map_written(struct lower *l, u32 map);
void vn_loop_edge(struct lower *l);

/* Result of lowering a condition: the prefixes of the value stack that are valid on each side. */
struct cond_marks {
	u32 yes, no;
};
enum { FEW_BRANCHES = 4, MANY_CONDITIONS = 16 };
/* Estimates how much a verifier will have to decide, before lowering. */
void lower_count_branches(struct lower *l);
/* Allocates the word for ir_opaque() if the code has many conditions. */
void lower_place_opaque(struct lower *l, struct node *code);
struct cond_marks lower_cond_marks(struct lower *l, struct node *n, struct ir_block *yes,
				   struct ir_block *no);

/* Compares two strings (or arrays, tuples) and jumps. */
void lower_compare_memory(struct lower *l, struct node *n, struct ir_block *equal,
			  struct ir_block *differ);
/* lower_lvalue, loaded when it is a scalar. */
struct ir_val lower_read_lvalue(struct lower *l, struct node *n);
struct ir_val lower_cast(struct lower *l, struct node *n);
/* The name of a probe, in our memory. */
struct ir_val lower_probe_text(struct lower *l, struct opnd id);
struct ir_val lower_var(struct lower *l, struct node *n);
void lower_var_assign(struct lower *l, struct var *v, struct node *value);
void lower_var_store(struct lower *l, struct var *v, struct opnd value); /* scalar */
/* The struct pt_regs * of a system call (profiles with syscall.enter or syscall.exit). */
struct opnd lower_saved_registers(struct lower *l);
/*
 * Loads from our own memory, where verifiers demand alignment: an unaligned member of a packed
 * structure is loaded in parts.
 */
struct opnd lower_load_own(struct lower *l, struct opnd at, u32 size, bool is_signed);
/* A word of the context: directly if it is aligned, else through a helper. */
struct opnd lower_ctx_load(struct lower *l, u32 offset, u32 size, bool is_signed);
/* ---- lower_direct.c: a scalar reached through pointers that verifiers know; false: it is not */
bool lower_direct(struct lower *l, struct node *n, struct opnd *value);
/* A scalar at an offset of the current task's task_struct. */
struct opnd lower_of_task(struct lower *l, const struct type *t, s64 offset);
/* ---- lower_loc.c: LOC_EXPR and LOC_PIECES */
struct ir_val lower_loc_steps(struct lower *l, const struct loc *loc, const struct type *t);
bool lower_loc_in_memory(const struct arg_desc *arg); /* it is in memory of the traced code */
struct ir_val lower_loc_lvalue(struct lower *l, const struct arg_desc *arg);
struct ir_val lower_loc_pieces(struct lower *l, const struct loc *loc, const struct type *t);
/* ---- lower_guard.c: around the code of a guarded instance */
void lower_guard_enter(struct lower *l);
void lower_guard_leave(struct lower *l);
/* Counts user memory that could not be read: at the entry of a system call always, else with -k. */
void lower_count_unread(struct lower *l, struct opnd ret, struct opnd addr);
/* ---- lower_user.c */
/*
 * A record is about to be reserved here; repeatable: it may be discarded and filled again from
 * here.
 */
void lower_hold(struct lower *l, bool repeatable);
/* The record is complete. */
void lower_release(struct lower *l);
/*
 * After it, if needed: between begin, which gives the address of a buffer of the record's size, and
 * end it is filled on trial.
 */
bool lower_wants_trial(const struct lower *l);
struct opnd lower_trial_begin(struct lower *l, u32 size);
void lower_trial_end(struct lower *l);
/*
 * Reads user memory by a helper (dst, size, addr) and returns its last result; size is at most cap.
 * A missing page is faulted in if the program may sleep.
 */
struct opnd lower_user_read(struct lower *l, u32 helper, struct opnd dst, struct opnd size, u32 cap,
			    struct opnd addr);
/* As lower_loss(), but adds `times`. */
void lower_losses(struct lower *l, enum loss_reason reason, struct opnd times);
/* ---- lower_thread_map.c: maps whose descriptor has threads_off */
bool lower_wants_threads(struct lower *l, const struct map *m, const struct map_desc *d);
u32 lower_thread_slots(struct lower *l); /* in the data map */
struct opnd lower_thread_read(struct lower *l, u32 map, struct node *n, struct opnd *has);
void lower_thread_store(struct lower *l, u32 map, struct node *n, struct opnd value);
struct opnd lower_thread_delete(struct lower *l, u32 map, struct node *n);
/* ---- lower_map.c: in the kernel's hash; a failure is counted as a loss */
void map_update_checked(struct lower *l, struct node *n, u32 map, struct opnd key,
			struct opnd value);
/* ---- lower_float.c */
struct opnd lower_float_load(struct lower *l, const struct ir_val *v); /* the bits of a double */
struct opnd lower_float_to_int(struct lower *l, struct node *n);
void lower_compare_floats(struct lower *l, struct node *n, enum ir_cond cc, struct ir_block *yes,
			  struct ir_block *no);
void lower_float_is_set(struct lower *l, struct node *n, struct ir_block *yes, struct ir_block *no);
/* ---- lower_func.c, after lowering: before and after the sizes of the maps are known */
void lower_shared_room(struct lower *l);
void lower_shared_bodies(struct lower *l);
/* ---- lower_loop.c */
enum { LOOP_IN_LINE, LOOP_BY_CALLBACK }; /* aux of loops, set by lower_find_loops() */
void lower_for_map(struct lower *l, struct node *n);
void lower_for_range_by_callback(struct lower *l, struct node *n);
void lower_while_by_callback(struct lower *l, struct node *n);
/* Decides for each loop whether it is inline, and which variables must be in memory for that. */
void lower_find_loops(struct lower *l);
void lower_place_captures(struct lower *l);
/* One iteration, which works on words in scratch alone; it jumps to stop to end the loop. */
typedef void (*lower_step_fn)(struct lower *l, struct opnd words, struct ir_block *stop);
void lower_repeat(struct lower *l, u32 most, struct opnd words, lower_step_fn step);
/* ---- lower_snapshot.c */
bool lower_snapshot_repeats(const struct profile *p);
/* Of a filter: the event is not for this program. */
void lower_return_unless(struct lower *l, enum ir_cond cc, struct opnd a, struct opnd b);
/* ---- lower_follow.c: the set of --follow */
void lower_return_unless_followed(struct lower *l, struct opnd tgid);
void lower_forget_followed(struct lower *l, struct opnd tgid);
void lower_return_from_body(struct lower *l, struct opnd value);
void lower_body(struct lower *l, struct node *n);
/* that verifiers may hold on the path to this position */
u32 lower_branches_so_far(const struct lower *l);
/* ---- */
void var_set_home(struct lower *l, struct var *v, struct opnd home);
void lower_scratch_now(struct lower *l); /* claims scratch if it is not claimed yet */
/* Always in scratch; lives until the end of the statement. */
struct opnd lower_scratch_temp(struct lower *l, u32 size);
/*
 * Verifiers track addresses and refuse most arithmetic on them, until one passes through a map.
 * lower_lvalue.c
 */
struct opnd lower_address_as_number(struct lower *l, struct opnd addr);
/* The address of the value of @m or @m[k]; 0 if it does not exist. */
struct opnd lower_map_address(struct lower *l, struct node *n);
/* An aggregation of a keyed map merged over the CPUs, given the address of its key. */
struct ir_val lower_merge_element(struct lower *l, struct node *map_node, struct opnd key);
struct opnd lower_arithmetic(struct lower *l, struct node *n, enum op op, struct opnd a,
			     struct opnd b);
void lower_map_compound(struct lower *l, struct node *map_node, enum op op, struct node *value);
struct ir_val lower_map_incdec(struct lower *l, struct node *n, s64 step);
struct ir_val val_foreign(const struct type *t, struct opnd addr, enum space space);
/* Loads the scalar at an lvalue in either memory. */
struct opnd lower_load_lvalue(struct lower *l, const struct ir_val *lvalue,
			      const struct field *bits);
void lower_zero_from(struct lower *l, struct opnd dst, u32 from, u32 to);
/* Copies a value of the same layout into dst, canonical (bytes after a NUL zeroed) if requested. */
void lower_put(struct lower *l, const struct ir_val *v, const struct type *t, struct opnd dst,
	       bool canonical);
void lower_put_string(struct lower *l, const char *s, u32 len, u32 cap, struct opnd dst,
		      bool canonical);
u32 lower_internal_map(struct lower *l, enum map_role role);
/* ---- map_shape.c: type, size, copies and flags of a keyed map */
void map_shape(struct lower *l, const struct map *m, struct map_desc *d);

#endif
