/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target_emit(): each function of the unit is selected, allocated and encoded, then all are joined, the
 * entry first. Calls between them and references to them become relative, the stack of the deepest
 * call path is added up as verifiers do (each frame in steps of 32 bytes).
 */
#include <errno.h>

#include "target/mach.h"

struct emit {
	struct ir_unit *unit;
	struct features *features;
	struct bpf_func *out;
	struct code code;
	u32 *frame; /* by function, bytes */
	u32 allowed;
};

static int emit_func(struct emit *e, u32 index)
{
	struct mach m = { .arena = e->unit->arena, .unit = e->unit, .f = e->unit->funcs.v[index],
			  .features = e->features, .allowed = e->allowed };
	struct subprog *sub = &e->out->subprogs[index];

	*sub = (struct subprog){ .insn = e->code.insns.n, .name = m.f->name, .callback = m.f->callback };
	mach_find_aliases(&m);
	frame_layout(&m);
	select_func(&m);
	regalloc(&m);
	e->frame[index] = m.frame;
	return encode_func(&m, &e->code);
}

/* References to functions: distance from the next instruction. */
static void link_functions(struct emit *e)
{
	for (u32 i = 0; i < e->code.relocs.n; i++) {
		const struct reloc *r = &e->code.relocs.v[i];

		if (r->kind == RELOC_FUNC)
			e->code.insns.v[r->insn].imm =
				(s32)e->out->subprogs[r->index].insn - (s32)r->insn - 1;
	}
}

static u32 func_at(const struct emit *e, u32 insn)
{
	u32 f = 0;

	while (f + 1 < e->unit->funcs.n && e->out->subprogs[f + 1].insn <= insn)
		f++;
	return f;
}

/*
 * Bytes of the deepest path of calls. Functions only call ones behind them in depth steps, and there
 * are few: relax as often as there are functions.
 */
static u32 stack_depth(struct emit *e)
{
	u32 n = e->unit->funcs.n, *depth = arena_array(e->unit->arena, u32, n);

	for (u32 i = 0; i < n; i++)
		depth[i] = n > 1 ? ALIGN_UP(MAX(e->frame[i], 1u), (u32)FRAME_ALIGN) : e->frame[i];
	for (u32 round = 1; round < n; round++)
		for (u32 i = 0; i < e->code.relocs.n; i++) {
			const struct reloc *r = &e->code.relocs.v[i];
			u32 from = func_at(e, r->insn), own;

			if (r->kind != RELOC_FUNC)
				continue;
			own = ALIGN_UP(MAX(e->frame[from], 1u), (u32)FRAME_ALIGN);
			depth[from] = MAX(depth[from], own + depth[r->index]);
		}
	return depth[0];
}

int target_emit_with(struct ir_unit *u, struct features *features, struct bpf_func *out, u32 allowed)
{
	struct emit e = { .unit = u, .features = features, .out = out, .allowed = allowed };
	int r;

	out->n_subprogs = u->funcs.n;
	out->subprogs = arena_array(u->arena, struct subprog, u->funcs.n);
	e.frame = arena_array(u->arena, u32, u->funcs.n);
	for (u32 i = 0; i < u->funcs.n; i++) {
		r = emit_func(&e, i);
		if (r)
			return r;
	}
	link_functions(&e);
	out->insns = e.code.insns.v;
	out->spans = e.code.spans.v;
	out->n_insns = e.code.insns.n;
	out->relocs = e.code.relocs.v;
	out->n_relocs = e.code.relocs.n;
	out->stack_size = stack_depth(&e);
	return out->stack_size > STACK_MAX ? -E2BIG : 0;
}

int target_emit(struct ir_unit *u, struct features *features, struct bpf_func *out)
{
#if defined(SONDE_HOSTILE) && SONDE_HOSTILE
	return target_emit_with(u, features, out, FEW_REGS);
#else
	return target_emit_with(u, features, out, ALL_REGS);
#endif
}
