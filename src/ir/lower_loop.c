/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops whose body is a separate function: bpf_for_each_map_elem() calls it for each element of a
 * map, bpf_loop() (5.17) for each iteration of a range or a while that is not short and known. It
 * may contain such loops. The body returns 0 to continue and 1 to stop.
 *
 * The entry function has one object on its stack whose address all of them get, with the two
 * pointers that cannot be elsewhere:
 *
 *	share:  0 scratch entry | 8 the program's context
 *
 * Variables mentioned inside and outside of a body are in scratch: on the parent's stack verifiers
 * would track their values from iteration to iteration and never end (seen on 6.18: E2BIG). A
 * variable that only one body mentions is local to that function.
 *
 * A `return` of the probe inside a body is two words of scratch, tested after each loop:
 *
 *	returned:  0 set when a body returned | 8 what
 */
#include "ir/state.h"
#include "type/agg.h"

enum { SHARE_SCRATCH = 0, SHARE_CTX = 8, SHARE_SIZE = 16 };
enum { FOR_EACH_MAP_ELEM = 164, LOOP = 181 };
enum {
	MAX_ITERATIONS = 1 << 23, /* of bpf_loop: BPF_MAX_LOOPS */
	MAX_BODIES = 200,         /* of a program's 256 functions: further loops are inline */
	MAX_DEPTH = 4, /* of bodies in bodies: their frames share the 512 bytes of stack */
	/* iterations times the size of the body up to which verifiers may follow each iteration */
	IN_LINE_COST = 600,
	CALL_COST = 30, /* of a builtin, in nodes of the tree */
};

/* ---- which loops, and what they share */

struct finding {
	struct lower *l;
	u32 depth, n_bodies, in_line;
};

static bool add_cost(struct node *n, void *ctx)
{
	u32 *cost = ctx;

	*cost += n->kind == N_CALL                      ? CALL_COST :
		 n->kind == N_FOR || n->kind == N_WHILE ? IN_LINE_COST :
							  1;
	return true;
}

/* Iterations of a constant range, in s64; -1 if it is not constant. */
static s64 known_iterations(const struct node *n)
{
	if (n->kind != N_FOR || !n->a->is_const || !n->d->is_const)
		return -1;
	return n->d->value > n->a->value ? MIN(n->d->value - n->a->value, (s64)IN_LINE_COST) : 0;
}

static bool is_short(const struct node *n)
{
	s64 iterations = known_iterations(n);
	u32 cost = 1;

	if (iterations < 0)
		return false;
	ast_walk(n->b, add_cost, &cost);
	return (u64)iterations * cost <= IN_LINE_COST;
}

static bool wants_callback(const struct finding *f, const struct node *n)
{
	if (n->kind == N_FOR && !n->d)
		return true;
	return f->depth < MAX_DEPTH && f->n_bodies < MAX_BODIES &&
	       (!is_short(n) || f->l->inst->compact) && feature_has(f->l->features, FEAT_BPF_LOOP);
}

static bool count_mention(struct node *n, void *ctx)
{
	if (n->kind == N_VAR && n->var)
		n->var->mentions++;
	return true;
}

static bool count_inside(struct node *n, void *ctx)
{
	if (n->kind == N_VAR && n->var)
		n->var->inside++;
	return true;
}

static bool compare_mentions(struct node *n, void *ctx)
{
	if (n->kind == N_VAR && n->var && n->var->inside) {
		n->var->captured |= n->var->inside != n->var->mentions;
		n->var->inside = 0;
	}
	return true;
}

/*
 * The parts that become the function: the variable of a for, the condition of a while, the block.
 */
static void walk_body(struct node *n, bool (*f)(struct node *n, void *ctx), void *ctx)
{
	if (n->kind == N_WHILE)
		ast_walk(n->a, f, ctx);
	ast_walk(n->c, f, ctx);
	ast_walk(n->b, f, ctx);
}

static bool mark_loop(struct node *n, void *ctx)
{
	struct finding *f = ctx;

	if (n->kind != N_FOR && n->kind != N_WHILE)
		return true;
	n->aux = wants_callback(f, n) ? LOOP_BY_CALLBACK : LOOP_IN_LINE;
	if (n->aux == LOOP_IN_LINE) {
		f->l->s->loops_left += !f->in_line && known_iterations(n) < 0;
		f->in_line++;
		walk_body(n, mark_loop, f);
		f->in_line--;
		return false;
	}
	f->l->s->shares = true;
	f->n_bodies++;
	walk_body(n, count_inside, NULL);
	walk_body(n, compare_mentions, NULL);
	f->depth++;
	walk_body(n, mark_loop, f);
	f->depth--;
	return false;
}

void lower_find_loops(struct lower *l)
{
	struct instance *in = l->inst;
	struct finding f = { .l = l };

	for (u32 i = 0; i < in->vars.n; i++)
		in->vars.v[i]->mentions = in->vars.v[i]->inside = 0;
	if (in->predicate)
		ast_walk(in->predicate, count_mention, NULL);
	ast_walk(in->body, count_mention, NULL);
	if (in->predicate)
		ast_walk(in->predicate, mark_loop, &f);
	l->s->shares_early = l->s->shares;
	l->s->shares |= lower_snapshot_repeats(in->profile) &&
			feature_has(l->features, FEAT_BPF_LOOP);
	ast_walk(in->body, mark_loop, &f);
}

/*
 * Allocates every captured variable: before the first statement, or before a predicate with loops.
 */
void lower_place_captures(struct lower *l)
{
	if (!l->s->shares || l->s->share.kind != O_NONE)
		return;
	lower_scratch_now(l);
	vec_push(l->arena, &l->f->slots,
		 (struct ir_slot){ .size = SHARE_SIZE, .align = 8, .name = "share" });
	l->s->share = o_slot(l->f->slots.n - 1, 0);
	l->s->stack_used += SHARE_SIZE;
	ir_store(l, l->s->share, 8, o_temp(l->s->scratch));
	ir_store(l, opnd_plus(l->s->share, SHARE_CTX), 8, o_ctx(0));
	l->s->returned = lower_scratch_kept(l, 16);
	ir_store(l, l->s->returned, 8, o_imm(0));
	for (u32 i = 0; i < l->inst->vars.n; i++) {
		struct var *v = l->inst->vars.v[i];

		if (v->captured)
			var_set_home(l, v, lower_scratch_kept(l, MAX(v->type->size, 8u)));
	}
}

struct opnd lower_ctx(struct lower *l, s64 off)
{
	struct ir_insn key;
	struct opnd r;

	if (!l->s->depth)
		return o_ctx(off);
	key = (struct ir_insn){
		.op = IR_LOAD, .size = 8, .imm = -3, .arg = { opnd_plus(l->s->share, SHARE_CTX) }
	};
	if (!vn_find(l, &key, false, &r)) {
		r = ir_load(l, key.arg[0], 8, false);
		vn_add(l, &key, false, r);
	}
	return off ? ir_op2(l, IR_ADD, r, o_imm(off)) : r;
}

/* ---- a body */

struct body {
	struct lower_state state, *outer;
	struct ir_func *parent;
	struct ir_block *block;
	struct loop loop;
	u32 index, share;
};

static struct ir_func *body_func(struct lower *l, u32 n_params)
{
	struct ir_func *f = arena_new(l->arena, struct ir_func);

	f->name = "loop_body";
	f->n_params = n_params;
	f->callback = true;
	for (u32 i = 0; i <= f->n_params; i++)
		vec_push(l->arena, &f->temps, (struct ir_temp){ .kind = TK_PTR });
	return f;
}

/* Scratch is reached through the body's own pointer to it. */
static struct opnd inherit(struct lower *l, const struct lower_state *outer, struct opnd o)
{
	if (o.kind == O_TEMP && o.id == outer->scratch)
		o.id = l->s->scratch;
	return o;
}

static void inherit_homes(struct lower *l, const struct lower_state *outer)
{
	for (u32 i = 0; i < outer->var_home.n; i++) {
		vec_push(l->arena, &l->s->var_home, inherit(l, outer, outer->var_home.v[i]));
		vec_push(l->arena, &l->s->var_epoch, 0u);
	}
	l->s->returned = inherit(l, outer, outer->returned);
	l->s->speculation = inherit(l, outer, outer->speculation);
	l->s->opaque = inherit(l, outer, outer->opaque);
}

/* From here on code goes into a new function, whose last parameter is the share. */
static void body_begin(struct lower *l, struct body *b, u32 n_params)
{
	struct lower_state *outer = l->s;

	*b = (struct body){ .outer = outer, .parent = l->f, .block = l->block, .share = n_params };
	b->state = (struct lower_state){ .level = outer->level,
					 .huge = outer->huge,
					 .walks_map = outer->walks_map,
					 .depth = outer->depth + 1,
					 .shares = true,
					 .loop_pending = lower_branches_so_far(l),
					 .loop_followed = outer->loop_followed,
					 .loops_left = outer->loops_left,
					 .scratch_used = outer->scratch_used,
					 .scratch_kept = outer->scratch_used,
					 .scratch_peak = outer->scratch_peak };
	vec_push(l->arena, &l->unit->funcs, body_func(l, n_params));
	b->index = l->unit->funcs.n - 1;
	l->f = l->unit->funcs.v[b->index];
	l->s = &b->state;
	ir_place(l, ir_block_new(l));
	l->s->scratch = ir_var(l);
	ir_var_set(l, l->s->scratch, ir_load(l, o_at(n_params, SHARE_SCRATCH), 8, false));
	l->s->share = o_temp(n_params);
	inherit_homes(l, outer);
	l->s->stop = ir_block_new(l);
	b->loop = (struct loop){ .on_break = ir_block_new(l),
				 .on_continue = ir_block_new(l),
				 .is_known = true,
				 .pending = l->s->loop_pending };
	l->s->loop = &b->loop;
}

/*
 * The body's local variables end with it: where it is lowered again, for unroll, they are allocated
 * again.
 */
static void forget_homes(struct lower *l, const struct lower_state *outer)
{
	for (u32 i = 0; i < l->inst->vars.n; i++)
		if (l->inst->vars.v[i]->ir > outer->var_home.n)
			l->inst->vars.v[i]->ir = 0;
}

/*
 * ended: a word of scratch that is set if the loop ended before its last iteration; O_NONE: not
 * needed.
 */
static void body_end(struct lower *l, struct body *b, struct opnd ended)
{
	ir_jump(l, b->loop.on_continue);
	ir_place(l, b->loop.on_continue);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(0) } });
	ir_place(l, b->loop.on_break);
	if (ended.kind != O_NONE)
		ir_store(l, inherit(l, b->outer, ended), 8, o_imm(1));
	ir_jump(l, l->s->stop);
	ir_place(l, l->s->stop);
	ir_emit(l, (struct ir_insn){ .op = IR_RETURN, .arg = { o_imm(1) } });
	ir_order(l);
	b->outer->loop_branches += b->state.loop_branches;
	b->outer->loops_left = b->state.loops_left;
	b->outer->loop_followed = b->state.loop_followed;
	b->outer->scratch_peak = MAX(b->outer->scratch_peak, b->state.scratch_peak);
	forget_homes(l, b->outer);
	l->f = b->parent;
	l->s = b->outer;
	l->block = b->block;
}

/* A return inside a body: stored, and signaled to the parent by the 1 that ends the walk. */
void lower_return_from_body(struct lower *l, struct opnd value)
{
	l->s->has_return = true;
	ir_store(l, opnd_plus(l->s->returned, 8), 8, value);
	ir_store(l, l->s->returned, 8, o_imm(1));
	ir_jump(l, l->s->stop);
}

/* After the loop: continues a return that was made inside. */
static void pass_on_return(struct lower *l, const struct body *b)
{
	struct ir_block *done, *go;

	if (!b->state.has_return)
		return;
	done = ir_block_new(l);
	go = ir_block_new(l);
	ir_branch(l, CC_NE, ir_load(l, l->s->returned, 8, false), o_imm(0), done, go);
	ir_place(l, done);
	l->s->has_return = true;
	if (l->s->depth)
		ir_jump(l, l->s->stop);
	else
		lower_return(l, ir_load(l, opnd_plus(l->s->returned, 8), 8, false));
	ir_place(l, go);
}

static void call_walk(struct lower *l, struct body *b, u32 helper, struct opnd what)
{
	vn_loop_edge(l);
	ir_call(l, helper, false, 4, what, o_func(b->index), l->s->share, o_imm(0));
	pass_on_return(l, b);
	vn_loop_edge(l);
}

/* ---- over a map */

static void fill_pair(struct lower *l, struct node *n, struct opnd pair)
{
	const struct type *t = n->c->var->type, *kt = n->a->map->key;
	u32 map = lower_map(l, n->a->map);
	struct map_desc *d = &l->prog->maps.v[map];
	struct ir_val v = { .type = kt, .in_memory = true, .clean = true, .o = o_temp(2) };
	struct node whole = {
		.kind = N_MAP, .map = n->a->map, .type = t->fields[1].type, .span = n->a->span
	};

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

void lower_for_map(struct lower *l, struct node *n)
{
	u32 map = lower_map(l, n->a->map);
	struct body b;
	struct opnd pair;

	body_begin(l, &b, 4); /* map, key, value, share */
	l->s->walks_map = true;
	pair = lower_scratch_kept(l, n->c->var->type->size);
	var_set_home(l, n->c->var, pair);
	fill_pair(l, n, pair);
	lower_body(l, n->b);
	body_end(l, &b, (struct opnd){ 0 });
	call_walk(l, &b, FOR_EACH_MAP_ELEM, o_map(map));
}

/* ---- by bpf_loop */

/* Counts a loss if the loop wanted more iterations than allowed and did not end before. */
static void report_bound(struct lower *l, struct opnd iterations, struct opnd ended)
{
	struct ir_block *many = ir_block_new(l), *over = ir_block_new(l), *out = ir_block_new(l);

	ir_branch(l, CC_UGT, iterations, o_imm(MAX_ITERATIONS), many, out);
	ir_place(l, many);
	ir_branch(l, CC_EQ, ir_load(l, ended, 8, false), o_imm(0), over, out);
	ir_place(l, over);
	lower_loss(l, LOSS_LOOP, "8388608 iterations");
	ir_jump(l, out);
	ir_place(l, out);
	vn_loop_edge(l);
}

void lower_while_by_callback(struct lower *l, struct node *n)
{
	struct opnd ended = lower_scratch_temp(l, 8);
	struct ir_block *go;
	struct body b;

	ir_store(l, ended, 8, o_imm(0));
	body_begin(l, &b, 2); /* iteration, share */
	go = ir_block_new(l);
	lower_cond(l, n->a, go, b.loop.on_break);
	ir_place(l, go);
	lower_body(l, n->b);
	body_end(l, &b, ended);
	call_walk(l, &b, LOOP, o_imm(MAX_ITERATIONS));
	report_bound(l, o_imm(MAX_ITERATIONS + 1), ended);
}

struct range {
	struct opnd from, iterations; /* iterations: unsigned; the range is not empty */
	struct opnd ended;            /* O_NONE: it cannot exceed the limit of iterations */
};

static void walk_range(struct lower *l, struct node *n, const struct range *r)
{
	struct opnd from = r->from, start = { 0 };
	struct body b;

	if (from.kind != O_IMM) {
		start = lower_scratch_temp(l, 8);
		ir_store(l, start, 8, from);
	}
	if (r->ended.kind != O_NONE)
		ir_store(l, r->ended, 8, o_imm(0));
	body_begin(l, &b, 2); /* iteration, share */
	if (start.kind != O_NONE)
		from = ir_load(l, inherit(l, b.outer, start), 8, false);
	lower_var_store(l, n->c->var, ir_op2(l, IR_ADD, o_temp(1), from));
	lower_body(l, n->b);
	body_end(l, &b, r->ended);
	call_walk(l, &b, LOOP, ir_at_most(l, r->iterations, MAX_ITERATIONS));
	if (r->ended.kind != O_NONE)
		report_bound(l, r->iterations, r->ended);
}

void lower_for_range_by_callback(struct lower *l, struct node *n)
{
	struct range r = { .from = ir_opaque(l, lower_convert(l, lower_scalar(l, n->a), n->a->type,
							      &ty_s64)) };
	struct opnd to = ir_opaque(l, lower_convert(l, lower_scalar(l, n->d), n->d->type, &ty_s64));
	struct ir_block *some = ir_block_new(l), *out = ir_block_new(l);
	u32 mark;

	ir_branch(l, CC_SLT, r.from, to, some, out);
	ir_place(l, some);
	mark = vn_mark(l);
	r.iterations = ir_op2(l, IR_SUB, to, r.from);
	if (r.iterations.kind != O_IMM || (u64)r.iterations.imm > MAX_ITERATIONS)
		r.ended = lower_scratch_temp(l, 8);
	walk_range(l, n, &r);
	ir_jump(l, out);
	vn_truncate(l, mark);
	ir_place(l, out);
}

/* ---- a loop of the lowering itself */

static void repeat_in_line(struct lower *l, u32 most, struct opnd words, lower_step_fn step)
{
	struct ir_block *head = ir_block_new(l), *body = ir_block_new(l), *out = ir_block_new(l);
	u32 n = ir_var(l), mark;

	ir_var_set(l, n, o_imm(0));
	ir_jump(l, head);
	mark = lower_values_mark(l);
	ir_place(l, head);
	ir_branch(l, CC_UGE, o_temp(n), o_imm(most), out, body);
	ir_place(l, body);
	ir_var_set(l, n, ir_op2(l, IR_ADD, o_temp(n), o_imm(1)));
	step(l, words, out);
	ir_jump(l, head);
	ir_place(l, out);
	lower_values_drop(l, mark);
}

void lower_repeat(struct lower *l, u32 most, struct opnd words, lower_step_fn step)
{
	struct body b;

	if (!l->s->shares || l->s->depth >= MAX_DEPTH || !feature_has(l->features, FEAT_BPF_LOOP)) {
		repeat_in_line(l, most, words, step);
		return;
	}
	body_begin(l, &b, 2); /* iteration, share */
	step(l, inherit(l, b.outer, words), b.loop.on_break);
	body_end(l, &b, (struct opnd){ 0 });
	call_walk(l, &b, LOOP, o_imm(most));
}
