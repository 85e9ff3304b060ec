/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF by hand, for tests: one macro for each form of instruction, and programs made of them. */
#ifndef TESTS_UNIT_BPF_ASM_H
#define TESTS_UNIT_BPF_ASM_H

#include "base/arena.h"
#include "type/program.h"

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };
enum { B = BPF_B, H = BPF_H, W = BPF_W, DW = BPF_DW };

#define INSN(code_, dst_, src_, off_, imm_)                                                        \
	((struct bpf_insn){ .code = (code_),                                                       \
			    .dst_reg = (dst_),                                                     \
			    .src_reg = (src_),                                                     \
			    .off = (s16)(off_),                                                    \
			    .imm = (s32)(imm_) })
/* d op= number or register; the 32 forms work on the low halves */
#define ALU(op, d, imm) INSN(BPF_ALU64 | BPF_K | BPF_##op, d, 0, 0, imm)
#define ALUR(op, d, s) INSN(BPF_ALU64 | BPF_X | BPF_##op, d, s, 0, 0)
#define ALU32(op, d, imm) INSN(BPF_ALU | BPF_K | BPF_##op, d, 0, 0, imm)
#define ALU32R(op, d, s) INSN(BPF_ALU | BPF_X | BPF_##op, d, s, 0, 0)
#define MOV(d, imm) ALU(MOV, d, imm)
#define MOVR(d, s) ALUR(MOV, d, s)
#define LDX(size, d, s, off) INSN(BPF_LDX | BPF_MEM | (size), d, s, off, 0)
#define STX(size, d, off, s) INSN(BPF_STX | BPF_MEM | (size), d, s, off, 0)
#define ST(size, d, off, imm) INSN(BPF_ST | BPF_MEM | (size), d, 0, off, imm)
#define ATOMIC(size, op, d, off, s) INSN(BPF_STX | BPF_ATOMIC | (size), d, s, off, op)
#define JMP(op, d, imm, off) INSN(BPF_JMP | BPF_K | BPF_##op, d, 0, off, imm)
#define JMPR(op, d, s, off) INSN(BPF_JMP | BPF_X | BPF_##op, d, s, off, 0)
#define JMP32(op, d, imm, off) INSN(BPF_JMP32 | BPF_K | BPF_##op, d, 0, off, imm)
#define JA(off) INSN(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define CALLSUB(rel) INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, rel)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define LD64(d, v)                                                                                 \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, 0, 0, (u64)(v)), INSN(0, 0, 0, 0, (u64)(v) >> 32)
#define LDFUNC(d, rel)                                                                             \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_FUNC, 0, rel), INSN(0, 0, 0, 0, 0)
/* References to maps: the relocation is found by these sources. */
#define LDMAP(d, map)                                                                              \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_FD, 0, map), INSN(0, 0, 0, 0, 0)
#define LDVALUE(d, map, add)                                                                       \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_VALUE, 0, map), INSN(0, 0, 0, 0, add)

/* Adds the instructions as a function of prog, with relocations made from LDMAP and LDVALUE. */
static inline struct bpf_func *asm_func(struct program *prog, u32 prog_type,
					const struct bpf_insn *insns, u32 n)
{
	struct bpf_func *f = arena_new(prog->arena, struct bpf_func);

	f->name = "test";
	f->load.prog_type = prog_type;
	f->insns = arena_dup(prog->arena, insns, n * sizeof *insns);
	f->n_insns = n;
	f->spans = arena_array(prog->arena, struct span, n);
	f->relocs = arena_array(prog->arena, struct reloc, n);
	for (u32 i = 0; i < n; i++) {
		struct bpf_insn *in = &f->insns[i];
		bool value = in->src_reg == BPF_PSEUDO_MAP_VALUE;

		if (in->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (in->src_reg == BPF_PSEUDO_MAP_FD || value)
			f->relocs[f->n_relocs++] = (struct reloc){
				i,
				value ? RELOC_MAP_VALUE : RELOC_MAP,
				(u32)in->imm,
				value ? (u32)insns[i + 1].imm : 0,
			};
		i++;
	}
	vec_push(prog->arena, &prog->funcs, f);
	return f;
}

static inline u32 asm_map(struct program *prog, const char *name, enum map_role role, u32 bpf_type,
			  u32 key_size, u32 value_size, u32 max_entries)
{
	vec_push(prog->arena, &prog->maps,
		 (struct map_desc){ .name = name,
				    .role = role,
				    .bpf_type = bpf_type,
				    .key_size = key_size,
				    .value_size = value_size,
				    .max_entries = max_entries });
	return prog->maps.n - 1;
}

static inline void asm_program(struct program *prog, struct arena *a)
{
	arena_init(a);
	*prog = (struct program){
		.arena = a, .data_map = NO_INDEX, .ring_map = NO_INDEX, .scratch_map = NO_INDEX
	};
}

#endif
