/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * for over a map: the body becomes a function of its own that bpf_for_each_map_elem() calls for each
 * element. What it shares with its parent goes through one object on the parent's stack:
 *
 *	share:  0 scratch entry | 8 set when the body returned from the probe
 *
 * Variables mentioned in the body live in scratch, in both functions: on the parent's stack verifiers
 * would follow their values from turn to turn and never end (seen on 6.18: E2BIG).
 */
#include "ir/state.h"
#include "type/agg.h"

enum { SHARE_SCRATCH = 0, SHARE_RETURNED = 8, SHARE_SIZE = 16, FOR_EACH_MAP_ELEM = 164 };

/* ---- what is shared */

static bool mark_captured(struct node *n, void *ctx)
{
	(void)ctx;
	if (n->kind == N_VAR && n->var)
		n->var->captured = true;
	return true;
}

static bool mark_loops(struct node *n, void *ctx)
{
	bool *any = ctx;

	if (n->kind == N_FOR && !n->d) {
		ast_walk(n->b, mark_captured, NULL);
		*any = true;
	}
	return true;
}

/* Before anything is lowered: which variables must have a place in memory. */
void lower_find_captures(struct lower *l)
{
	bool any = false;

	for (struct node *n = l->inst->body->a; n; n = n->next)
		ast_walk(n, mark_loops, &any);
	l->s->shares = any;
}

/* Gives every captured variable its home, before the first statement. */
void lower_place_captures(struct lower *l)
{
	if (!l->s->shares)
		return;
	lower_scratch_now(l);
	vec_push(l->arena, &l->f->slots, (struct ir_slot){ .size = SHARE_SIZE, .align = 8, .name = "share" });
	l->s->share = o_slot(l->f->slots.n - 1, 0);
	l->s->stack_used += SHARE_SIZE;
	ir_zero(l, l->s->share, SHARE_SIZE);
	ir_store(l, l->s->share, 8, o_temp(l->s->scratch));
	for (u32 i = 0; i < l->inst->vars.n; i++) {
		struct var *v = l->inst->vars.v[i];

		if (v->captured)
			var_set_home(l, v, lower_scratch_kept(l, MAX(v->type->size, 8u)));
	}
}

/* ---- the body */

static struct ir_func *body_func(struct lower *l)
{
	struct ir_func *f = arena_new(l->arena, struct ir_func);

	f->name = "for_body";
	f->n_params = 4; /* map, key, value, share */
	f->callback = true;
	for (u32 i = 0; i <= f->n_params; i++)
		vec_push(l->arena, &f->temps, (struct ir_temp){ .kind = TK_PTR });
	return f;
}

/* Homes of captured variables as the body reaches them: through its own pointer to the scratch. */
static void inherit_homes(struct lower *l, const struct lower_state *outer)
{
	for (u32 i = 0; i < outer->var_home.n; i++) {
		struct opnd home = outer->var_home.v[i];

		if (home.kind == O_TEMP && home.id == outer->scratch)
			home.id = l->s->scratch;
		vec_push(l->arena, &l->s->var_home, home);
		vec_push(l->arena, &l->s->var_epoch, 0u);
	}
}

static void fill_pair(struct lower *l, struct node *n, struct opnd pair)
{
	const struct type *t = n->c->var->type, *kt = n->a->map->key;
	u32 map = lower_map(l, n->a->map);
	struct map_desc *d = &l->prog->maps.v[map];
	struct ir_val v = { .type = kt, .in_memory = true, .clean = true, .o = o_temp(2) };
	struct node whole = { .kind = N_MAP, .map = n->a->map, .type = t->fields[1].type, .span = n->a->span };

	ir_zero(l, pair, t->size);
	lower_put(l, &v, t->fields[0].type, opnd_plus(pair, t->fields[0].offset), true);
	if (type_is_agg(d->value)) {
		v = lower_merge_element(l, &whole, o_temp(2));
		lower_put(l, &v, t->fields[1].type, opnd_plus(pair, t->fields[1].offset), true);
		return;
	}
	v = val_memory(d->value, o_temp(3));
	lower_put(l, &v, t->fields[1].type, opnd_plus(pair, t->fields[1].offset), true);
}

/* The outermost loop of a body ends the walk. */
static struct loop *walk_loop(struct lower *l)
{
	struct loop *loop = l->s->loop;

	while (loop->outer)
		loop = loop->outer;
	return loop;
}

static void end_body(struct lower *l)
{
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(0) } });
	ir_place(l, l->s->loop->on_break);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(1) } });
	ir_order(l);
}

static void lower_for_body(struct lower *l, struct node *n, const struct lower_state *outer)
{
	struct loop loop = { .on_break = ir_block_new(l), .on_continue = ir_block_new(l) };
	struct opnd share = o_temp(4), pair;

	ir_place(l, ir_block_new(l));
	l->s->scratch = ir_var(l);
	ir_var_set(l, l->s->scratch, ir_load(l, o_at(4, SHARE_SCRATCH), 8, false));
	l->s->share = share;
	inherit_homes(l, outer);
	pair = lower_scratch_kept(l, n->c->var->type->size);
	var_set_home(l, n->c->var, pair);
	fill_pair(l, n, pair);
	l->s->loop = &loop;
	lower_stmts(l, n->b->kind == N_BLOCK || n->b->kind == N_BLOCK_EXPR ? n->b->a : n->b);
	ir_jump(l, loop.on_continue);
	ir_place(l, loop.on_continue);
	end_body(l);
}

/* A return inside the body: remembered, and told to the parent by the 1 that ends the walk. */
void lower_return_from_body(struct lower *l)
{
	ir_store(l, opnd_plus(l->s->share, SHARE_RETURNED), 8, o_imm(1));
	ir_jump(l, walk_loop(l)->on_break);
}

void lower_for_map(struct lower *l, struct node *n)
{
	struct lower_state *outer = l->s, inner = { .level = outer->level, .in_callback = true,
						    .scratch_used = outer->scratch_used,
						    .scratch_kept = outer->scratch_used,
						    .scratch_peak = outer->scratch_peak };
	struct ir_func *parent = l->f;
	struct ir_block *block = l->block, *done = NULL, *go = NULL;
	u32 map = lower_map(l, n->a->map), index;

	vec_push(l->arena, &l->unit->funcs, body_func(l));
	index = l->unit->funcs.n - 1;
	l->f = l->unit->funcs.v[index];
	l->s = &inner;
	lower_for_body(l, n, outer);
	l->f = parent;
	l->s = outer;
	l->block = block;
	outer->scratch_peak = MAX(outer->scratch_peak, inner.scratch_peak);
	vn_loop_edge(l);
	ir_call(l, FOR_EACH_MAP_ELEM, false, 4, o_map(map), o_func(index), l->s->share, o_imm(0));
	done = ir_block_new(l);
	go = ir_block_new(l);
	ir_branch(l, CC_NE, ir_load(l, opnd_plus(l->s->share, SHARE_RETURNED), 8, false), o_imm(0), done, go);
	ir_place(l, done);
	lower_return(l, o_imm(0));
	ir_place(l, go);
	vn_loop_edge(l);
}
