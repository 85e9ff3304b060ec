/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass list, in the order of running. Each pass takes a unit and leaves a valid one; debug
 * builds (sanitizers, hostile) verify after each. Passes rewrite in place and must be linear.
 */
#include "ir/pass.h"

const struct ir_pass ir_passes[] = {
	{ "fold", "constants, copies, identities, branches on constants", pass_fold },
	{ "dce", "dead temporaries, unreachable and empty blocks, merging of blocks", pass_dce },
	{ "move", "values moved to a variable are read from it", pass_move },
};
const u32 n_ir_passes = ARRAY_SIZE(ir_passes);

#if defined(__SANITIZE_ADDRESS__) || (defined(SONDE_HOSTILE) && SONDE_HOSTILE)
enum { VERIFY = 1 };
#else
enum { VERIFY = 0 };
#endif

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

/* Whether name is in the comma-separated list. */
static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = list; s && *s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (!strncmp(s, name, n) && (!s[n] || s[n] == ','))
			return true;
	return false;
}

void ir_optimize(struct ir_unit *u, const char *off)
{
	if (VERIFY)
		ir_verify(u);
	for (u32 i = 0; i < n_ir_passes; i++) {
		if (listed(off, "all") || listed(off, ir_passes[i].name))
			continue;
		ir_passes[i].run(u);
		if (VERIFY)
			ir_verify(u);
	}
}
