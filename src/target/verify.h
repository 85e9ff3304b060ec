/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of target_verify(): what is known about registers, stack slots and paths.
 *
 *	verify.c         the entry: builds the verifier's state and runs the phases below
 *	verify_shape.c   encoding, jumps, reachability, stack depth
 *	verify_run.c     walks the instructions, joins paths, follows loops and calls
 *	verify_insn.c    one instruction: arithmetic, loads and stores, branches
 *	verify_mem.c     bounds, alignment and initialization of memory accesses
 *	verify_helper.c  arguments and results of helpers
 *	verify_state.c   copies, joins and compares states
 *	verify_scalar.c  ranges and bits of numbers
 */
#ifndef SONDE_TARGET_VERIFY_H
#define SONDE_TARGET_VERIFY_H

#include "target/target.h"
#include "type/bpf_isa.h"

enum {
	VERIFY_FRAMES = 8,
	VERIFY_STACK = 512,
	VERIFY_SLOTS = VERIFY_STACK / 8,
	VERIFY_MAX_VAR_OFF = 1 << 29, /* BPF_MAX_VAR_OFF of the kernel */
	VERIFY_MAX_STEPS = MOST_INSNS,
	VERIFY_MAX_REFS = 4,
};

/* Known bits of a number: where mask is 1 the bit is unknown, else it is the bit of value. */
struct tnum {
	u64 value, mask;
};
struct scalar {
	struct tnum bits;
	s64 smin, smax;
	u64 umin, umax;
};

enum reg_kind {
	R_UNINIT,
	R_MIXED, /* different kinds on different paths: must not be used */
	R_SCALAR,
	R_CTX,
	R_STACK,  /* frame */
	R_MAP,    /* map: a reference to it, for helpers */
	R_VALUE,  /* map */
	R_KEY,    /* map: its key, passed to a callback, read only */
	R_RECORD, /* ref, size */
	R_FUNC,   /* map: first instruction of the callback */
};

struct reg {
	u8 kind;
	u8 frame;
	bool maybe_null;
	/* scalar that verifiers know as a kernel pointer: loads through it are allowed */
	bool btf;
	bool far; /* scalar to which a constant of 2^29 or more was added: 6.18 tracks this */
	/*
	 * Scalars, for callbacks: newer verifiers know the value; it came from a caller's stack; it
	 * was computed from one that did.
	 */
	bool fixed, shared, moved;
	u32 map, size, ref;
	u32 id;  /* maybe_null: either all copies are null or none is */
	s32 off; /* pointers: constant part of the offset; the variable part is v */
	struct scalar v;
};

struct slot {       /* bytes [-8 * (i + 1), -8 * i) of a frame */
	u8 init;    /* a bit for each initialized byte */
	bool spill; /* all of reg was stored here */
	struct reg reg;
};

struct frame {
	struct reg r[11];
	u32 n_slots; /* slots from here on are untouched */
	u32 sub;
	u32 ret; /* verifier_cost.c: return address; NO_INDEX: a callback */
	struct slot slot[VERIFY_SLOTS];
};

struct state {
	u32 n_frames, n_refs;
	u32 ref[VERIFY_MAX_REFS];
	struct frame *frame[VERIFY_FRAMES];
	struct state *next; /* free list */
};

struct sub {
	u32 start, end, depth;
	const char *name;
	/* a global function: verified separately, with unknown numbers as arguments */
	bool shared;
	u32 n_params;
	u64 hash;                          /* of a shared function; 0: not computed */
	const struct target_shared *known; /* verified with an earlier program; NULL: not */
};
struct sub_call {
	u32 from, to;
};

enum insn_mark { MARK_SECOND = 1, MARK_TARGET = 2, MARK_LOOP = 4, MARK_SUB = 8, MARK_SEEN = 16 };

struct run_cost { /* collected for target_cost(), by instruction */
	u32 *visits;
	u64 *iterations; /* iterations of a call with a callback: at most */
	u32 *callback;   /* ... and the callback's subprogram, + 1 */
};

struct verifier {
	struct run_cost *cost;      /* or NULL */
	struct walk *walk;          /* verifier_cost.c, or NULL */
	struct target_walks *known; /* results for earlier programs, or NULL */
	/*
	 * By instruction, or NULL: the registers whose value it needs: as an offset, as a size, or
	 * to decide a branch.
	 */
	u16 *wanted;
	const struct program *prog;
	const struct bpf_func *f;
	enum profile_kind profile;
	struct verify_error *error;
	struct arena arena;
	u8 *mark;   /* enum insn_mark, by instruction */
	u32 *reloc; /* index + 1 into f->relocs, by instruction */
	VEC(struct sub) subs;
	VEC(struct sub_call) calls;
	u32 pc, steps, ids;
	struct state *free_states;
	VEC(struct frame *) free_frames;
	bool failed;
	bool decided; /* in this iteration of a callback a shared number decided a branch */
};

/* Reports at c->pc and returns -1; only the first report is stored. */
int verify_fail(struct verifier *c, const char *fmt, ...) FORMAT(2, 3);
u32 verify_sub_at(const struct verifier *c, u32 insn);
const char *verify_map_name(const struct verifier *c, u32 map);
u32 verify_value_size(const struct verifier *c, u32 map);
const struct reloc *verify_reloc(const struct verifier *c, u32 insn);

/* verify_shape.c: everything that does not need values */
int verify_shape(struct verifier *c);
int verify_depth(struct verifier *c);

/* verify.c: all phases; cost and wanted may be NULL. */
int verify_all(struct verifier *c);
enum profile_kind verify_kind(const struct bpf_func *f, const struct profile *profile);

/* verify_known.c */
/* Whether an earlier program contained the shared function: then it needs no verification. */
bool verify_is_known(struct verifier *c, u32 sub);
/* Notes a verified function, for later programs; followed: the instructions that verifiers
 * process. */
void verify_keep(const struct verifier *c, const struct sub *s, u64 followed);

/* verify_run.c */
/*
 * Verifies sub from state in (takes ownership) to all its exits; *out is their join, NULL if it
 * never exits.
 */
int verify_run(struct verifier *c, u32 sub, struct state *in, bool callback, struct state **out);
/* Verifies any number of iterations of a callback in s; arg: its r1-r5. */
int verify_callback(struct verifier *c, struct state *s, u32 insn, const struct reg *arg);
struct frame *verify_push_frame(struct verifier *c, struct state *s, u32 sub);

/* verify_insn.c */
struct edge { /* of a conditional branch: which ones are possible */
	bool taken, fallthrough;
};
int verify_alu(struct verifier *c, struct frame *f, const struct bpf_insn *i);
int verify_ldx(struct verifier *c, struct state *s, const struct bpf_insn *i);
int verify_store(struct verifier *c, struct state *s, const struct bpf_insn *i);
int verify_ld_imm64(struct verifier *c, struct frame *f, const struct bpf_insn *i);
/*
 * Sets *e and refines s. *jump: a copy refined for the jump if both edges are possible, else NULL.
 */
int verify_branch(struct verifier *c, struct state *s, const struct bpf_insn *i, struct edge *e,
		  struct state **jump);
int verify_readable(struct verifier *c, const struct frame *f, u32 reg);

/* Records that the current instruction needs the value of a register if it holds a number. */
void verify_want(struct verifier *c, const struct frame *f, u32 reg);

/* verify_helper.c */
int verify_helper(struct verifier *c, struct state *s, const struct bpf_insn *i);
void verify_clobber(struct frame *f);
/* A letter for each argument; see verify_helper.c. */
const char *verify_helper_args(u32 helper);

/* verifier_cost.c: an iteration of the callback is a path of its own. */
void verifier_cost_callback(struct walk *w, const struct state *s, u32 insn, const struct reg *arg);

/* verify_mem.c */
enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
struct mem_access { /* of an instruction: size bytes at `at` + off */
	enum access how;
	u32 size;
	const struct reg *at;
	s32 off;
	const struct reg *from; /* the value written */
	struct reg *out;        /* the value read */
};
int verify_access(struct verifier *c, struct state *s, const struct mem_access *m);
/* Fails for a pointer that may be NULL. */
int verify_not_null(struct verifier *c, const struct reg *r);
/* Memory argument of a helper: at most size bytes. raw: the helper writes all of it. */
int verify_memory(struct verifier *c, struct state *s, const struct reg *r, u64 size, bool write,
		  bool raw);

/* verify_state.c */
struct state *state_new(struct verifier *c);
struct state *state_copy(struct verifier *c, const struct state *s);
void state_free(struct verifier *c, struct state *s);
struct frame *frame_new(struct verifier *c);
void state_pop_frame(struct verifier *c, struct state *s);
/* into = what holds on both paths. -1 if the states are incompatible. */
int state_join(struct verifier *c, struct state *into, const struct state *s);
bool state_equal(const struct state *a, const struct state *b);
/* Makes the numbers in s unknown that differ from those in was. */
void state_widen(struct state *s, const struct state *was);
/*
 * Whether a number on a stack was computed in this iteration of a callback from the number that was
 * there before.
 */
bool state_has_moved(const struct state *s);
void state_clear_moved(struct state *s);
/* Applies the outcome of a comparison with 0 to all copies of the pointer. */
void state_known_null(struct state *s, u32 id, bool null);
bool state_has_ref(const struct state *s, u32 ref);
void state_drop_ref(struct state *s, u32 ref);
static inline struct frame *state_top(const struct state *s)
{
	return s->frame[s->n_frames - 1];
}

/* verify_scalar.c */
struct scalar scalar_const(u64 v);
struct scalar scalar_unknown(void);
struct scalar scalar_between(u64 lo, u64 hi);
struct scalar scalar_signed(s64 lo, s64 hi);
static inline bool scalar_is_const(const struct scalar *v)
{
	return !v->bits.mask;
}
struct tnum tnum_add(struct tnum a, struct tnum b);
struct scalar scalar_join(const struct scalar *a, const struct scalar *b);
bool scalar_equal(const struct scalar *a, const struct scalar *b);
struct scalar scalar_add(const struct scalar *a, const struct scalar *b);
struct scalar scalar_sub(const struct scalar *a, const struct scalar *b);
/* op of class BPF_ALU64 or BPF_ALU; is_signed: sdiv, smod. */
struct scalar scalar_alu(u8 op, bool wide, const struct scalar *a, const struct scalar *b);
struct scalar scalar_zext(const struct scalar *v, u32 bytes);
struct scalar scalar_sext(const struct scalar *v, u32 bits);
/* 1 always, 0 never, -1 either: a op b for jumps of class JMP (wide) or JMP32. */
int scalar_compare(u8 op, bool wide, const struct scalar *a, const struct scalar *b);
/* Narrows a by the fact that (a op b) is truth, for constant b. */
void scalar_refine(struct scalar *a, u8 op, bool wide, bool truth, const struct scalar *b);
/* The operator for exchanged operands. */
u8 jump_mirror(u8 op);

static inline struct reg reg_scalar(struct scalar v)
{
	return (struct reg){ .kind = R_SCALAR, .fixed = !v.bits.mask, .v = v };
}
static inline bool reg_is_zero(const struct reg *r)
{
	return r->kind == R_SCALAR && r->v.umax == 0;
}
static inline bool reg_is_pointer(const struct reg *r)
{
	return r->kind > R_SCALAR;
}

#endif
