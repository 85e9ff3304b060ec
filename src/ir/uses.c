/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses and definitions of temporaries. In: a function. Out: an array by temporary, which is exact
 * until the function changes.
 */
#include "ir/pass.h"

u32 *ir_count_uses(const struct ir_unit *u, const struct ir_func *f)
{
	u32 *uses = arena_array(u->arena, u32, f->temps.n);

	for (u32 i = 0; i < f->blocks.n; i++) {
		const struct ir_block *b = f->blocks.v[i];

		for (u32 k = 0; k < b->insns.n; k++) {
			const struct ir_insn *in = &b->insns.v[k];

			for (u32 a = 0; a < ir_n_args(in); a++)
				if (in->arg[a].kind == O_TEMP)
					uses[in->arg[a].id]++;
		}
	}
	return uses;
}

struct ir_insn **ir_find_defs(const struct ir_unit *u, const struct ir_func *f)
{
	struct ir_insn **defs = arena_array(u->arena, struct ir_insn *, f->temps.n);

	for (u32 i = 0; i < f->blocks.n; i++) {
		struct ir_block *b = f->blocks.v[i];

		for (u32 k = 0; k < b->insns.n; k++) {
			struct ir_insn *in = &b->insns.v[k];

			if (in->dst && !f->temps.v[in->dst].is_var)
				defs[in->dst] = in;
		}
	}
	return defs;
}
