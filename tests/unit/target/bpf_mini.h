/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal BPF interpreter for tests of the compiler: addresses are the host's, only the number of
 * steps and the stack's bounds are checked. Helpers are simulated (pretend_helper) and destroy
 * r1..r5.
 */
#ifndef TESTS_UNIT_TARGET_BPF_MINI_H
#define TESTS_UNIT_TARGET_BPF_MINI_H

#include "target/bpf.h"
#include "type/program.h"

enum { MINI_STEPS = 2000000, MINI_FRAMES = 4 };

struct mini {
	const struct bpf_func *f;
	u8 *data; /* of map 0 */
	u64 steps;
	u8 stack[MINI_FRAMES][STACK_MAX] __attribute__((aligned(8)));
	const char *error;
};

static inline u64 pretend_helper(u64 helper, const u64 *arg, u32 n)
{
	u64 h = helper * 0x9e3779b97f4a7c15ull + 12345;

	for (u32 i = 0; i < n; i++)
		h = (h ^ arg[i]) * 0xff51afd7ed558ccdull, h ^= h >> 29;
	return h;
}

static inline u64 mini_read(const void *p, u32 size)
{
	u64 v = 0;

	memcpy(&v, p, size);
	return v;
}

static inline u32 mini_size(u8 code)
{
	return BPF_SIZE(code) == BPF_B ? 1 :
	       BPF_SIZE(code) == BPF_H ? 2 :
	       BPF_SIZE(code) == BPF_W ? 4 :
					 8;
}

static inline u64 mini_sext(u64 v, u32 size)
{
	u32 s = 64 - 8 * size;

	return (u64)((s64)(v << s) >> s);
}

static u64 mini_div(const struct bpf_insn *in, u64 a, u64 b, const char **error)
{
	bool mod = BPF_OP(in->code) == BPF_MOD;

	if (in->off == 1) {
		if ((s64)a == INT64_MIN && (s64)b == -1)
			*error = "signed division overflow";
		else if (b)
			return (u64)(mod ? (s64)a % (s64)b : (s64)a / (s64)b);
		return mod ? a : 0;
	}
	return mod ? b ? a % b : a : b ? a / b : 0;
}

static u64 mini_alu(const struct bpf_insn *in, u64 a, u64 b, const char **error)
{
	switch (BPF_OP(in->code)) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV:
	case BPF_MOD: return mini_div(in, a, b, error);
	case BPF_AND: return a & b;
	case BPF_OR: return a | b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & 63);
	case BPF_RSH: return a >> (b & 63);
	case BPF_ARSH: return (u64)((s64)a >> (b & 63));
	case BPF_NEG: return -a;
	case BPF_MOV: return in->off ? mini_sext(b, (u32)in->off / 8) : b;
	case BPF_END:
		return in->imm == 16 ? __builtin_bswap16((u16)a) :
		       in->imm == 32 ? __builtin_bswap32((u32)a) :
				       __builtin_bswap64(a);
	}
	*error = "unknown arithmetic";
	return 0;
}

static bool mini_taken(const struct bpf_insn *in, u64 a, u64 b)
{
	switch (BPF_OP(in->code)) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JSLT: return (s64)a < (s64)b;
	case BPF_JSLE: return (s64)a <= (s64)b;
	case BPF_JSGT: return (s64)a > (s64)b;
	case BPF_JSGE: return (s64)a >= (s64)b;
	case BPF_JSET: return (a & b) != 0;
	}
	return false;
}

static void mini_atomic(const struct bpf_insn *in, u64 *r)
{
	void *p = (void *)(uintptr_t)(r[in->dst_reg] + (u64)(s64)in->off);
	u32 size = mini_size(in->code);
	u64 old = mini_read(p, size), v = r[in->src_reg], now = old;

	if (in->imm == BPF_CMPXCHG) {
		if (old == (size == 4 ? (u32)r[R0] : r[R0]))
			memcpy(p, &v, size);
		r[R0] = old;
		return;
	}
	switch (in->imm & ~BPF_FETCH) {
	case BPF_ADD: now = old + v; break;
	case BPF_OR: now = old | v; break;
	case BPF_AND: now = old & v; break;
	case BPF_XOR: now = old ^ v; break;
	default: now = v; /* exchange */
	}
	memcpy(p, &now, size);
	if (in->imm & BPF_FETCH)
		r[in->src_reg] = old;
}

static void mini_memory(const struct bpf_insn *in, u64 *r)
{
	u32 size = mini_size(in->code);
	bool load = BPF_CLASS(in->code) == BPF_LDX;
	u8 *p = (u8 *)(uintptr_t)(r[load ? in->src_reg : in->dst_reg] + (u64)(s64)in->off);
	s64 imm = in->imm;

	if (load) {
		u64 v = mini_read(p, size);

		r[in->dst_reg] = BPF_MODE(in->code) == BPF_MEMSX ? mini_sext(v, size) : v;
	} else if (BPF_CLASS(in->code) == BPF_ST) {
		memcpy(p, &imm, size);
	} else if (BPF_MODE(in->code) == BPF_ATOMIC) {
		mini_atomic(in, r);
	} else {
		memcpy(p, &r[in->src_reg], size);
	}
}

static void mini_helper(const struct bpf_insn *in, u64 *r)
{
	if (in->imm == BPF_FUNC_probe_read_kernel) {
		if (r[R3])
			memcpy((void *)(uintptr_t)r[R1], (void *)(uintptr_t)r[R3], r[R2]);
		else
			memset((void *)(uintptr_t)r[R1], 0, r[R2]);
		r[R0] = 0;
		/* in no address space: it zeroes */
	} else if (in->imm == BPF_FUNC_probe_read_user && r[R3] == UINT64_MAX) {
		memset((void *)(uintptr_t)r[R1], 0, r[R2]);
		r[R0] = 0;
	} else {
		r[R0] = pretend_helper((u64)in->imm, r + R1, (u32)in->imm % 6);
	}
}

static inline u64 mini_run(struct mini *m, u32 pc, const u64 *arg, u32 depth)
{
	u64 r[11] = { 0 };

	if (depth >= MINI_FRAMES) {
		m->error = "calls too deep";
		return 0;
	}
	for (u32 i = 0; i < N_REGS; i++)
		r[i] = 0xdead0000dead0000ull + i;
	memcpy(r + R1, arg, N_CALL_ARGS * sizeof *arg);
	memset(m->stack[depth], 0xa5, STACK_MAX);
	r[R_FRAME] = (u64)(uintptr_t)(m->stack[depth] + STACK_MAX);
	while (!m->error) {
		const struct bpf_insn *in = &m->f->insns[pc++];
		u8 class = BPF_CLASS(in->code);
		u64 b = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] : (u64)(s64)in->imm;

		if (m->steps++ > MINI_STEPS || pc > m->f->n_insns) {
			m->error = "runs away";
		} else if (class == BPF_ALU64) {
			r[in->dst_reg] = mini_alu(in, r[in->dst_reg], b, &m->error);
		} else if (class == BPF_ALU) {
			u64 v = mini_alu(in, r[in->dst_reg], (u32)b, &m->error);

			r[in->dst_reg] = BPF_OP(in->code) == BPF_END ? v : (u32)v;
		} else if (class == BPF_LDX || class == BPF_ST || class == BPF_STX) {
			mini_memory(in, r);
		} else if (in->code == OP_LD_IMM64) {
			u64 v = (u32)in->imm | (u64)(u32)in[1].imm << 32;

			if (in->src_reg == BPF_PSEUDO_MAP_VALUE)
				v = (u64)(uintptr_t)m->data + (u32)in[1].imm;
			r[in->dst_reg] = v;
			pc++;
		} else if (in->code == OP_EXIT) {
			return r[R0];
		} else if (in->code == OP_CALL) {
			if (in->src_reg == BPF_PSEUDO_CALL)
				r[R0] = mini_run(m, pc + (u32)in->imm, r + R1, depth + 1);
			else
				mini_helper(in, r);
			for (u32 i = R1; i <= R5; i++)
				r[i] = 0xc10bbe7ed0000000ull + i;
		} else if (in->code == OP_JA || mini_taken(in, r[in->dst_reg], b)) {
			pc += (u32)(s32)in->off;
		}
	}
	return 0;
}

#endif
