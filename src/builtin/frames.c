/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the tracer frames on top of a kernel stack, for len(kstack) in contexts without registers.
 *
 * There the stack begins in the BPF program. How many kernel functions are between it and the event
 * depends on the kernel and on what else is attached:
 *
 *	raw tracepoint	bpf_prog_x	bpf_loop, bpf_prog_x in loops	bpf_trace_run2	(__bpf_trace_x)	(__traceiter_x)
 *	tracepoint	(__traceiter_x)
 *	lsm		bpf_prog_x	bpf_trampoline_x
 *
 * Kernel functions are looked up in a table of bounds (struct tracer_frames, lang/env.h). Programs
 * and trampolines are outside the kernel's text, as modules are: such a frame is a tracer frame
 * until the first frame in bpf_trace_run.
 */
#include "builtin/frames.h"
#include "builtin/text.h"
#include "type/agg.h"

/*
 * Index of the last bound that is not above ip, by a binary search without branches, which
 * verifiers would follow both ways:
 *
 *	at = 0; for (step = n / 2; step; step /= 2) at += step & -(bounds[at + step] <= ip)
 */
static struct opnd find_bound(struct lower *l, const struct tracer_frames *m, struct opnd ip)
{
	u32 table = data_table(l, m->bounds, m->n * (u32)sizeof(u64));
	struct opnd bounds = ir_addr(l, o_data(l->prog->data_map, table)), at = o_imm(0), i, bound,
		    above;

	for (u32 step = m->n / 2; step; step /= 2) {
		i = ir_op2(l, IR_AND, ir_op2(l, IR_ADD, at, o_imm(step)), o_imm(m->n - 1));
		bound = ir_load(l, ir_op2(l, IR_ADD, bounds, ir_op2(l, IR_SHL, i, o_imm(3))), 8,
				false);
		/* All ones if ip < bound; both are kernel addresses. */
		above = ir_op2(l, IR_SAR, ir_op2(l, IR_SUB, ip, bound), o_imm(63));
		at = ir_op2(l, IR_ADD, at,
			    ir_op2(l, IR_AND, ir_op2(l, IR_XOR, above, o_imm(-1)), o_imm(step)));
	}
	return at;
}

static struct opnd is_within(struct lower *l, struct opnd ip, u64 from, u64 to)
{
	return ir_set(l, CC_ULT, ir_op2(l, IR_SUB, ip, o_imm((s64)from)), o_imm((s64)(to - from)));
}

static bool is_raw(const struct profile *p)
{
	return p->load.prog_type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
	       (p->load.prog_type == BPF_PROG_TYPE_TRACING &&
		p->load.attach_type == BPF_TRACE_RAW_TP);
}

/* Whether a frame is a tracer frame. Clears the variable `ours` at bpf_trace_run. */
static struct opnd is_tracer_frame(struct lower *l, const struct tracer_frames *m, struct opnd ip,
				   u32 ours)
{
	struct opnd in_kernel = is_within(l, ip, m->text_from, m->text_to);
	struct opnd outside =
		ir_op2(l, IR_AND, ir_op2(l, IR_XOR, in_kernel, o_imm(1)), o_temp(ours));
	struct opnd known = ir_op2(l, IR_AND, find_bound(l, m, ip), o_imm(1));

	if (is_raw(l->profile))
		choose(l, ours, is_within(l, ip, m->run_from, m->run_to), o_imm(0));
	return ir_op2(l, IR_OR, known, outside);
}

/* Examines all spare frames, without an early exit: verifiers would follow each exit (Linux 7.2:
 * for seconds, in loops). */
struct opnd count_tracer_frames(struct lower *l, struct opnd frames)
{
	const struct tracer_frames *m =
		l->env->world.tracer_frames ? l->env->world.tracer_frames(l->env->world.ctx) : NULL;
	bool is_perf = l->profile->load.prog_type == BPF_PROG_TYPE_TRACEPOINT;
	struct ir_block *head = ir_block_new(l), *body = ir_block_new(l), *out = ir_block_new(l);
	u32 i = ir_var(l), cut = ir_var(l), mark;
	u32 still = ir_var(l); /* 1: all frames so far are tracer frames */
	u32 ours = ir_var(l);  /* 1: a frame outside the kernel's text is a tracer frame */
	struct opnd at, ip;

	if (!m || !m->text_to)
		return o_imm(0);
	ir_var_set(l, i, o_imm(0));
	ir_var_set(l, cut, o_imm(0));
	ir_var_set(l, still, o_imm(1));
	ir_var_set(l, ours, o_imm(!is_perf));
	ir_jump(l, head);
	ir_place(l, head);
	ir_branch(l, CC_UGE, o_temp(i), o_imm(STACK_SPARE_FRAMES), out, body);
	ir_place(l, body);
	mark = lower_values_mark(l);
	at = ir_op2(l, IR_SHL, ir_op2(l, IR_AND, o_temp(i), o_imm(STACK_SPARE_FRAMES - 1)),
		    o_imm(3));
	ip = ir_load(l, ir_op2(l, IR_ADD, ir_addr(l, frames), at), 8, false);
	ir_var_set(l, still, ir_op2(l, IR_AND, o_temp(still), is_tracer_frame(l, m, ip, ours)));
	ir_var_set(l, cut, ir_op2(l, IR_ADD, o_temp(cut), o_temp(still)));
	ir_var_set(l, i, ir_op2(l, IR_ADD, o_temp(i), o_imm(1)));
	lower_values_drop(l, mark);
	ir_jump(l, head);
	ir_place(l, out);
	return o_temp(cut);
}

_Static_assert((STACK_SPARE_FRAMES & (STACK_SPARE_FRAMES - 1)) == 0, "used as a mask");
