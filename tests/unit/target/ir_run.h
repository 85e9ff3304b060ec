/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IR run directly, for tests: the meaning of ir/op.def, word for word. Addresses are the host's. */
#ifndef TESTS_UNIT_TARGET_IR_RUN_H
#define TESTS_UNIT_TARGET_IR_RUN_H

#include "bpf_mini.h"
#include "ir/pass.h"

enum { IR_STEPS = 500000 };

struct ir_run {
	const struct ir_unit *u;
	u8 *ctx, *data;
	u64 steps;
	const char *error;
};

struct ir_frame {
	const struct ir_func *f;
	u64 *temp;
	u8 **slot;
};

static u64 run_opnd(const struct ir_run *r, const struct ir_frame *fr, struct opnd o)
{
	switch (o.kind) {
	case O_NONE: return 0;
	case O_IMM: return (u64)o.imm;
	case O_TEMP: return fr->temp[o.id] + (u64)o.imm;
	case O_SLOT: return (u64)(uintptr_t)fr->slot[o.id] + (u64)o.imm;
	case O_CTX: return (u64)(uintptr_t)r->ctx + (u64)o.imm;
	case O_DATA: return (u64)(uintptr_t)r->data + (u64)o.imm;
	case O_MAP: return 0;
	case O_FUNC: return 0;
	}
	return 0;
}

static u64 run_func(struct ir_run *r, u32 index, const u64 *arg, u32 depth);

static u64 run_atomic(const struct ir_insn *in, void *p, u64 b, u64 c)
{
	u64 old = mini_read(p, in->size), now = old;

	switch (in->op) {
	case IR_ATOMIC_ADD:
	case IR_ATOMIC_FETCH_ADD: now = old + b; break;
	case IR_ATOMIC_OR: now = old | b; break;
	case IR_ATOMIC_AND: now = old & b; break;
	case IR_ATOMIC_XOR: now = old ^ b; break;
	case IR_ATOMIC_XCHG: now = b; break;
	case IR_ATOMIC_CMPXCHG: now = old == (in->size == 4 ? (u32)b : b) ? c : old; break;
	}
	memcpy(p, &now, in->size);
	return old;
}

static u64 run_insn(struct ir_run *r, struct ir_frame *fr, const struct ir_insn *in, u32 depth)
{
	u64 a[5] = { 0 }, v = 0;
	void *p;

	for (u32 i = 0; i < ir_n_args(in); i++)
		a[i] = run_opnd(r, fr, in->arg[i]);
	p = (void *)(uintptr_t)a[0];
	switch (in->op) {
	case IR_LOAD: v = mini_read(p, in->size); return in->is_signed ? mini_sext(v, in->size) : v;
	case IR_STORE: memcpy(p, &a[1], in->size); return 0;
	case IR_ADDR: return a[0];
	case IR_ZERO: memset(p, 0, (size_t)in->imm); return 0;
	case IR_COPY: memcpy(p, (void *)(uintptr_t)a[1], (size_t)in->imm); return 0;
	case IR_CALL: return pretend_helper((u64)in->imm, a, (u32)in->imm % 6);
	case IR_CALLSUB: return run_func(r, (u32)in->imm, a, depth + 1);
	}
	if (in->op >= IR_ATOMIC_ADD && in->op <= IR_ATOMIC_CMPXCHG)
		return run_atomic(in, p, a[1], a[2]);
	if (!ir_eval(in, a[0], a[1], &v))
		r->error = "operation without a meaning";
	return v;
}

static u64 run_func(struct ir_run *r, u32 index, const u64 *arg, u32 depth)
{
	const struct ir_func *f = r->u->funcs.v[index];
	struct ir_frame fr = { .f = f };
	const struct ir_insn *in = f->blocks.v[0]->insns.v;
	u64 result = 0;

	fr.temp = calloc(f->temps.n + 1, sizeof *fr.temp);
	fr.slot = calloc(f->slots.n + 1, sizeof *fr.slot);
	for (u32 i = 0; i < f->slots.n; i++)
		fr.slot[i] = calloc(1, f->slots.v[i].size + 8);
	for (u32 i = 0; i < f->n_params; i++)
		fr.temp[i + 1] = arg[i];
	while (!r->error && r->steps++ < IR_STEPS) {
		if (in->op == IR_RETURN) {
			result = run_opnd(r, &fr, in->arg[0]);
			break;
		}
		if (in->op == IR_JUMP || in->op == IR_BRANCH) {
			bool yes = in->op == IR_JUMP ||
				   ir_eval_cond(in->cc, run_opnd(r, &fr, in->arg[0]),
						run_opnd(r, &fr, in->arg[1]));

			in = f->blocks.v[in->target[yes ? 0 : 1]]->insns.v;
			continue;
		}

		u64 v = run_insn(r, &fr, in, depth);

		if (in->dst)
			fr.temp[in->dst] = v;
		in++;
	}
	if (r->steps >= IR_STEPS)
		r->error = "runs away";
	for (u32 i = 0; i < f->slots.n; i++)
		free(fr.slot[i]);
	free(fr.slot);
	free(fr.temp);
	return result;
}

#endif
