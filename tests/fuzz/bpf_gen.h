/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs from bytes: each byte is a choice, so that a fuzzer can steer and a random generator can
 * feed it. Purely random instructions are refused at once; these are made of pieces that compilers
 * emit (lookups with their null check, masked indexes, records, loops, spills), with parameters
 * that are often wrong, and with jumps that cut across the pieces.
 */
#ifndef TESTS_FUZZ_BPF_GEN_H
#define TESTS_FUZZ_BPF_GEN_H

#include "tests/unit/bpf_asm.h"

enum { GEN_HASH, GEN_DATA, GEN_RING, GEN_PERCPU, GEN_MAPS };
enum { GEN_MAX = 400, GEN_CTX = 96 };

struct gen {
	const u8 *bytes;
	size_t n, at;
	struct bpf_insn insn[GEN_MAX + 64];
	u32 n_insns;
	u32 open[16], n_open; /* jumps whose distance is not known yet */
	u32 wild;             /* one in so many choices is bad; 0: never */
	bool has_sub;
	u32 sub_call[8],
		n_sub_calls; /* instructions that call or refer to the function at the end */
};

static inline u32 gen_byte(struct gen *g)
{
	return g->at < g->n ? g->bytes[g->at++] : 0;
}
static inline u32 gen_pick(struct gen *g, u32 n)
{
	return gen_byte(g) % n;
}
static inline bool gen_bad(struct gen *g)
{
	return g->wild && gen_pick(g, g->wild) == 1;
}
#define GEN(...)                                                                                   \
	do {                                                                                       \
		const struct bpf_insn in_[] = { __VA_ARGS__ };                                     \
		memcpy(g->insn + g->n_insns, in_, sizeof(in_));                                    \
		g->n_insns += ARRAY_SIZE(in_);                                                     \
	} while (0)

/* r6 is the context; r7, r8, r9 are numbers, so are slots -8 to -64; r0-r5 are scratch. */
static inline u32 gen_reg(struct gen *g)
{
	return gen_bad(g) ? gen_pick(g, 11) : 7 + gen_pick(g, 3);
}
static inline s32 gen_slot(struct gen *g)
{
	return gen_bad(g) ? (s32)gen_pick(g, 80) - 75 : -8 * (s32)(1 + gen_pick(g, 8));
}
static inline s32 gen_imm(struct gen *g)
{
	static const s32 nice[] = { 0,  1,  2,  7,   8,  15, 16,         31,
				    32, 63, 64, 255, -1, -8, 0x7fffffff, 4096 };
	u32 c = gen_byte(g);

	return c & 1 ? nice[c / 2 % ARRAY_SIZE(nice)] : (s32)(s8)c;
}
static inline u8 gen_size(struct gen *g)
{
	static const u8 size[] = { BPF_B, BPF_H, BPF_W, BPF_DW };

	return size[gen_pick(g, 4)];
}
static inline u32 gen_bytes_of(u8 size)
{
	return size == BPF_B ? 1 : size == BPF_H ? 2 : size == BPF_W ? 4 : 8;
}
static inline s32 gen_offset(struct gen *g, u32 limit, u8 size)
{
	u32 n = gen_bytes_of(size);

	return gen_bad(g) ? (s32)gen_pick(g, 2 * limit + 16) - 8 :
			    (s32)(gen_pick(g, limit / n) * n);
}

static inline void gen_alu(struct gen *g)
{
	static const u8 ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND,  BPF_LSH,
				  BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH, BPF_END };
	u8 op = ops[gen_pick(g, sizeof(ops))], class = gen_pick(g, 3) ? BPF_ALU64 : BPF_ALU;
	u8 src = gen_pick(g, 2) ? BPF_X : BPF_K;
	s32 imm = gen_imm(g), off = 0;
	bool shift = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH, wild = gen_bad(g);

	if (op == BPF_END && !wild) {
		src = class == BPF_ALU && imm & 1 ? BPF_X : BPF_K;
		GEN(INSN(class | src | op, gen_reg(g), 0, 0, 16 << gen_pick(g, 3)));
		return;
	}
	if (op == BPF_NEG && !wild) {
		GEN(INSN(class | op, gen_reg(g), 0, 0, 0));
		return;
	}
	if (shift && !wild)
		imm &= 31;
	if ((op == BPF_DIV || op == BPF_MOD) && !wild) {
		imm = imm ? imm : 3;
		off = (s32)gen_pick(g, 4) == 1;
	}
	if (op == BPF_MOV && src == BPF_X && gen_pick(g, 4) == 1)
		off = 8 << gen_pick(g, class == BPF_ALU ? 2 : 3);
	if (src == BPF_X)
		GEN(INSN(class | op | src, gen_reg(g), gen_reg(g), off, wild ? imm : 0));
	else
		GEN(INSN(class | op, gen_reg(g), wild ? gen_reg(g) : 0, off, imm));
}

static inline void gen_stack(struct gen *g)
{
	u8 size = gen_pick(g, 3) ? BPF_DW : gen_size(g);

	switch (gen_pick(g, 4)) {
	case 0: GEN(STX(size, R10, gen_slot(g), gen_reg(g))); break;
	case 1: GEN(LDX(size, gen_reg(g), R10, gen_slot(g))); break;
	case 2: GEN(ST(size, R10, gen_slot(g), gen_imm(g))); break;
	case 3:
		if (size != BPF_DW)
			GEN(INSN(BPF_LDX | 0x80 | size, gen_reg(g), R10, gen_slot(g), 0));
		break;
	}
}

static inline void gen_jump(struct gen *g)
{
	static const u8 ops[] = { BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				  BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE };
	u8 op = ops[gen_pick(g, sizeof(ops))], class = gen_pick(g, 3) ? BPF_JMP : BPF_JMP32;

	if (g->n_open == ARRAY_SIZE(g->open))
		return;
	g->open[g->n_open++] = g->n_insns;
	if (gen_pick(g, 3))
		GEN(INSN(class | op, gen_reg(g), 0, 0, gen_imm(g)));
	else
		GEN(INSN(class | op | BPF_X, gen_reg(g), gen_reg(g), 0, 0));
}

/* Some of the open jumps land here. */
static inline void gen_land(struct gen *g)
{
	while (g->n_open && (gen_pick(g, 3) || g->n_open > 12)) {
		u32 at = g->open[--g->n_open];

		g->insn[at].off = (s16)(g->n_insns - at - 1);
	}
}

static inline void gen_access(struct gen *g, u32 reg, u32 limit)
{
	u8 size = gen_size(g);
	s32 off = gen_offset(g, limit, size);

	switch (gen_pick(g, reg == R0 ? 4 : 5)) {
	case 0: GEN(LDX(size, gen_reg(g), reg, off)); break;
	case 1: GEN(ST(size, reg, off, gen_imm(g))); break;
	case 2: GEN(STX(size, reg, off, gen_reg(g))); break;
	case 3:
		size = gen_bad(g) ? size : BPF_DW;
		GEN(ATOMIC(size, gen_pick(g, 2) ? BPF_ADD : BPF_XOR | BPF_FETCH, reg,
			   gen_offset(g, limit, size), gen_reg(g)));
		break;
	case 4:
		GEN(MOV(R0, gen_imm(g)), ATOMIC(DW, gen_pick(g, 2) ? BPF_CMPXCHG : BPF_XCHG, reg,
						gen_offset(g, limit, BPF_DW), gen_reg(g)));
		break;
	}
}

static inline void gen_lookup(struct gen *g)
{
	u32 map = gen_pick(g, 3) ? GEN_HASH : GEN_PERCPU, check, copy = gen_pick(g, 4);

	GEN(MOVR(R2, R10), ALU(ADD, R2, gen_slot(g)), LDMAP(R1, map),
	    CALL(gen_pick(g, 8) == 1 ? 3 : 1));
	if (copy == 1)
		GEN(STX(DW, R10, -72, R0));
	if (copy == 2)
		GEN(MOVR(R9, R0));
	check = g->n_insns;
	if (!gen_bad(g))
		GEN(JMP(JEQ, R0, 0, 0));
	for (u32 n = gen_pick(g, 3); n-- > 0;)
		gen_access(g, copy == 2 ? R9 : R0, 16);
	if (copy == 1) {
		GEN(LDX(DW, R1, R10, -72));
		gen_access(g, R1, 16);
	}
	if (g->insn[check].code == (BPF_JMP | BPF_JEQ))
		g->insn[check].off = (s16)(g->n_insns - check - 1);
	if (copy == 2)
		GEN(MOV(R9, gen_imm(g)));
}

static inline void gen_update(struct gen *g)
{
	GEN(MOVR(R2, R10), ALU(ADD, R2, gen_slot(g)), MOVR(R3, R10),
	    ALU(ADD, R3, gen_bad(g) ? gen_slot(g) : -64), LDMAP(R1, GEN_HASH),
	    MOV(R4, gen_pick(g, 3)), CALL(2), MOVR(R7, R0));
}

static inline void gen_index(struct gen *g)
{
	u32 r = gen_reg(g), mask = gen_bad(g) ? gen_pick(g, 128) : gen_pick(g, 8) * 8;

	switch (gen_pick(g, 4)) {
	case 0: GEN(ALU(AND, r, (s32)mask)); break;
	case 1: GEN(ALU32(AND, r, (s32)mask / 8), ALU(LSH, r, 3)); break;
	case 2: GEN(ALU32(RSH, r, 29), ALU(MUL, r, 8)); break;
	case 3: GEN(JMP(JGT, r, (s32)mask & 31, 4)); break;
	}
	GEN(LDVALUE(R1, GEN_DATA, gen_pick(g, 4) * 8), ALUR(ADD, R1, r));
	gen_access(g, R1, 32);
}

static inline void gen_record(struct gen *g)
{
	u32 size = 8 * (1 + gen_pick(g, 6)), check;

	GEN(LDMAP(R1, GEN_RING), MOV(R2, (s32)size), MOV(R3, 0), CALL(131));
	check = g->n_insns;
	GEN(JMP(JEQ, R0, 0, 0));
	for (u32 n = gen_pick(g, 4); n-- > 0;)
		gen_access(g, R0, size);
	if (gen_bad(g))
		gen_jump(g);
	GEN(MOVR(R1, R0), MOV(R2, 0), CALL(132 + gen_pick(g, 2)));
	g->insn[check].off = (s16)(g->n_insns - check - 1);
}

static inline void gen_helper(struct gen *g)
{
	static const u8 plain[] = { 5, 7, 8, 14, 15, 42, 118, 125 };
	u32 n = 8 * (1 + gen_pick(g, 8)), r;

	switch (gen_pick(g, 6)) {
	case 0: GEN(CALL(plain[gen_pick(g, sizeof(plain))]), MOVR(gen_reg(g), R0)); break;
	case 1:
		GEN(MOVR(R1, R10), ALU(ADD, R1, gen_bad(g) ? gen_slot(g) : -(s32)n),
		    MOV(R2, (s32)n), LDX(DW, R3, R6, 8), CALL(112 + gen_pick(g, 4)),
		    MOVR(gen_reg(g), R0));
		break;
	case 2:
		r = gen_reg(g);
		if (!gen_bad(g))
			GEN(ALU(AND, r, 63));
		GEN(LDVALUE(R1, GEN_DATA, 0), MOVR(R2, r), LDX(DW, R3, R6, 0),
		    CALL(113 + gen_pick(g, 3)), MOVR(gen_reg(g), R0));
		break;
	case 3: GEN(MOVR(R1, R10), ALU(ADD, R1, -16), MOV(R2, 16), CALL(16)); break;
	case 4:
		GEN(LDMAP(R1, GEN_RING), MOVR(R2, R10), ALU(ADD, R2, gen_slot(g)), MOV(R3, 8),
		    MOV(R4, 0), CALL(130));
		break;
	case 5:
		GEN(LDX(DW, gen_reg(g), R6,
			gen_bad(g) ? (s32)gen_pick(g, 120) : 8 * (s32)gen_pick(g, 12)));
		break;
	}
}

static inline void gen_piece(struct gen *g, u32 depth);

static inline void gen_loop(struct gen *g, u32 depth)
{
	u32 head, turns = 1 + gen_pick(g, 9), n = gen_pick(g, 4), r = 7 + gen_pick(g, 3);

	if (depth > 1)
		return;
	GEN(MOV(R1, 0), STX(DW, R10, -80 - 8 * (s32)depth, R1));
	head = g->n_insns;
	while (n-- > 0 && g->n_insns < GEN_MAX - 60)
		gen_piece(g, depth + 1);
	gen_land(g);
	GEN(LDX(DW, r, R10, -80 - 8 * (s32)depth), ALU(ADD, r, gen_bad(g) ? gen_imm(g) : 1),
	    STX(DW, R10, -80 - 8 * (s32)depth, r));
	GEN(JMP(JLT, r, (s32)turns, (s32)head - (s32)g->n_insns - 1));
}

/* A call of, or a loop over, the function at the end: it adds r1 to the word at r2. */
static inline void gen_call(struct gen *g)
{
	if (g->n_sub_calls == ARRAY_SIZE(g->sub_call))
		return;
	if (gen_pick(g, 2)) {
		GEN(MOVR(R1, gen_reg(g)), MOVR(R2, R10), ALU(ADD, R2, gen_slot(g)));
		g->sub_call[g->n_sub_calls++] = g->n_insns;
		GEN(CALLSUB(0), MOVR(gen_reg(g), R0));
		return;
	}
	GEN(MOV(R1, gen_imm(g) & 15), MOVR(R3, R10), ALU(ADD, R3, gen_slot(g)), MOV(R4, 0));
	g->sub_call[g->n_sub_calls++] = g->n_insns;
	GEN(LDFUNC(R2, 0), CALL(181), MOVR(gen_reg(g), R0));
}

static inline void gen_piece(struct gen *g, u32 depth)
{
	switch (gen_pick(g, 14)) {
	case 0:
	case 1:
	case 2: gen_alu(g); break;
	case 3: gen_stack(g); break;
	case 4:
	case 5: gen_jump(g); break;
	case 6: gen_lookup(g); break;
	case 7: gen_index(g); break;
	case 8: gen_record(g); break;
	case 9: gen_helper(g); break;
	case 10: gen_loop(g, depth); break;
	case 11: gen_update(g); break;
	case 12: gen_land(g); break;
	case 13:
		if (g->has_sub)
			gen_call(g);
		break;
	}
}

static inline void gen_sub(struct gen *g)
{
	u32 start = g->n_insns;

	for (u32 i = 0; i < g->n_sub_calls; i++)
		g->insn[g->sub_call[i]].imm = (s32)(start - g->sub_call[i] - 1);
	if (!g->n_sub_calls)
		return;
	GEN(ST(DW, R10, -8, gen_imm(g)), LDX(DW, R3, R2, 0), ALUR(ADD, R3, R1));
	if (gen_pick(g, 2))
		GEN(ALU(AND, R3, 56), LDVALUE(R4, GEN_DATA, 0), ALUR(ADD, R4, R3),
		    STX(DW, R4, 0, R1));
	GEN(STX(DW, R2, 0, R3), LDX(B, R0, R10, -8), ALU(AND, R0, gen_bad(g) ? 3 : 1), EXIT);
}

/* The program that the bytes stand for, in g->insn. */
static inline void gen_program(struct gen *g, const u8 *bytes, size_t n)
{
	*g = (struct gen){ .bytes = bytes, .n = n };
	g->wild = 2 * gen_pick(g, 40);
	g->has_sub = gen_pick(g, 4) == 1;
	GEN(MOVR(R6, R1));
	for (u32 r = R7; r <= R9; r++)
		GEN(LDX(DW, r, R1, 8 * (s32)r - 56));
	for (s32 slot = -8; slot >= -64; slot -= 8)
		GEN(STX(DW, R10, slot, R7 + (u32)(-slot / 8) % 3));
	while (g->at < g->n && g->n_insns < GEN_MAX)
		gen_piece(g, 0);
	while (g->n_open) {
		u32 at = g->open[--g->n_open];

		g->insn[at].off = (s16)(g->n_insns - at - 1);
	}
	GEN(MOV(R0, 0), EXIT);
	gen_sub(g);
}

static inline void gen_maps(struct program *prog)
{
	asm_map(prog, "@h", MAP_USER, BPF_MAP_TYPE_HASH, 8, 16, 64);
	prog->data_map = asm_map(prog, ".data", MAP_DATA, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
	prog->ring_map = asm_map(prog, ".ring", MAP_RING, BPF_MAP_TYPE_RINGBUF, 0, 0, 4096);
	asm_map(prog, "@p", MAP_USER, BPF_MAP_TYPE_PERCPU_HASH, 8, 16, 64);
}

#endif
