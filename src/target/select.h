/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of instruction selection: the current block, and operands as registers. */
#ifndef SONDE_TARGET_SELECT_H
#define SONDE_TARGET_SELECT_H

#include "target/mach.h"

enum { DATA_CACHE = 4, CONST_CACHE = 4 };

struct select {
	struct mach *m;
	struct ir_func *f;
	struct span span;
	u32 block;                   /* the current one */
	u32 ctx;                     /* register of the context pointer */
	u32 *uses;                   /* by temporary: uses not yet selected, aliases resolved */
	u8 *reached;                 /* by IR block */
	const struct ir_insn *fused; /* comparison to be fused with its branch */
	struct data_base {           /* address of maps[map] + off in a register, valid here */
		u32 map, reg;
		s64 off;
	} data[DATA_CACHE];
	u32 n_data;
	struct const_reg { /* a constant in a register, valid here */
		s64 value;
		u32 reg;
	} consts[CONST_CACHE];
	u32 n_consts;
};

struct addr {
	u32 reg;
	s32 off;
};

/* ---- code */
void sel_out(struct select *s, struct minsn in);
void sel_mov(struct select *s, u32 dst, u32 src);
void sel_imm(struct select *s, u32 dst, s64 v);
void sel_alu(struct select *s, u8 op, u32 dst, u32 src);     /* dst op= src, 64 bits */
void sel_alu_imm(struct select *s, u8 op, u32 dst, s64 imm); /* any imm */
void sel_load(struct select *s, u32 size, u32 dst, struct addr a);
void sel_store(struct select *s, u32 size, struct addr a, u32 src);
void sel_store_imm(struct select *s, u32 size, struct addr a, s64 imm);
u32 sel_block(struct select *s);             /* a new block, not placed */
void sel_place(struct select *s, u32 block); /* the current block falls through to it */
void sel_goto(struct select *s, u32 block);
/* if a cc b goto yes, else goto no; ends the block. */
void sel_branch(struct select *s, enum ir_cond cc, struct opnd a, struct opnd b, u32 yes, u32 no);
void sel_call(struct select *s, u32 helper, u32 n, const struct opnd *arg);

/* ---- operands */
static inline u32 sel_temp(u32 t)
{
	return V_FIRST + t;
}
u32 sel_new(struct select *s);
void sel_forget(struct select *s);            /* drops cached registers: before calls, at joins */
u32 sel_reg(struct select *s, struct opnd o); /* a register that holds o; read only */
void sel_into(struct select *s, u32 dst, struct opnd o); /* dst = o */
/* The address of [o, o + len): a base register and an offset that fits for all of it. */
struct addr sel_addr(struct select *s, struct opnd o, u32 len);
/* The register of the result, or a new one if that register holds an operand that is read later. */
u32 sel_dst(struct select *s, const struct ir_insn *in);
/* moves it to dst if needed */
void sel_done(struct select *s, const struct ir_insn *in, u32 reg);
static inline struct opnd sel_use(const struct select *s, struct opnd o)
{
	return mach_resolve(s->m, o);
}

/* ---- operations */
void select_arith(struct select *s, const struct ir_insn *in);
void select_ext(struct select *s, const struct ir_insn *in);
void select_number(struct select *s, const struct ir_insn *in);
void select_set(struct select *s, const struct ir_insn *in);
void select_load(struct select *s, const struct ir_insn *in);
void select_store(struct select *s, const struct ir_insn *in);
void select_atomic(struct select *s, const struct ir_insn *in);
void select_zero(struct select *s, const struct ir_insn *in);
void select_copy(struct select *s, const struct ir_insn *in);
void select_call(struct select *s, const struct ir_insn *in);

#endif
