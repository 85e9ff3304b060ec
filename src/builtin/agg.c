/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aggregations: the rows, and the code that updates an element.
 *
 * Each function updates the current CPU's copy of a map element (layouts: type/agg.h). Counters
 * change by atomic adds only, so a nested probe loses no count.
 */
#include "builtin/builtin.h"
#include "type/agg.h"

static const struct type *agg_of(struct check *c, struct node *call, enum type_kind kind)
{
	const struct type *t = call_arg(call, 0)->type;

	return type_agg(c->arena, kind, t->kind == TY_INT ? t->is_signed : false);
}

static const struct type *check_count(struct check *c, struct node *call)
{
	return type_agg(c->arena, TY_COUNT, false);
}

#define CHECK_AGG(name, kind)                                                                      \
	static const struct type *check_##name(struct check *c, struct node *call)                 \
	{                                                                                          \
		return agg_of(c, call, kind);                                                      \
	}
CHECK_AGG(sum, TY_SUM)
CHECK_AGG(min, TY_MIN)
CHECK_AGG(max, TY_MAX)
CHECK_AGG(avg, TY_AVG)
CHECK_AGG(stats, TY_STATS)

static void update_count(struct lower *l, struct node *call, struct node *map)
{
	struct agg_slot p = lower_agg_begin(l, map);

	ir_atomic_add(l, p.addr, 8, o_imm(1));
	lower_agg_end(l, &p);
}

static struct agg_slot add_value(struct lower *l, struct node *call, struct node *map)
{
	struct opnd v = lower_scalar(l, call_arg(call, 0));
	struct agg_slot p = lower_agg_begin(l, map);

	ir_atomic_add(l, p.addr, 8, v);
	return p;
}

static void update_sum(struct lower *l, struct node *call, struct node *map)
{
	struct agg_slot p = add_value(l, call, map);

	ir_store(l, opnd_plus(p.addr, 8), 8, o_imm(1));
	lower_agg_end(l, &p);
}

/* avg, stats: total, then count. */
static void update_avg(struct lower *l, struct node *call, struct node *map)
{
	struct agg_slot p = add_value(l, call, map);

	ir_atomic_add(l, opnd_plus(p.addr, 8), 8, o_imm(1));
	lower_agg_end(l, &p);
}

/* An update of min() or max(). */
struct extreme {
	const char *map;
	struct opnd at; /* of the value */
	enum ir_cond better;
	u32 v, into; /* variables: the new value, and the stored one */
};

/* Replaces the stored value if the new one is better; continues in `out`. Threads of a processor
 * may preempt each other, so the stored value may have changed: then it retries, but not
 * endlessly. */
static void exchange_if_better(struct lower *l, const struct extreme *x, struct ir_block *out)
{
	enum { TRIES = 4 };
	struct ir_block *lost = ir_block_new(l);

	for (u32 i = 0; i < TRIES; i++) {
		struct ir_block *take = ir_block_new(l), *again = ir_block_new(l);
		struct opnd was;

		ir_branch(l, x->better, o_temp(x->v), o_temp(x->into), take, out);
		ir_place(l, take);
		was = ir_emit(l,
			      (struct ir_insn){ .op = IR_ATOMIC_CMPXCHG,
						.size = 8,
						.arg = { x->at, o_temp(x->into), o_temp(x->v) } });
		ir_branch(l, CC_EQ, was, o_temp(x->into), out, again);
		ir_place(l, again);
		ir_var_set(l, x->into, was);
	}
	ir_branch(l, x->better, o_temp(x->v), o_temp(x->into), lost, out);
	ir_place(l, lost);
	lower_loss(l, LOSS_CONTENDED, x->map);
	ir_jump(l, out);
	ir_place(l, out);
}

/*
 * Layout: the value, then a word that is not 0 if there is a value. Without one the value is 0, and
 * the thread that exchanges this 0 adds 2 to the word; a thread that finds another value before
 * that (the other thread may have been killed) sets bit 0. If two have added 2, one of them stored
 * a valid 0, which the other's value has replaced.
 */
static void update_extreme(struct lower *l, struct node *call, struct node *map, bool is_min)
{
	bool is_signed = map->map->value->is_signed; /* unified over all assignments to the map */
	enum ir_cond cc = is_min ? (is_signed ? CC_SLT : CC_ULT) : (is_signed ? CC_SGT : CC_UGT);
	u32 v = ir_var(l), into = ir_var(l);
	struct opnd value = lower_scalar(l, call_arg(call, 0)), set, was;
	struct agg_slot p = lower_agg_begin(l, map);
	struct ir_block *none = ir_block_new(l), *first = ir_block_new(l), *mine = ir_block_new(l),
			*late = ir_block_new(l), *twice = ir_block_new(l),
			*unsaid = ir_block_new(l), *compare = ir_block_new(l);

	ir_var_set(l, v, value);
	set = ir_load(l, opnd_plus(p.addr, 8), 8, false);
	ir_var_set(l, into, ir_load(l, p.addr, 8, false));
	ir_branch(l, CC_EQ, set, o_imm(0), none, compare);
	ir_place(l, none);
	ir_branch(l, CC_EQ, o_temp(into), o_imm(0), first, unsaid);
	ir_place(l, unsaid);
	ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_OR,
				     .size = 8,
				     .arg = { opnd_plus(p.addr, 8), o_imm(1) } });
	ir_jump(l, compare);
	ir_place(l, first);
	was = ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_CMPXCHG,
					   .size = 8,
					   .arg = { p.addr, o_imm(0), o_temp(v) } });
	ir_branch(l, CC_EQ, was, o_imm(0), mine, late);
	ir_place(l, late);
	ir_var_set(l, into, was);
	ir_jump(l, compare);
	ir_place(l, mine);
	set = ir_emit(l, (struct ir_insn){ .op = IR_ATOMIC_FETCH_ADD,
					   .size = 8,
					   .arg = { opnd_plus(p.addr, 8), o_imm(2) } });
	ir_branch(l, CC_UGT, set, o_imm(1), twice, p.out);
	ir_place(l, twice);
	ir_var_set(l, v, o_imm(0));
	ir_var_set(l, into, ir_load(l, p.addr, 8, false));
	ir_jump(l, compare);
	ir_place(l, compare);
	exchange_if_better(l, &(struct extreme){ map->map->name, p.addr, cc, v, into }, p.out);
}

static void update_min(struct lower *l, struct node *call, struct node *map)
{
	update_extreme(l, call, map, true);
}

static void update_max(struct lower *l, struct node *call, struct node *map)
{
	update_extreme(l, call, map, false);
}

/* ---- histograms */

static void add_to_bucket(struct lower *l, struct agg_slot *p, struct opnd index)
{
	struct opnd off = ir_op2(l, IR_SHL, index, o_imm(3));

	ir_atomic_add(l, ir_op2(l, IR_ADD, ir_addr(l, p->addr), off), 8, o_imm(1));
}

/* floor(log2(n)) for n < 16, two bits each; 0 for 0. */
enum { LOG2_OF_16 = (s32)0xffffaa50 };

/*
 * One step of a binary search for the highest set bit of v: returns t, which the caller adds to the
 * logarithm, and shifts v right by it. t is 2^log if v >= 2^(2^log), else 0. For v below 2^63:
 *	t = (2^(2^log) - 1 - v) >> 63 << log
 */
static struct opnd log2_step(struct lower *l, struct opnd *v, u32 log)
{
	struct opnd t;

	if (log == 5) /* for any v */
		t = ir_op2(l, IR_SUB, o_imm(0), ir_op2(l, IR_SHR, *v, o_imm(32)));
	else
		t = ir_op2(l, IR_SUB, o_imm((1 << (1 << log)) - 1), *v);
	t = ir_op2(l, IR_SHL, ir_op2(l, IR_SHR, t, o_imm(63)), o_imm(log));
	*v = ir_op2(l, IR_SHR, *v, t);
	return t;
}

/*
 * floor(log2(v)) without branches; 0 for 0. With branches, verifiers process ten times as many
 * instructions. *rest is v shifted right until it is below 16; 0 if and only if v is 0.
 */
static struct opnd log2_floor(struct lower *l, struct opnd v, struct opnd *rest)
{
	struct opnd r = o_imm(0), low;

	/* ADD: old verifiers do not track the bound of an OR. */
	for (u32 log = 5; log >= 2; log--)
		r = ir_op2(l, IR_ADD, r, log2_step(l, &v, log));
	*rest = ir_op2(l, IR_AND, v, o_imm(15)); /* a bound for verifiers */
	low = ir_op2(l, IR_SHR, o_imm((u32)LOG2_OF_16), ir_op2(l, IR_SHL, *rest, o_imm(1)));
	return ir_op2(l, IR_ADD, r, ir_op2(l, IR_AND, low, o_imm(3)));
}

/* Bucket of hist() with bits = 0: 0 for negative values, 1 for 0, then log2 + 2. */
static struct opnd plain_bucket(struct lower *l, struct opnd v, bool is_signed)
{
	struct opnd rest, index = log2_floor(l, v, &rest);
	struct opnd some = ir_op2(l, IR_SHR, ir_op2(l, IR_ADD, rest, o_imm(15)), o_imm(4));

	index = ir_op2(l, IR_ADD, ir_op2(l, IR_ADD, index, some), o_imm(1));
	if (is_signed) { /* index & (negative - 1) */
		struct opnd neg = ir_op2(l, IR_SHR, v, o_imm(63));

		index = ir_op2(l, IR_AND, index, ir_op2(l, IR_SUB, neg, o_imm(1)));
	}
	return index;
}

/* With bits k > 0: a bucket for each value below 2^k, then 2^k buckets for each power of two;
 * see hist_bucket(). */
static void fine_bucket(struct lower *l, struct opnd v, bool is_signed, u32 k, u32 index)
{
	struct ir_block *negative = ir_block_new(l), *other = ir_block_new(l),
			*small = ir_block_new(l), *big = ir_block_new(l), *out = ir_block_new(l);
	struct opnd log, sub, rest;

	if (is_signed)
		ir_branch(l, CC_SLT, v, o_imm(0), negative, other);
	else
		ir_jump(l, other);
	ir_place(l, negative);
	ir_var_set(l, index, o_imm(0));
	ir_jump(l, out);
	ir_place(l, other);
	ir_branch(l, CC_ULT, v, o_imm(1 << k), small, big);
	ir_place(l, small);
	ir_var_set(l, index, ir_op2(l, IR_ADD, v, o_imm(1)));
	ir_jump(l, out);
	ir_place(l, big);
	log = log2_floor(l, v, &rest);
	sub = ir_op2(l, IR_SHR, v, ir_op2(l, IR_AND, ir_op2(l, IR_SUB, log, o_imm(k)), o_imm(63)));
	sub = ir_op2(l, IR_AND, sub, o_imm((1 << k) - 1));
	log = ir_op2(l, IR_ADD, ir_op2(l, IR_SUB, log, o_imm(k)), o_imm(1));
	log = ir_op2(l, IR_ADD, ir_op2(l, IR_SHL, log, o_imm(k)), sub);
	ir_var_set(l, index, ir_op2(l, IR_ADD, log, o_imm(1)));
	ir_jump(l, out);
	ir_place(l, out);
}

static const struct type *check_hist(struct check *c, struct node *call)
{
	struct type *t = arena_dup(c->arena, agg_of(c, call, TY_HIST), sizeof *t);
	s64 k = call_int(call, 1, 0);

	if (k < 0 || k > 5)
		return diag_type(c, call_arg(call, 1)->span, D_HIST_BITS, (long long)k);
	t->hist.bits = (u32)k;
	t->size = agg_size(t);
	return t;
}

static void update_hist(struct lower *l, struct node *call, struct node *map)
{
	struct node *arg = call_arg(call, 0);
	struct opnd v = ir_opaque(l, lower_scalar(l, arg));
	bool is_signed = arg->type->kind == TY_INT && arg->type->is_signed;
	const struct type *t = map->map->value;
	u32 k = t->hist.bits, index;
	struct agg_slot p = lower_agg_begin(l, map);
	u32 mark = lower_values_mark(l);

	if (!k) {
		add_to_bucket(l, &p, plain_bucket(l, v, is_signed));
	} else {
		struct ir_block *in_range = ir_block_new(l);

		index = ir_var(l);
		fine_bucket(l, v, is_signed, k, index);
		ir_branch(l, CC_UGE, o_temp(index), o_imm(agg_buckets(t)), p.out, in_range);
		ir_place(l, in_range);
		add_to_bucket(l, &p, o_temp(index));
	}
	lower_values_drop(l, mark);
	lower_agg_end(l, &p);
}

static const struct type *check_lhist(struct check *c, struct node *call)
{
	s64 min = call_int(call, 1, 0), max = call_int(call, 2, 0), step = call_int(call, 3, 0);
	struct type *t = arena_dup(c->arena, agg_of(c, call, TY_LHIST), sizeof *t);

	if (step <= 0)
		return diag_type(c, call_arg(call, 3)->span, D_LHIST_STEP, (long long)step);
	if (min < 0 || max < 0)
		return diag_type(c, call->span, D_LHIST_NEGATIVE, min < 0 ? "min" : "max");
	if (max < min)
		return diag_type(c, call->span, D_LHIST_BOUNDS, (long long)min, (long long)max);
	if (step > max - min)
		return diag_type(c, call_arg(call, 3)->span, D_LHIST_LARGE_STEP, (long long)step,
				 (long long)(max - min));
	if ((max - min) / step > 1000)
		return diag_type(c, call->span, D_LHIST_MANY, (long long)((max - min) / step));
	t->lhist.min = min;
	t->lhist.max = max;
	t->lhist.step = step;
	t->size = agg_size(t);
	return t;
}

static void update_lhist(struct lower *l, struct node *call, struct node *map)
{
	struct node *arg = call_arg(call, 0);
	struct opnd v = ir_opaque(l, lower_scalar(l, arg)), slot;
	bool is_signed = arg->type->kind == TY_INT && arg->type->is_signed;
	const struct type *t = map->map->value;
	u32 n = agg_buckets(t), index = ir_var(l);
	struct agg_slot p = lower_agg_begin(l, map);
	struct ir_block *low = ir_block_new(l), *not_low = ir_block_new(l), *high = ir_block_new(l),
			*mid = ir_block_new(l), *add = ir_block_new(l), *in_range = ir_block_new(l);

	ir_branch(l, is_signed ? CC_SLT : CC_ULT, v, o_imm(t->lhist.min), low, not_low);
	ir_place(l, low);
	ir_var_set(l, index, o_imm(0));
	ir_jump(l, add);
	ir_place(l, not_low);
	ir_branch(l, is_signed ? CC_SGE : CC_UGE, v, o_imm(t->lhist.max), high, mid);
	ir_place(l, high);
	ir_var_set(l, index, o_imm(n - 1));
	ir_jump(l, add);
	ir_place(l, mid);
	u32 mark = lower_values_mark(l);
	slot = ir_op2(l, IR_UDIV, ir_op2(l, IR_SUB, v, o_imm(t->lhist.min)), o_imm(t->lhist.step));
	ir_var_set(l, index, ir_op2(l, IR_ADD, slot, o_imm(1)));
	lower_values_drop(l, mark);
	ir_jump(l, add);
	ir_place(l, add);
	ir_branch(l, CC_UGE, o_temp(index), o_imm(n), p.out, in_range);
	ir_place(l, in_range);
	add_to_bucket(l, &p, o_temp(index));
	lower_agg_end(l, &p);
}

#define AGG (BI_AGGREGATE)

static const struct builtin rows[] = {
	{
		.name = "count",
		.sig = "count() -> count",
		.brief = "count executions",
		.doc = "Counts how often the statement runs, for each key. Exact on any number of "
		       "CPUs.",
		.example = "begin { @hits = count(); @hits = count(); }",
		.output = "@hits: 2",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_count,
		.lower_update = update_count,
	},
	{
		.name = "sum",
		.sig = "sum(n: int) -> sum",
		.brief = "sum of a number",
		.doc = "Sums n for each key. The result is signed if n is.",
		.example = "begin { @bytes = sum(10); @bytes = sum(32); }",
		.output = "@bytes: 42",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_sum,
		.lower_update = update_sum,
	},
	{
		.name = "avg",
		.sig = "avg(n: int) -> avg",
		.brief = "average of a number",
		.doc = "Integer average of n for each key: the map stores total and count; the "
		       "division happens when it is printed.",
		.example = "begin { @size = avg(10); @size = avg(20); }",
		.output = "@size: 15",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_avg,
		.lower_update = update_avg,
	},
	{
		.name = "stats",
		.sig = "stats(n: int) -> stats",
		.brief = "count, average and total of a number",
		.doc = "Stores count and total of n for each key; prints count, average and total.",
		.example = "begin { @size = stats(10); @size = stats(20); }",
		.output = "@size: { .count = 2, .average = 15, .total = 30 }",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_stats,
		.lower_update = update_avg,
	},
	{
		.name = "min",
		.sig = "min(n: int) -> min",
		.brief = "minimum of a number",
		.doc = "Stores the smallest n for each key.",
		.example = "begin { @low = min(7); @low = min(3); }",
		.output = "@low: 3",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_min,
		.lower_update = update_min,
	},
	{
		.name = "max",
		.sig = "max(n: int) -> max",
		.brief = "maximum of a number",
		.doc = "Stores the largest n for each key.",
		.example = "begin { @high = max(7); @high = max(3); }",
		.output = "@high: 7",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_max,
		.lower_update = update_max,
	},
	{
		.name = "hist",
		.sig = "hist(n: int, bits: lit int = 0) -> hist",
		.brief = "power-of-two histogram of a number",
		.doc = "Counts n in power-of-two buckets. With bits from 1 to 5, each power of "
		       "two is divided into 2^bits buckets.",
		.example = "begin { @us = hist(5); @us = hist(6); @us = hist(20); }",
		.output =
			"@us:\n"
			"[4, 8)                 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
			"[8, 16)                0 |                                                    |\n"
			"[16, 32)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_hist,
		.lower_update = update_hist,
	},
	{
		.name = "lhist",
		.sig = "lhist(n: int, min: lit int, max: lit int, step: lit int) -> lhist",
		.brief = "linear histogram of a number",
		.doc = "Counts n in buckets of width step from min to max, plus one bucket below "
		       "and one above. At most 1000 buckets.",
		.example = "begin { @ms = lhist(35, 0, 100, 10); @ms = lhist(250, 0, 100, 10); }",
		.output =
			"@ms:\n"
			"[30, 40)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
			"[40, 50)               0 |                                                    |\n"
			"[50, 60)               0 |                                                    |\n"
			"[60, 70)               0 |                                                    |\n"
			"[70, 80)               0 |                                                    |\n"
			"[80, 90)               0 |                                                    |\n"
			"[90, 100)              0 |                                                    |\n"
			"[100, ...)             1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
		.flags = AGG,
		.engines = ON_ALL,
		.check = check_lhist,
		.lower_update = update_lhist,
	},
};

const struct builtin_theme builtin_agg = THEME("Aggregations", rows);
