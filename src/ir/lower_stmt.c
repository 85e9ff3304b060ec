/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statements, one function for each kind. The temporaries of a statement are free again after it.
 */
#include "ir/state.h"

/* Iterations of an inline loop, of the million instructions that verifiers process in all. */
enum { LOOP_BOUND = 4096, KNOWN_LOOP_BOUND = 32768, INNER_LOOP_BOUND = 64 };

static void lower_stmt(struct lower *l, struct node *n);

void lower_stmts(struct lower *l, struct node *list)
{
	for (struct node *n = list; n && !l->unit->is_cut; n = n->next) {
		struct temp_mark mark = temps_mark(l);
		struct span was = l->span;

		l->span = n->span;
		lower_stmt(l, n);
		l->span = was;
		temps_release(l, mark);
		l->unit->is_cut = !l->inst->whole && l->unit->n_jumps > ENOUGH_JUMPS;
	}
}

static struct node *block_stmts(struct node *n)
{
	return n->kind == N_BLOCK || n->kind == N_BLOCK_EXPR ? n->a : n;
}

/* A block whose values are numbered separately. */
void lower_body(struct lower *l, struct node *n)
{
	u32 mark = vn_mark(l);

	lower_stmts(l, block_stmts(n));
	if (n->kind == N_BLOCK_EXPR && n->b)
		lower_expr(l, n->b);
	vn_truncate(l, mark);
}

static void lower_assign(struct lower *l, struct node *n)
{
	struct node *to = n->a;

	if (to->kind == N_MAP && n->op == OP_NONE) {
		lower_map_assign(l, to, n->b);
	} else if (to->kind == N_MAP) {
		lower_map_compound(l, to, n->op, n->b);
	} else if (n->op == OP_NONE) {
		lower_var_assign(l, to->var, n->b);
	} else {
		struct node binary = {
			.kind = N_BINARY, .op = n->op, .span = n->span, .a = to, .b = n->b
		};
		struct opnd v, old = lower_scalar(l, to), by = lower_scalar(l, n->b);

		binary.type = to->type->kind == TY_INT ? to->type : &ty_s64;
		v = lower_arithmetic(l, &binary, n->op, old, by);
		lower_var_store(l, to->var, lower_convert(l, v, &ty_s64, to->var->type));
	}
}

static void lower_if(struct lower *l, struct node *n)
{
	struct ir_block *yes = ir_block_new(l), *no = ir_block_new(l),
			*out = n->c ? ir_block_new(l) : no;
	struct cond_marks m;
	u32 below;

	if (n->a->is_const) { /* only one side exists */
		struct node *side = n->a->value ? n->b : n->c;

		if (side)
			lower_body(l, side);
		return;
	}
	m = lower_cond_marks(l, n->a, yes, no);
	below = MIN(m.yes, m.no);
	if (!n->c)
		vn_truncate(l, m.yes);
	else
		vn_truncate(l, below);
	ir_place(l, yes);
	lower_body(l, n->b);
	ir_jump(l, out);
	vn_truncate(l, below);
	if (n->c) {
		ir_place(l, no);
		lower_body(l, n->c);
		ir_jump(l, out);
		vn_truncate(l, below);
	}
	ir_place(l, out);
}

/*
 * A loop with a bound that verifiers see: a counter of ours runs up to `bound`, where the loop ends
 * and a loss is counted, if it was not meant to end there.
 */
struct counted {
	struct ir_block *head, *body, *step, *out;
	struct loop loop;
	u32 counter, mark, bound;
	bool is_known;                     /* its number of iterations */
	u32 loss;                          /* in prog->losses: for iterations beyond the bound */
	u32 branches_before, insns_before; /* of the enclosing loop so far */
};

/*
 * Verifiers follow each iteration. They hold a pending path for each branch that they cannot
 * decide, 8192 at most (BPF_COMPLEXITY_LIMIT_JMP_SEQ), and process a million instructions in all:
 * the bound is what fits.
 */
enum { MAX_PENDING = 8000, MAX_LOOKED_AT = 500000, CHEAP_INSNS = 30000, CHEAP_BRANCHES = 1000 };

static u32 iterations_around(const struct lower *l)
{
	return l->s->loop ? MAX(l->s->loop->iterations, 1u) : 1;
}

u32 lower_branches_so_far(const struct lower *l)
{
	return (l->s->loop ? l->s->loop->pending : l->s->loop_pending) + l->s->loop_branches;
}

static bool all_around_known(const struct lower *l)
{
	return !l->s->loop || l->s->loop->is_known;
}

/* Of a loop with an unknown number of iterations: enclosing loops share the limit. */
static u32 unknown_bound(const struct lower *l)
{
	return MAX(LOOP_BOUND / iterations_around(l), (u32)INNER_LOOP_BOUND);
}

static void loop_begin(struct lower *l, struct counted *c, u32 bound, bool is_known)
{
	struct ir_block *over = ir_block_new(l), *go = ir_block_new(l);

	*c = (struct counted){ .head = ir_block_new(l),
			       .body = ir_block_new(l),
			       .step = ir_block_new(l),
			       .out = ir_block_new(l),
			       .counter = ir_var(l) };
	c->loop = (struct loop){ .on_break = c->out,
				 .on_continue = c->step,
				 .outer = l->s->loop,
				 .iterations = (u32)MIN((u64)bound * iterations_around(l),
							(u64)LOOP_BOUND),
				 .is_known = is_known && all_around_known(l) };
	ir_var_set(l, c->counter, o_imm(0));
	ir_jump(l, c->head);
	vn_loop_edge(l);
	c->mark = vn_mark(l);
	ir_place(l, c->head);
	c->bound = bound;
	c->is_known = is_known;
	c->loop.pending = lower_branches_so_far(l);
	ir_branch(l, CC_UGE, o_temp(c->counter), o_imm(bound), over, go);
	c->branches_before = l->s->loop_branches;
	c->insns_before = l->s->loop_insns;
	l->s->loop_branches = l->s->loop_insns = 0;
	ir_place(l, over);
	c->loss = lower_loss(l, LOSS_LOOP, NULL);
	ir_jump(l, c->out);
	ir_place(l, go);
	l->s->loop = &c->loop;
}

/* Inside another counted loop; a body that is a function has no iterations of its own. */
static bool is_inner(const struct counted *c)
{
	return c->loop.outer && c->loop.outer->iterations;
}

/*
 * The rest of a limit of verifiers, for one of these loops: those with unknown iterations share it,
 * and one inside loops with known iterations leaves enough for all of theirs.
 */
static u32 share_of(const struct lower *l, const struct counted *c, u32 most, u32 used, u32 least)
{
	u32 left = most - MIN(used, most - least);

	if (is_inner(c) && c->loop.outer->is_known)
		return left / 4 * 3 / c->loop.outer->iterations;
	return is_inner(c) || c->is_known ? left : left / MAX(l->s->loops_left, 1u);
}

/*
 * It is inline because it is short (lower_loop.c): it runs all its iterations, whatever surrounds
 * it.
 */
static bool is_cheap(const struct lower *l, const struct counted *c, u32 insns, u32 branches)
{
	return c->is_known && feature_has(l->features, FEAT_BPF_LOOP) &&
	       (u64)c->bound * insns <= CHEAP_INSNS && (u64)c->bound * branches <= CHEAP_BRANCHES;
}

/* Verifiers can decide the counter's own comparison. */
static void set_bound(struct lower *l, struct counted *c)
{
	u32 branches = l->s->loop_branches, insns = l->s->loop_insns + 4;
	u32 bound =
		MIN(c->bound, share_of(l, c, MAX_LOOKED_AT, l->s->loop_followed, 10000) / insns);

	if (branches)
		bound = MIN(bound, share_of(l, c, MAX_PENDING, c->loop.pending, 64) / branches);
	if (is_cheap(l, c, insns, branches))
		bound = c->bound;
	bound = MAX(bound, 1u);
	if (!is_inner(c)) {
		l->s->loop_followed += (u32)MIN((u64)bound * insns, MAX_LOOKED_AT);
		l->s->loops_left -= !c->is_known && l->s->loops_left;
	}
	c->head->insns.v[0].arg[1] = o_imm(bound);
	c->head->insns.v[0].imm = (s64)c->loss + 1;
	l->prog->losses.v[c->loss].where = arena_printf(l->prog->arena, "%u iterations", bound);
	l->s->loop_branches = c->branches_before + (u32)MIN((u64)bound * branches, MAX_PENDING);
	l->s->loop_insns = c->insns_before + (u32)MIN((u64)bound * insns, MAX_LOOKED_AT);
}

static void loop_end(struct lower *l, struct counted *c)
{
	set_bound(l, c);
	ir_jump(l, c->step);
	ir_place(l, c->step);
	ir_var_set(l, c->counter, ir_op2(l, IR_ADD, o_temp(c->counter), o_imm(1)));
	ir_jump(l, c->head);
	ir_place(l, c->out);
	vn_truncate(l, c->mark);
	vn_loop_edge(l);
	l->s->loop = c->loop.outer;
}

static void lower_while(struct lower *l, struct node *n)
{
	struct counted c;

	if (n->aux == LOOP_BY_CALLBACK) {
		lower_while_by_callback(l, n);
		return;
	}
	loop_begin(l, &c, unknown_bound(l), false);
	lower_cond(l, n->a, c.body, c.out);
	ir_place(l, c.body);
	lower_body(l, n->b);
	loop_end(l, &c);
}

static void lower_for_range(struct lower *l, struct node *n)
{
	struct var *v = n->c->var;
	struct opnd from = lower_convert(l, lower_scalar(l, n->a), n->a->type, &ty_s64);
	struct opnd to = lower_convert(l, lower_scalar(l, n->d), n->d->type, &ty_s64);
	u32 at = ir_var(l), end = ir_var(l), bound = unknown_bound(l);
	bool is_known = from.kind == O_IMM && to.kind == O_IMM;
	struct counted c;

	if (is_known && to.imm > from.imm && to.imm - from.imm < KNOWN_LOOP_BOUND)
		bound = (u32)(to.imm - from.imm) + 1;
	ir_var_set(l, at, from);
	ir_var_set(l, end, to);
	loop_begin(l, &c, bound, is_known);
	ir_branch(l, CC_SLT, o_temp(at), o_temp(end), c.body, c.out);
	if (is_known)
		l->s->loop_branches--; /* verifiers can decide it */
	ir_place(l, c.body);
	lower_var_store(l, v, ir_emit(l, (struct ir_insn){ .op = IR_MOVE, .arg = { o_temp(at) } }));
	ir_var_set(l, at, ir_op2(l, IR_ADD, o_temp(at), o_imm(1)));
	lower_body(l, n->b);
	loop_end(l, &c);
}

static void lower_for(struct lower *l, struct node *n)
{
	if (!n->d)
		lower_for_map(l, n);
	else if (n->aux == LOOP_BY_CALLBACK)
		lower_for_range_by_callback(l, n);
	else
		lower_for_range(l, n);
}

static void lower_unroll(struct lower *l, struct node *n)
{
	struct loop loop = { .on_break = ir_block_new(l),
			     .outer = l->s->loop,
			     .iterations = iterations_around(l),
			     .is_known = all_around_known(l),
			     .pending = lower_branches_so_far(l) - l->s->loop_branches };
	s64 times = n->a->value;

	vn_loop_edge(l);
	l->s->loop = &loop;
	for (s64 i = 0; i < times; i++) {
		loop.on_continue = ir_block_new(l);
		lower_body(l, n->b);
		ir_jump(l, loop.on_continue);
		ir_place(l, loop.on_continue);
	}
	ir_jump(l, loop.on_break);
	ir_place(l, loop.on_break);
	vn_loop_edge(l);
	l->s->loop = loop.outer;
}

static void lower_jump_out(struct lower *l, struct ir_block *to)
{
	if (!to)
		BUG("break or continue outside a loop");
	ir_jump(l, to);
}

static void lower_stmt(struct lower *l, struct node *n)
{
	switch (n->kind) {
	case N_EXPR:
		n->a->discards_value = true;
		lower_expr(l, n->a);
		break;
	case N_DISCARD: /* explicitly discarded: no warning either */ lower_expr(l, n->a); break;
	case N_ASSIGN: lower_assign(l, n); break;
	case N_LET: lower_var_assign(l, n->a->var, n->b); break;
	case N_IF: lower_if(l, n); break;
	case N_WHILE: lower_while(l, n); break;
	case N_FOR: lower_for(l, n); break;
	case N_UNROLL: lower_unroll(l, n); break;
	case N_BREAK: lower_jump_out(l, l->s->loop ? l->s->loop->on_break : NULL); break;
	case N_CONTINUE: lower_jump_out(l, l->s->loop ? l->s->loop->on_continue : NULL); break;
	case N_RETURN: lower_return(l, n->a ? lower_scalar(l, n->a) : o_imm(0)); break;
	case N_BLOCK: lower_body(l, n); break;
	case N_IMPORT: break;
	default: n->discards_value = true; lower_expr(l, n);
	}
}
