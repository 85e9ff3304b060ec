/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dead code elimination. Removes pure instructions and loads whose result is not used, results of
 * calls that are not used, jumps to jumps, duplicate returns of a constant and unreachable blocks;
 * merges a block into its only predecessor if that one jumps to it. The emission order stays, block
 * ids are renumbered.
 */
#include "ir/pass.h"

enum { N_EXITS = 4 };

struct dce {
	struct ir_unit *u;
	struct ir_func *f;
	u32 *uses;
	u32 *n_preds;
	u8 *gone;           /* by block */
	struct exit_block { /* the last block that only returns this constant */
		s64 value;
		u32 block;
	} exits[N_EXITS];
	u32 n_exits;
	bool changed;
};

static bool removable(const struct ir_insn *in)
{
	return (ir_ops[in->op].flags & IRF_PURE) || in->op == IR_LOAD;
}

static bool keep_insn(struct dce *d, struct ir_insn *in)
{
	if (!in->dst || d->uses[in->dst])
		return true;
	if (removable(in)) {
		for (u32 a = 0; a < ir_n_args(in); a++)
			if (in->arg[a].kind == O_TEMP)
				d->uses[in->arg[a].id]--;
		return false;
	}
	if (in->op == IR_ATOMIC_FETCH_ADD)
		in->op = IR_ATOMIC_ADD;
	in->dst = 0;
	d->changed = true;
	return true;
}

/* Backward, so that a chain of dead temporaries goes in one sweep. */
static void remove_dead(struct dce *d)
{
	d->uses = ir_count_uses(d->u, d->f);
	for (u32 i = d->f->blocks.n; i--;) {
		struct ir_block *b = d->f->blocks.v[i];
		u32 to = b->insns.n;

		for (u32 k = b->insns.n; k--;)
			if (keep_insn(d, &b->insns.v[k]) && --to != k)
				b->insns.v[to] = b->insns.v[k];
		if (!to)
			continue;
		b->insns.n -= to;
		memmove(b->insns.v, b->insns.v + to, b->insns.n * sizeof *b->insns.v);
		d->changed = true;
	}
}

/* The final target of a jump to block id; a cycle of empty blocks is left alone. */
static u32 final_target(const struct ir_func *f, u32 id)
{
	for (u32 steps = 0; steps < f->blocks.n; steps++) {
		const struct ir_insn *in = f->blocks.v[id]->insns.v;

		if (in->op != IR_JUMP || in->target[0] == id)
			break;
		id = in->target[0];
	}
	return id;
}

static struct exit_block *find_exit(struct dce *d, const struct ir_block *b)
{
	const struct ir_insn *in = b->insns.v;

	if (in->op != IR_RETURN || in->arg[0].kind != O_IMM)
		return NULL;
	for (u32 i = 0; i < d->n_exits; i++)
		if (d->exits[i].value == in->arg[0].imm)
			return &d->exits[i];
	if (d->n_exits == N_EXITS)
		return NULL;
	d->exits[d->n_exits] = (struct exit_block){ in->arg[0].imm, b->id };
	return &d->exits[d->n_exits++];
}

static void find_exits(struct dce *d)
{
	for (u32 i = 0; i < d->f->blocks.n; i++) {
		struct exit_block *e = find_exit(d, d->f->blocks.v[i]);

		if (e)
			e->block = i;
	}
}

/* Jumps to jumps go to the final target; all returns of the same constant share a block. */
static void thread_jumps(struct dce *d)
{
	for (u32 i = 0; i < d->f->blocks.n; i++) {
		struct ir_insn *end = vec_last(&d->f->blocks.v[i]->insns);

		for (u32 t = 0; t < ir_n_targets(end); t++) {
			u32 to = final_target(d->f, end->target[t]);
			const struct exit_block *e = find_exit(d, d->f->blocks.v[to]);

			if (e)
				to = e->block;
			d->changed |= to != end->target[t];
			end->target[t] = to;
		}
		if (end->op == IR_BRANCH && end->target[0] == end->target[1]) {
			*end = (struct ir_insn){ .op = IR_JUMP,
						 .target = { end->target[0] },
						 .span = end->span };
			d->changed = true;
		}
	}
}

static void find_reachable(struct dce *d)
{
	u32 n = d->f->blocks.n, top = 0;
	u32 *work = arena_array(d->u->arena, u32, n);

	memset(d->gone, 1, n);
	memset(d->n_preds, 0, n * sizeof *d->n_preds);
	d->gone[0] = 0;
	d->n_preds[0] = 1;
	work[top++] = 0;
	while (top) {
		const struct ir_block *b = d->f->blocks.v[work[--top]];
		const struct ir_insn *end = vec_last(&b->insns);

		for (u32 t = 0; t < ir_n_targets(end); t++) {
			u32 to = end->target[t];

			d->n_preds[to]++;
			if (d->gone[to]) {
				d->gone[to] = 0;
				work[top++] = to;
			}
		}
	}
}

static void merge_blocks(struct dce *d)
{
	for (u32 i = 0; i < d->f->blocks.n; i++) {
		struct ir_block *b = d->f->blocks.v[i];

		while (!d->gone[i] && vec_last(&b->insns)->op == IR_JUMP) {
			u32 to = vec_last(&b->insns)->target[0];
			struct ir_block *c = d->f->blocks.v[to];

			if (to == i || d->n_preds[to] != 1 || d->gone[to])
				break;
			b->insns.n--;
			for (u32 k = 0; k < c->insns.n; k++)
				vec_push(d->u->arena, &b->insns, c->insns.v[k]);
			d->gone[to] = 1;
		}
	}
}

static void renumber(struct dce *d)
{
	struct ir_func *f = d->f;
	u32 *new_id = arena_array(d->u->arena, u32, f->blocks.n), kept = 0;

	for (u32 i = 0; i < f->blocks.n; i++) {
		if (d->gone[i])
			continue;
		new_id[i] = kept;
		f->blocks.v[kept++] = f->blocks.v[i];
	}
	d->changed |= kept != f->blocks.n;
	f->blocks.n = kept;
	for (u32 i = 0; i < kept; i++) {
		struct ir_insn *end = vec_last(&f->blocks.v[i]->insns);

		f->blocks.v[i]->id = i;
		for (u32 t = 0; t < ir_n_targets(end); t++)
			end->target[t] = new_id[end->target[t]];
	}
}

bool pass_dce(struct ir_unit *u)
{
	bool changed = false;

	for (u32 i = 0; i < u->funcs.n; i++) {
		struct dce d = { .u = u, .f = u->funcs.v[i] };

		if (ir_is_compiled(d.f))
			continue;
		d.n_preds = arena_array(u->arena, u32, d.f->blocks.n);
		d.gone = arena_array(u->arena, u8, d.f->blocks.n);
		find_exits(&d);
		thread_jumps(&d);
		find_reachable(&d);
		merge_blocks(&d);
		renumber(&d);
		remove_dead(&d);
		changed |= d.changed;
	}
	return changed;
}
