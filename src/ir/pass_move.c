/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copy coalescing: after a value is moved to a variable, its later uses read the variable, if the
 * value's live range then ends at the move. The two can then share a register, and the move
 * vanishes.
 *
 *	t4 = call 1(map0, s0)		t4 = call 1(map0, s0)
 *	t9 = move t4			t9 = move t4
 *	branch ne t4, 0 -> ...		branch ne t9, 0 -> ...
 */
#include "ir/pass.h"

enum { LOOK_AHEAD = 32 }; /* instructions; bounds the pass to linear time */

static u32 replace(struct ir_insn *in, u32 from, u32 to, bool do_it)
{
	u32 n = 0;

	for (u32 a = 0; a < ir_n_args(in); a++) {
		if (in->arg[a].kind != O_TEMP || in->arg[a].id != from)
			continue;
		n++;
		if (do_it)
			in->arg[a].id = to;
	}
	return n;
}

/* Readers of `from` after instruction k in its block, as long as `to` holds the value. */
static u32 readers(struct ir_block *b, u32 k, u32 from, u32 to, bool do_it)
{
	u32 n = 0, end = MIN(b->insns.n, k + 1 + LOOK_AHEAD);

	for (u32 i = k + 1; i < end; i++) {
		n += replace(&b->insns.v[i], from, to, do_it);
		if (b->insns.v[i].dst == to)
			break;
	}
	return n;
}

static bool move_block(const struct ir_func *f, struct ir_block *b, const u32 *uses)
{
	bool changed = false;

	for (u32 k = 0; k < b->insns.n; k++) {
		const struct ir_insn *in = &b->insns.v[k];
		struct opnd t = in->arg[0];
		u32 n;

		if (in->op != IR_MOVE || !f->temps.v[in->dst].is_var || t.kind != O_TEMP || t.imm ||
		    f->temps.v[t.id].is_var || uses[t.id] < 2)
			continue;
		n = readers(b, k, t.id, in->dst, false);
		if (n + 1 != uses[t.id])
			continue;
		readers(b, k, t.id, in->dst, true);
		changed = true;
	}
	return changed;
}

bool pass_move(struct ir_unit *u)
{
	bool changed = false;

	for (u32 i = 0; i < u->funcs.n; i++) {
		struct ir_func *f = u->funcs.v[i];
		const u32 *uses = ir_count_uses(u, f);

		for (u32 k = 0; k < f->blocks.n; k++)
			changed |= move_block(f, f->blocks.v[k], uses);
	}
	return changed;
}
