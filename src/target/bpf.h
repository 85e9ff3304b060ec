/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole instruction codes of BPF, and register numbers as plain integers. */
#ifndef SONDE_TARGET_BPF_H
#define SONDE_TARGET_BPF_H

#include "type/bpf_isa.h"

enum {
	R0,
	R1,
	R2,
	R3,
	R4,
	R5,
	R6,
	R7,
	R8,
	R9,
	R_FRAME,
	N_REGS = 10, /* r10 cannot be allocated */
	N_CALL_ARGS = 5,
	STACK_MAX = 512,  /* bytes of all frames on one call path */
	FRAME_ALIGN = 32, /* frames are rounded up to this, as verifiers count them */
	SLOT = 8,
};

enum {
	OP_LD_IMM64 = BPF_LD | BPF_IMM | BPF_DW,
	OP_CALL = BPF_JMP | BPF_CALL,
	OP_EXIT = BPF_JMP | BPF_EXIT,
	OP_JA = BPF_JMP | BPF_JA,
	OP_MOV = BPF_ALU64 | BPF_MOV | BPF_X,
	OP_MOV_IMM = BPF_ALU64 | BPF_MOV | BPF_K,
	OP_MOV32 = BPF_ALU | BPF_MOV | BPF_X,
	OP_MOV32_IMM = BPF_ALU | BPF_MOV | BPF_K,
	OP_TO_BE = BPF_ALU | BPF_END | BPF_TO_BE,
	OP_BSWAP = BPF_ALU64 | BPF_END, /* 6.6: unconditional */
};

#endif
