/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target_emit(): selects, allocates and encodes each function of the unit, then joins them. The
 * entry comes first, then the functions that are referred to (verifiers refuse functions that are
 * never called). References become relative. The stack of the deepest call path is the sum of its
 * frames, each rounded up to 32 bytes, as verifiers compute it.
 */
#include <errno.h>

#include "target/mach.h"

struct emit {
	struct ir_unit *unit;
	struct features *features;
	struct bpf_func *out;
	struct code code;
	/* by function of the unit: 1 + index in out->subprogs; 0: not referred to */
	u32 *place;
	u32 *order; /* by index: function of the unit */
	u32 *frame; /* by index, bytes */
	u32 n;      /* indexes assigned */
	struct limits limits;
};

static u32 place_of(struct emit *e, u32 func)
{
	if (!e->place[func]) {
		e->order[e->n] = func;
		e->place[func] = ++e->n;
	}
	return e->place[func] - 1;
}

static int emit_func(struct emit *e, u32 at)
{
	struct mach m = { .arena = e->unit->arena,
			  .unit = e->unit,
			  .f = e->unit->funcs.v[e->order[at]],
			  .features = e->features,
			  .limits = e->limits };
	u32 first = e->code.relocs.n;
	int r;

	e->out->subprogs[at] = (struct subprog){ .insn = e->code.insns.n,
						 .name = m.f->name,
						 .callback = m.f->callback,
						 .shared = m.f->shared,
						 .n_params = (u8)m.f->n_params };
	mach_find_aliases(&m);
	frame_layout(&m);
	select_func(&m);
	regalloc(&m);
	e->frame[at] = m.frame;
	if (m.frame > STACK_MAX)
		return -E2BIG;
	r = encode_func(&m, &e->code);
	for (u32 i = first; i < e->code.relocs.n; i++) {
		struct reloc *reloc = &e->code.relocs.v[i];

		if (reloc->kind == RELOC_FUNC)
			reloc->index = place_of(e, reloc->index);
	}
	return r;
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

enum { MOST_DEEP = 9 }; /* nesting of functions, one more than verifiers accept */

/*
 * Bytes of the deepest call path, relaxed once for each function on it; relocations are in the
 * order of instructions.
 */
static u32 stack_depth(struct emit *e)
{
	u32 *depth = arena_array(e->unit->arena, u32, e->n);

	if (e->n == 1)
		return e->frame[0];
	for (u32 i = 0; i < e->n; i++)
		depth[i] = e->frame[i] = ALIGN_UP(MAX(e->frame[i], 1u), (u32)FRAME_ALIGN);
	for (u32 round = 1; round < MOST_DEEP; round++)
		for (u32 i = 0, from = 0; i < e->code.relocs.n; i++) {
			const struct reloc *r = &e->code.relocs.v[i];

			while (from + 1 < e->n && e->out->subprogs[from + 1].insn <= r->insn)
				from++;
			if (r->kind == RELOC_FUNC)
				depth[from] = MAX(depth[from], e->frame[from] + depth[r->index]);
		}
	return depth[0];
}

int target_emit_with(struct ir_unit *u, struct features *features, struct bpf_func *out,
		     const struct limits *limits)
{
	struct emit e = { .unit = u, .features = features, .out = out, .limits = *limits };
	int r;

	e.place = arena_array(u->arena, u32, 3 * (size_t)u->funcs.n);
	e.order = e.place + u->funcs.n;
	e.frame = e.order + u->funcs.n;
	out->subprogs = arena_array(u->arena, struct subprog, u->funcs.n);
	place_of(&e, 0);
	for (u32 at = 0; at < e.n; at++) {
		r = emit_func(&e, at);
		if (r)
			return r;
	}
	link_functions(&e);
	out->n_subprogs = e.n;
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
	static const struct limits limits = { FEW_REGS, NEAR };
#else
	static const struct limits limits = { ALL_REGS, FAR };
#endif

	return target_emit_with(u, features, out, &limits);
}
