/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	first subprogram | the others | end of the first: registers as they were
 *
 * A jump's distance is filled in when all code is there.
 */
#include <errno.h>
#include <stdlib.h>
#include "jit/internal.h"

enum { MOST_INSNS = 8192 };

/* ---- the input */

static bool is_function_reference(const struct bpf_insn *i)
{
	return (i->code == (BPF_LD | BPF_IMM | BPF_DW) && i->src_reg == BPF_PSEUDO_FUNC) ||
	       (i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL);
}

static int read_input(struct jit *j)
{
	const struct bpf_func *f = j->f;
	u32 n = f->n_insns;

	j->in = (struct flow_input){
		.f = f,
		.reloc_of = arena_array(&j->arena, const struct reloc *, n + 1),
		.begins = arena_array(&j->arena, bool, n + 1),
		.has_registers = j->site->context == JIT_REGISTERS,
	};
	j->start = arena_array(&j->arena, u32, n + 1);
	j->entry = arena_array(&j->arena, u32, n + 1);
	for (u32 i = 0; i < f->n_relocs; i++)
		if (f->relocs[i].insn < n)
			j->in.reloc_of[f->relocs[i].insn] = &f->relocs[i];
	for (u32 pc = 0; pc < n; pc++) {
		u32 target = pc + 1 + (u32)f->insns[pc].imm;

		if (!is_function_reference(&f->insns[pc]))
			continue;
		if (target >= n)
			return jit_refuse(j, "a call of something that does not exist");
		j->in.begins[target] = j->in.has_subprograms = true;
	}
	return 0;
}

/* ---- code */

/* Before any code of it: what its frame must have. */
static void measure(struct jit *j, u32 from, u32 to)
{
	j->frame = (struct jit_frame){ .is_main = from == 0 };
	for (j->pc = from; j->pc < to; j->pc++) {
		if (!flow_is_reached(&j->flow[j->pc]))
			continue;
		j->frame.used |= jit_insn_changes(&j->f->insns[j->pc]);
		jit_frame_need(j);
	}
	jit_frame_plan(j);
}

static int compile_subprogram(struct jit *j, u32 from, u32 to)
{
	int ret = 0;

	measure(j, from, to);
	j->pc = from;
	j->entry[from] = (u32)j->code->len;
	ret = jit_frame_enter(j);
	for (; j->pc < to && ret >= 0; j->pc++) {
		j->start[j->pc] = (u32)j->code->len;
		if (!flow_is_reached(&j->flow[j->pc]))
			continue;
		ret = jit_insn(j);
		if (j->f->insns[j->pc].code == (BPF_LD | BPF_IMM | BPF_DW))
			j->pc++;
	}
	return ret;
}

static int compile_all(struct jit *j)
{
	struct jit_frame main = { 0 };
	u32 n = j->f->n_insns;
	int ret = 0;

	for (u32 from = 0, to; from < n && ret >= 0; from = to) {
		for (to = from + 1; to < n && !j->in.begins[to];)
			to++;
		ret = compile_subprogram(j, from, to);
		if (!from)
			main = j->frame;
	}
	if (ret < 0)
		return ret;
	j->frame = main;
	j->start[n] = (u32)j->code->len;
	jit_frame_leave(j);
	jit_records_end(j);
	for (u32 i = 0; i < j->jumps.n; i++) {
		const struct jit_jump *to = &j->jumps.v[i];

		x86_land(j->code, to->from, (to->is_call ? j->entry : j->start)[to->target]);
	}
	return 0;
}

/* A context that is used otherwise than to read from it is made in memory. */
static struct flow_state *find_flow(struct jit *j)
{
	struct flow_state *flow;
	struct err misuse = { 0 };

	if (j->f->n_insns > MOST_INSNS) {
		jit_refuse(j, "it has more than %u instructions", MOST_INSNS);
		return NULL;
	}
	flow = flow_of(&j->in, &misuse);
	err_release(&misuse);
	if (flow)
		return flow;
	j->in.context_in_memory = true;
	return flow_of(&j->in, j->err);
}

/* Without the states of registers, any read may be of any memory: such a function is not
 * compiled. */
enum jit_memory jit_memory_of(const struct bpf_func *f)
{
	static const struct jit_site site = { .context = JIT_REGISTERS };
	struct err err = { 0 };
	struct jit j = { .f = f, .site = &site, .err = &err };
	enum jit_memory reads = JIT_READS_NOTHING;
	struct flow_state *flow = NULL;

	arena_init(&j.arena);
	if (read_input(&j) >= 0)
		flow = find_flow(&j);
	for (u32 pc = 0; pc < f->n_insns; pc++) {
		const struct bpf_insn *i = &f->insns[pc];

		if (!flow_reads_memory(i) || (flow && !flow_is_reached(&flow[pc])))
			continue;
		reads = MAX(reads, flow && flow_reads_stack(i, &flow[pc]) ? JIT_READS_STACK :
									    JIT_READS_MEMORY);
	}
	free(flow);
	arena_release(&j.arena);
	err_release(&err);
	return reads;
}

int jit_compile(const struct program *prog, const struct bpf_func *f, const struct jit_site *site,
		const struct jit_world *world, struct jit_output *out, struct err *err)
{
	struct jit j = { .prog = prog,
			 .f = f,
			 .site = site,
			 .world = world,
			 .address = out->address,
			 .code = out->code,
			 .begin = (u32)out->code->len,
			 .err = err };
	struct flow_state *flow = NULL;
	int ret;

	arena_init(&j.arena);
	ret = read_input(&j);
	if (ret >= 0)
		j.flow = flow = find_flow(&j);
	if (ret >= 0)
		ret = flow ? compile_all(&j) : err->code;
	if (ret >= 0)
		out->stack = j.deepest * (j.in.has_subprograms ? 8 : 1);
	else
		out->code->len = j.begin;
	free(flow);
	arena_release(&j.arena);
	return ret;
}
