/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IR: three-address code in basic blocks. Temporaries are defined once (except variables, which are
 * marked); operands are temporaries, constants or addresses of known objects. There are no
 * registers and no descriptors. Control flow is structured by construction, blocks are in emission
 * order, every block ends in exactly one of JUMP, BRANCH, RETURN.
 *
 *	b2:
 *	  t7 = call 14()                      ; pid_tgid
 *	  t8 = shr t7, 32
 *	  branch ne t8, 4711 -> b9 else b3
 */
#ifndef SONDE_IR_H
#define SONDE_IR_H

#include "base/buf.h"
#include "type/features.h"
#include "type/program.h"

enum ir_opcode {
#define OP(name, text, n_args, flags, doc) IR_##name,
#include "ir/op.def"
#undef OP
	N_IR_OPS
};

enum ir_op_flags {
	IRF_PURE = 1, /* no effect but its result: may be removed or reused */
	IRF_COMMUTES = 2,
	IRF_TERM = 4, /* ends a block */
	IRF_LOADS = 8,
	IRF_STORES = 16,
	IRF_DEF = 32, /* has a result */
	IRF_CMP = 64,
};
enum { IR_ANY_ARGS = 0xff }; /* calls: as many as the instruction has */
struct ir_op_row {
	const char *text, *doc;
	u32 flags;
	u8 n_args;
};
extern const struct ir_op_row ir_ops[N_IR_OPS];

enum ir_cond {
	CC_EQ,
	CC_NE,
	CC_ULT,
	CC_ULE,
	CC_UGT,
	CC_UGE,
	CC_SLT,
	CC_SLE,
	CC_SGT,
	CC_SGE,
	CC_SET /* a & b */
};

enum opnd_kind {
	O_NONE,
	O_IMM,  /* imm, any 64-bit value */
	O_TEMP, /* temporary id; imm is an addend only where an address is expected */
	O_SLOT, /* address of frame object id, + imm */
	O_CTX,  /* the program's context pointer, + imm */
	O_MAP,  /* reference to maps[id] (helper argument) */
	/* address in the value of the data map (or of the one-element array maps[id]), + imm */
	O_DATA,
	O_FUNC, /* address of subfunction id (helper callback argument) */
};

struct opnd {
	enum opnd_kind kind;
	u32 id;
	s64 imm;
};

static inline struct opnd o_imm(s64 v)
{
	return (struct opnd){ O_IMM, 0, v };
}
static inline struct opnd o_temp(u32 t)
{
	return (struct opnd){ O_TEMP, t, 0 };
}
static inline struct opnd o_at(u32 t, s64 off)
{
	return (struct opnd){ O_TEMP, t, off };
}
static inline struct opnd o_slot(u32 s, s64 off)
{
	return (struct opnd){ O_SLOT, s, off };
}
static inline struct opnd o_ctx(s64 off)
{
	return (struct opnd){ O_CTX, 0, off };
}
static inline struct opnd o_map(u32 m)
{
	return (struct opnd){ O_MAP, m, 0 };
}
static inline struct opnd o_data(u32 m, s64 off)
{
	return (struct opnd){ O_DATA, m, off };
}
static inline struct opnd o_func(u32 f)
{
	return (struct opnd){ O_FUNC, f, 0 };
}
static inline struct opnd opnd_plus(struct opnd o, s64 off)
{
	o.imm += off;
	return o;
}

struct ir_insn {
	u8 op;         /* enum ir_opcode */
	u8 size;       /* LOAD, STORE, atomics: 1 2 4 8; SEXT ZEXT BSWAP: bytes kept */
	u8 cc;         /* SET, BRANCH */
	u8 is_signed;  /* LOAD: sign-extend */
	u8 n_args;     /* CALL: arguments used in arg[] */
	u32 dst;       /* temporary defined, 0: none */
	u32 target[2]; /* BRANCH: then, else; JUMP: then */
	struct opnd arg[5];
	/*
	 * CALL: helper number; CALLSUB: function; KCALL: index into program.kfuncs; lengths;
	 * BRANCH: index + 1 into program.losses of a loop whose iterations it bounds
	 */
	s64 imm;
	struct span span;
};

enum temp_kind { TK_INT, TK_PTR /* any pointer; target/verify.c tracks its kind */ };

struct ir_temp {
	u8 kind;
	bool is_known; /* verifiers know it as a pointer to a kernel structure */
	bool is_var;   /* defined more than once (MOVE), lives until the end of its scope */
};

struct ir_slot {          /* frame object */
	u32 size;         /* bytes, rounded to 8 by the target */
	u32 align;        /* 1..8 */
	const char *name; /* for dumps */
};

struct ir_block {
	VEC(struct ir_insn) insns;
	u32 id;
	u32 loop_depth;
};

struct ir_func {
	const char *name;
	VEC(struct ir_temp) temps; /* temps.v[0] is unused */
	VEC(struct ir_slot) slots;
	VEC(struct ir_block *)
	blocks;       /* in emission order; blocks.v[0] is the entry; id = index when finished */
	u32 n_params; /* subfunctions: temps 1..n_params arrive in r1.. */
	bool callback, shared; /* see struct subprog */
	/*
	 * For a shared function whose code later programs may use: where it is stored. If the code
	 * exists, the function has no blocks: an earlier program has compiled it.
	 */
	const struct shared_code **compiled;
	struct span span; /* of a function without blocks */
};

static inline bool ir_is_compiled(const struct ir_func *f)
{
	return f->compiled && *f->compiled && !f->blocks.n;
}

struct shared_func; /* ir/lower.h */
struct shared_use {
	const struct shared_func *row;
	u32 index, most[2]; /* of the function; see struct shared_func.most */
};

/* All functions of one BPF program: funcs[0] is the entry. */
struct ir_unit {
	struct arena *arena;
	struct program *prog; /* maps, events, losses being collected */
	VEC(struct ir_func *) funcs;
	VEC(struct shared_use) shared;
	bool counts_apart;         /* a shared function counts a loss of one statement */
	u32 nowhere, nowhere_size; /* bytes in the data map that are never read */
	/* estimate from its source: conditions, look-ups, calls that take or make strings */
	u32 n_branches;
	u32 n_searches; /* calls of string functions with loops: see lower_func.c */
	u32 n_jumps;    /* branches that were lowered so far */
	bool is_cut;    /* code after ENOUGH_JUMPS of them was not lowered */
	u32 n_fetches;  /* reads that may fault a page in: the program must be sleepable */
};

void ir_print(struct buf *b, const struct ir_unit *u);
/* Parses the output of ir_print (for tests of passes). On a syntax error NULL and a message. */
struct ir_unit *ir_parse(struct arena *a, struct program *prog, const char *text,
			 const char **error);
/* Verifies the invariants above; BUG() with the dump if one is broken. */
void ir_verify(const struct ir_unit *u);

struct ir_pass {
	const char *name, *brief;
	bool (*run)(struct ir_unit *u); /* whether anything changed */
};
extern const struct ir_pass ir_passes[];
extern const u32 n_ir_passes;
/* Runs the pass list; names in `off` (comma separated, or "all") are skipped. */
void ir_optimize(struct ir_unit *u, const char *off);

#endif
