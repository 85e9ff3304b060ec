/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF instructions written by hand: the engine's own tiny programs (feature probes, the gate) and
 * tests. The compiler's encoder is in target/. Encoding: Documentation/bpf/standardization.
 */
#ifndef SONDE_ENGINE_INSN_H
#define SONDE_ENGINE_INSN_H

#include <linux/bpf.h>
#include "base/base.h"

#define I_RAW(c, d, s, o, i)                                                                       \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })

#define I_MOV(d, s) I_RAW(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define I_MOVI(d, i) I_RAW(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define I_ALUI(op, d, i) I_RAW(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
/* size: BPF_B, BPF_H, BPF_W, BPF_DW */
#define I_LDX(size, d, s, o) I_RAW(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define I_STX(size, d, s, o) I_RAW(BPF_STX | BPF_MEM | (size), d, s, o, 0)
#define I_ST(size, d, o, i) I_RAW(BPF_ST | BPF_MEM | (size), d, 0, o, i)
/* op: BPF_ADD, BPF_ADD | BPF_FETCH, BPF_XCHG, ... on *(d + o) */
#define I_ATOMIC(size, op, d, s, o) I_RAW(BPF_STX | BPF_ATOMIC | (size), d, s, o, op)
#define I_JMPI(op, d, i, o) I_RAW(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define I_CALL(helper) I_RAW(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define I_CALL_KFUNC(id) I_RAW(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, id)
#define I_EXIT() I_RAW(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two slots. */
#define I_LD_MAP(d, fd)                                                                            \
	I_RAW(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), I_RAW(0, 0, 0, 0, 0)
#define I_LD_VALUE(d, fd, at)                                                                      \
	I_RAW(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_VALUE, 0, fd), I_RAW(0, 0, 0, 0, at)
/* Address of a subprogram, `rel` instructions after the next one. */
#define I_LD_FUNC(d, rel)                                                                          \
	I_RAW(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_FUNC, 0, rel), I_RAW(0, 0, 0, 0, 0)

#endif
