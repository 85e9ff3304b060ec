/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a script asks and the engine cannot answer, because its events are recorded: found in the
 * optimized code, so that what an option excludes is no error.
 *
 *	uid			call 15()		the engine lacks users
 *	str(args.filename)	call 114(slot, 64, t5)	t5 is a number: memory of a process
 *	args.prev_comm		call 113(slot, 16, t7)	t7 is ctx + 8: the event itself
 */
#include "session/choose.h"
#include "session/compile.h"

enum { MOST_STEPS = 64 }; /* back from an address */

struct search {
	const struct compiled *c;
	const struct ir_func *f;
	bool has_registers; /* the context is struct pt_regs */
	u32 steps;
};

/* The argument of a helper that is the address to read from; -1: it reads none. */
static int address_of(s64 helper)
{
	switch (helper) {
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_user:
	case BPF_FUNC_probe_read_user_str:
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_copy_from_user: return 2;
	default: return -1;
	}
}

static bool is_own(struct search *s, const struct opnd *o);

/* The top of the traced thread's stack: arguments, return address. */
static bool is_near(const struct search *s, const struct ir_insn *in)
{
	const struct engine *e = s->c->engines[0];

	return s->has_registers && e->has_memory_near && in->arg[0].kind == O_CTX &&
	       e->has_memory_near((u32)in->arg[0].imm);
}

/* What the instruction computes is an address in the memory of the program or of its event. */
static bool makes_own(struct search *s, const struct ir_insn *in)
{
	switch (in->op) {
	case IR_ADDR:
	case IR_MOVE:
	case IR_NUMBER: return is_own(s, &in->arg[0]);
	case IR_LOAD: return is_near(s, in);
	case IR_ADD:
	case IR_SUB: return is_own(s, &in->arg[0]) || is_own(s, &in->arg[1]);
	case IR_CALL:
		return in->imm == BPF_FUNC_map_lookup_elem ||
		       in->imm == BPF_FUNC_map_lookup_percpu_elem ||
		       in->imm == BPF_FUNC_ringbuf_reserve;
	default: return false;
	}
}

/* All definitions of a variable must be such; one through itself is decided by the others. */
static bool is_own_temp(struct search *s, u32 temp)
{
	bool some = temp <= s->f->n_params && s->f->callback;

	if (s->steps++ > MOST_STEPS)
		return true;
	for (u32 b = 0; b < s->f->blocks.n; b++)
		for (u32 i = 0; i < s->f->blocks.v[b]->insns.n; i++) {
			const struct ir_insn *in = &s->f->blocks.v[b]->insns.v[i];

			if (in->dst != temp || (in->op == IR_MOVE && in->arg[0].kind == O_IMM))
				continue;
			if (!makes_own(s, in))
				return false;
			some = true;
		}
	return some;
}

static bool is_own(struct search *s, const struct opnd *o)
{
	switch (o->kind) {
	case O_SLOT:
	case O_CTX:
	case O_MAP:
	case O_DATA:
	case O_FUNC: return true;
	case O_TEMP: return is_own_temp(s, o->id);
	case O_NONE:
	case O_IMM: return false;
	}
	return false;
}

static const char *missing(const struct compiled *c, const struct ir_func *f,
			   const struct ir_insn *in, bool has_registers)
{
	struct search s = { .c = c, .f = f, .has_registers = has_registers };
	int at = in->op == IR_CALL ? address_of(in->imm) : -1;

	if (in->op == IR_KCALL)
		return "functions of the kernel";
	if (in->op != IR_CALL)
		return NULL;
	return c->engines[0]->lacks((u32)in->imm, at >= 0 && !is_own(&s, &in->arg[at]));
}

static bool is_told(const struct compiled *c, struct span span)
{
	for (u32 i = 0; i < c->diags.list.n; i++)
		if (c->diags.list.v[i]->id == D_NOT_RECORDED &&
		    c->diags.list.v[i]->span.off == span.off)
			return true;
	return false;
}

static void report(struct compiled *c, struct span span, const char *what)
{
	const struct engine *e = c->engines[0];

	if (is_told(c, span))
		return;
	diag_help(&c->diags, diag_report(&c->diags, span, D_NOT_RECORDED, e->source, what),
		  "it has %s", e->source_has);
}

/* Sites that no other engine serves. */
static bool has_records(const struct compiled *c)
{
	for (u32 i = 0; i < c->sites.n; i++)
		if (c->sites.v[i].site.kind == SITE_RECORD)
			return true;
	return false;
}

void unrecorded_report(struct compiled *c, const struct ir_unit *u, bool has_registers)
{
	if (!c->engines[0]->lacks || (c->n_engines > 1 && !has_records(c)))
		return;
	for (u32 k = 0; k < u->funcs.n; k++)
		for (u32 b = 0; b < u->funcs.v[k]->blocks.n; b++)
			for (u32 i = 0; i < u->funcs.v[k]->blocks.v[b]->insns.n; i++) {
				const struct ir_insn *in = &u->funcs.v[k]->blocks.v[b]->insns.v[i];
				const char *what = missing(c, u->funcs.v[k], in, has_registers);

				if (what)
					report(c, in->span, what);
			}
}
