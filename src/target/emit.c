/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target_emit(): selects, allocates and encodes each function of the unit, then joins them. The
 * entry comes first, then the referenced functions (verifiers refuse functions that are never
 * called). References become relative. The stack of the deepest call path is the sum of its frames,
 * each rounded up to 32 bytes, as verifiers compute it.
 */
#include <errno.h>

#include "target/emit_shared.h"

struct emit {
	struct ir_unit *unit;
	struct features *features;
	struct bpf_func *out;
	struct arena *scratch; /* for everything but the result */
	struct code code;
	/* by function of the unit: 1 + index in out->subprogs; 0: not referenced */
	u32 *index;
	u32 *order; /* by index: function of the unit */
	u32 *frame; /* by index, bytes */
	u32 n;      /* indexes assigned */
	struct limits limits;
};

static u32 index_of(struct emit *e, u32 func)
{
	if (!e->index[func]) {
		e->order[e->n] = func;
		e->index[func] = ++e->n;
	}
	return e->index[func] - 1;
}

static int generate(struct emit *e, struct ir_func *f, u32 *frame)
{
	struct mach m = { .arena = e->scratch,
			  .unit = e->unit,
			  .f = f,
			  .features = e->features,
			  .limits = e->limits };

	mach_find_aliases(&m);
	frame_layout(&m);
	select_func(&m);
	regalloc(&m);
	*frame = m.frame;
	return m.frame > STACK_MAX ? -E2BIG : encode_func(&m, &e->code);
}

static int generate_shared(struct emit *e, struct ir_func *f, u32 *frame)
{
	struct program *p = e->unit->prog;
	const struct shared_code *known = ir_is_compiled(f) ? *f->compiled : NULL;
	u32 insn = e->code.insns.n, reloc = e->code.relocs.n;
	struct shared_key key;
	int r;

	if (!known) {
		key = shared_key_of(e->scratch, f);
		known = shared_code_find(p, &key);
		f->span = f->blocks.v[0]->insns.v[0].span;
	}
	if (known) {
		*frame = known->frame;
		shared_code_put(known, f->span, e->scratch, &e->code);
	} else {
		r = generate(e, f, frame);
		if (r)
			return r;
		known = shared_code_keep(p, &key, &e->code, insn, reloc, *frame);
	}
	if (f->compiled)
		*f->compiled = known;
	return 0;
}

static int emit_func(struct emit *e, u32 at)
{
	struct ir_func *f = e->unit->funcs.v[e->order[at]];
	u32 first = e->code.relocs.n;
	int r;

	e->out->subprogs[at] = (struct subprog){ .insn = e->code.insns.n,
						 .name = f->name,
						 .callback = f->callback,
						 .shared = f->shared,
						 .n_params = (u8)f->n_params };
	r = (f->shared && e->unit->prog ? generate_shared : generate)(e, f, &e->frame[at]);
	for (u32 i = first; i < e->code.relocs.n; i++) {
		struct reloc *reloc = &e->code.relocs.v[i];

		if (reloc->kind == RELOC_FUNC)
			reloc->index = index_of(e, reloc->index);
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
	u32 *depth = arena_array(e->scratch, u32, e->n);

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

static int emit_all(struct emit *e)
{
	u32 n = e->unit->funcs.n;

	e->index = arena_array(e->scratch, u32, 3 * (size_t)n);
	e->order = e->index + n;
	e->frame = e->order + n;
	e->out->subprogs = arena_array(e->unit->prog->arena, struct subprog, n);
	index_of(e, 0);
	for (u32 at = 0; at < e->n; at++) {
		int r = emit_func(e, at);

		if (r)
			return r;
	}
	link_functions(e);
	return 0;
}

static void keep_code(struct emit *e)
{
	struct arena *a = e->unit->prog->arena;
	struct bpf_func *out = e->out;

	out->n_subprogs = e->n;
	out->n_insns = e->code.insns.n;
	out->insns = arena_dup(a, e->code.insns.v, out->n_insns * sizeof *out->insns);
	out->spans = arena_dup(a, e->code.spans.v, out->n_insns * sizeof *out->spans);
	out->n_relocs = e->code.relocs.n;
	out->relocs = arena_dup(a, e->code.relocs.v, out->n_relocs * sizeof *out->relocs);
	out->stack_size = stack_depth(e);
}

int target_emit_with(struct ir_unit *u, struct features *features, struct bpf_func *out,
		     const struct limits *limits)
{
	struct arena own = { 0 };
	struct emit e = { .unit = u,
			  .features = features,
			  .out = out,
			  .scratch = u->prog && u->prog->scratch ? u->prog->scratch : &own,
			  .limits = *limits };
	int r = emit_all(&e);

	if (!r)
		keep_code(&e);
	arena_reset(e.scratch);
	arena_release(&own);
	return r ? r : out->stack_size > STACK_MAX ? -E2BIG : 0;
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
