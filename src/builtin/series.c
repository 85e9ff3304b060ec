/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Further aggregations: log-linear histograms, time series, reservoir samples.
 *
 * Each function updates the current CPU's copy of the element (layouts: type/agg.h).
 */
#include "builtin/builtin.h"
#include "type/agg.h"

static bool is_signed_arg(const struct node *call)
{
	const struct type *t = call_arg(call, 0)->type;

	return t->kind == TY_INT && t->is_signed;
}

/* ---- llhist(n, base, low, high, steps) */

enum { MAX_LLHIST = 4096 };

static const struct type *check_llhist(struct check *c, struct node *call)
{
	s64 base = call_int(call, 1, 0), low = call_int(call, 2, 0), high = call_int(call, 3, 0),
	    steps = call_int(call, 4, 0);
	const struct type *t;

	if (base < 2 || base > 1000 || low < 0 || high < low || high > 62 || steps < 1 ||
	    steps > 1000)
		return diag_type(c, call->span, D_LLHIST_SHAPE);
	t = type_llhist(c->arena,
			(struct llhist_shape){ (u32)base, (u32)low, (u32)high, (u32)steps });
	if (agg_buckets(t) > MAX_LLHIST)
		return diag_type(c, call->span, D_LLHIST_MANY, MAX_LLHIST, agg_buckets(t));
	return t;
}

/* The run of buckets of equal width that starts at `first`: returns the bucket after it; *lo,
 * *width from the bounds. */
static u32 run_of_buckets(const struct type *t, u32 first, s64 *lo, s64 *width)
{
	s64 hi, next_lo, next_hi;
	u32 i = first + 1, n = agg_buckets(t);

	llhist_bounds(&t->llhist, first, lo, &hi);
	*width = hi - *lo + 1;
	for (; i + 1 < n; i++) {
		llhist_bounds(&t->llhist, i, &next_lo, &next_hi);
		if (next_hi - next_lo + 1 != *width)
			break;
	}
	return i;
}

/* index = first + (v - lo) / width, in the run of equal buckets that contains v. */
static void llhist_index(struct lower *l, const struct type *t, struct opnd v, u32 index,
			 struct ir_block *out)
{
	u32 n = agg_buckets(t);

	for (u32 first = 1, next; first + 1 < n; first = next) {
		struct ir_block *here = ir_block_new(l), *above = ir_block_new(l);
		s64 lo, width, end, ignored;
		struct opnd i;

		next = run_of_buckets(t, first, &lo, &width);
		llhist_bounds(&t->llhist, next, &end, &ignored);
		ir_branch(l, CC_SLT, v, o_imm(end), here, above);
		ir_place(l, here);
		i = ir_op2(l, IR_UDIV, ir_op2(l, IR_SUB, v, o_imm(lo)), o_imm(width));
		ir_var_set(l, index, ir_op2(l, IR_ADD, i, o_imm(first)));
		ir_jump(l, out);
		ir_place(l, above);
	}
	ir_var_set(l, index, o_imm(n - 1));
	ir_jump(l, out);
}

static void update_llhist(struct lower *l, struct node *call, struct node *map)
{
	const struct type *t = map->map->value;
	struct opnd v = ir_opaque(l, lower_scalar(l, call_arg(call, 0))), off;
	struct agg_slot p = lower_agg_begin(l, map);
	struct ir_block *low = ir_block_new(l), *rest = ir_block_new(l), *add = ir_block_new(l),
			*in_range = ir_block_new(l);
	u32 index = ir_var(l), mark = lower_values_mark(l);
	s64 lo, hi;

	llhist_bounds(&t->llhist, 1, &lo, &hi);
	ir_branch(l, CC_SLT, v, o_imm(lo), low, rest);
	ir_place(l, low);
	ir_var_set(l, index, o_imm(0));
	ir_jump(l, add);
	ir_place(l, rest);
	llhist_index(l, t, v, index, add);
	ir_place(l, add);
	ir_branch(l, CC_UGE, o_temp(index), o_imm(agg_buckets(t)), p.out, in_range);
	ir_place(l, in_range);
	off = ir_op2(l, IR_SHL, o_temp(index), o_imm(3));
	ir_atomic_add(l, ir_op2(l, IR_ADD, ir_addr(l, p.addr), off), 8, o_imm(1));
	lower_values_drop(l, mark);
	lower_agg_end(l, &p);
}

/* ---- tseries(n, interval, count, agg) */

enum { MAX_INTERVALS = 1000000, MAX_SERIES_BYTES = 32 << 10 /* of a per-CPU value */ };

static const struct {
	const char *name;
	enum type_kind kind;
} series_aggs[] = {
	{ "avg", TY_AVG },
	{ "min", TY_MIN },
	{ "max", TY_MAX },
	{ "sum", TY_SUM },
};

static const struct type *too_many_intervals(struct check *c, struct node *call, int most,
					     s64 count)
{
	return diag_type(c, call_arg(call, 2)->span, D_TSERIES_COUNT,
			 arena_printf(c->arena, "< %d", most), (long long)count);
}

static const struct type *check_tseries(struct check *c, struct node *call)
{
	s64 interval = call_int(call, 1, 0), count = call_int(call, 2, 0);
	enum type_kind kind = TY_VOID; /* no aggregation: the last value */
	const struct node *agg = call_arg(call, 3);
	u8 unstable = c->env->config.unstable[UNSTABLE_tseries];
	const struct type *t;

	if (!unstable)
		return diag_type(c, call->span, D_UNSTABLE_WORD, "tseries", "unstable_tseries");
	if (unstable == 1 && c->final) { /* warn once */
		check_report(c, call->span, D_UNSTABLE_WARN, "tseries", "unstable_tseries");
		c->env->config.unstable[UNSTABLE_tseries] = 2;
	}
	for (u32 i = 0; agg && i < ARRAY_SIZE(series_aggs); i++)
		if (streq(agg->str, series_aggs[i].name))
			kind = series_aggs[i].kind;
	if (agg && kind == TY_VOID)
		return diag_type(c, agg->span, D_TSERIES_AGG, agg->str);
	if (interval < 1)
		return diag_type(c, call_arg(call, 1)->span, D_TSERIES_INTERVAL,
				 (long long)interval);
	if (count < 1)
		return diag_type(c, call_arg(call, 2)->span, D_TSERIES_COUNT, ">= 1",
				 (long long)count);
	if (count > MAX_INTERVALS)
		return too_many_intervals(c, call, MAX_INTERVALS, count);
	t = type_tseries(c->arena, (u64)interval, (u32)count, kind, is_signed_arg(call));
	if (agg_size(t) > MAX_SERIES_BYTES)
		return too_many_intervals(
			c, call, MAX_SERIES_BYTES / (int)sizeof(struct agg_tseries_bucket), count);
	return t;
}

enum {
	AT_VALUE = offsetof(struct agg_tseries_bucket, value),
	AT_META = offsetof(struct agg_tseries_bucket, meta),
	AT_EPOCH = offsetof(struct agg_tseries_bucket, epoch)
};

/* Adds a value to an interval; meta is 0 if it is the first one. */
static void add_to_interval(struct lower *l, const struct type *t, struct opnd at, struct opnd v,
			    struct opnd now, struct ir_block *out)
{
	struct opnd value = opnd_plus(at, AT_VALUE), meta = opnd_plus(at, AT_META), had;
	struct ir_block *set = ir_block_new(l), *compare = ir_block_new(l);
	bool is_min = t->tseries.agg == TY_MIN;
	enum ir_cond cc = is_min ? (t->is_signed ? CC_SLT : CC_ULT) :
				   (t->is_signed ? CC_SGT : CC_UGT);

	if (t->tseries.agg == TY_AVG || t->tseries.agg == TY_SUM) {
		ir_atomic_add(l, value, 8, v);
		ir_atomic_add(l, meta, 8, o_imm(1));
		ir_jump(l, out);
	} else if (t->tseries.agg == TY_MIN || t->tseries.agg == TY_MAX) {
		had = ir_load(l, meta, 8, false);
		ir_branch(l, CC_EQ, had, o_imm(0), set, compare);
		ir_place(l, compare);
		ir_branch(l, cc, v, ir_load(l, value, 8, false), set, out);
		ir_place(l, set);
		ir_store(l, value, 8, v);
		ir_store(l, meta, 8, o_imm(1));
		ir_jump(l, out);
	} else { /* the last value; its meta is time + 1, because 0 means "no value" */
		ir_store(l, value, 8, v);
		ir_store(l, meta, 8, ir_op2(l, IR_ADD, now, o_imm(1)));
		ir_jump(l, out);
	}
}

/*
 * now = boot clock;  epoch = now / interval;  slot = series[epoch % count]
 * A slot of another epoch is cleared first.
 */
static void update_tseries(struct lower *l, struct node *call, struct node *map)
{
	const struct type *t = map->map->value;
	struct opnd v = lower_scalar(l, call_arg(call, 0)), now, epoch, slot, at;
	struct ir_block *inside = ir_block_new(l), *fresh = ir_block_new(l), *go = ir_block_new(l);
	struct agg_slot p;
	u32 mark;

	now = boot_clock(l);
	epoch = ir_op2(l, IR_UDIV, now, o_imm((s64)t->tseries.interval_ns));
	p = lower_agg_begin(l, map);
	mark = lower_values_mark(l);
	slot = ir_op2(l, IR_UMOD, epoch, o_imm(t->tseries.count));
	ir_branch(l, CC_UGE, slot, o_imm(t->tseries.count), p.out, inside);
	ir_place(l, inside);
	at = ir_op2(l, IR_MUL, slot, o_imm(sizeof(struct agg_tseries_bucket)));
	at = ir_op2(l, IR_ADD, ir_addr(l, p.addr), at);
	ir_branch(l, CC_NE, ir_load(l, opnd_plus(at, AT_EPOCH), 8, false), epoch, fresh, go);
	ir_place(l, fresh);
	ir_store(l, opnd_plus(at, AT_VALUE), 8, o_imm(0));
	ir_store(l, opnd_plus(at, AT_META), 8, o_imm(0));
	ir_store(l, opnd_plus(at, AT_EPOCH), 8, epoch);
	ir_jump(l, go);
	ir_place(l, go);
	add_to_interval(l, t, at, v, now, p.out);
	lower_values_drop(l, mark);
	lower_agg_end(l, &p);
}

/* ---- samples(n, capacity): reservoir sampling: the first k values, then each new one with
 * probability k / seen */

enum { DEFAULT_SAMPLES = 256, MAX_SAMPLES = 4000 };

static const struct type *check_samples(struct check *c, struct node *call)
{
	s64 k = call_int(call, 1, DEFAULT_SAMPLES);

	if (k < 1 || k > MAX_SAMPLES)
		return diag_type(c, call_arg(call, 1)->span, D_SAMPLES_COUNT, MAX_SAMPLES,
				 (long long)k);
	return type_samples(c->arena, (u32)k, is_signed_arg(call));
}

static void update_samples(struct lower *l, struct node *call, struct node *map)
{
	const struct type *t = map->map->value;
	struct opnd v = lower_scalar(l, call_arg(call, 0)), n, seen, at;
	struct ir_block *fill = ir_block_new(l), *replace = ir_block_new(l),
			*pick = ir_block_new(l), *store = ir_block_new(l);
	struct agg_slot p = lower_agg_begin(l, map);
	u32 index = ir_var(l), mark = lower_values_mark(l);

	n = ir_load(l, p.addr, 8, false);
	seen = ir_op2(l, IR_ADD, n, o_imm(1));
	ir_store(l, p.addr, 8, seen);
	ir_branch(l, CC_ULT, n, o_imm(t->count), fill, replace);
	ir_place(l, fill);
	ir_var_set(l, index, n);
	ir_jump(l, pick);
	ir_place(l, replace);
	at = ir_ext(l, ir_call(l, BPF_FUNC_get_prandom_u32, false, 0), 4, false);
	ir_var_set(l, index, ir_op2(l, IR_UMOD, at, seen));
	ir_jump(l, pick);
	ir_place(l, pick);
	ir_branch(l, CC_UGE, o_temp(index), o_imm(t->count), p.out, store);
	ir_place(l, store);
	at = ir_op2(l, IR_SHL, o_temp(index), o_imm(3));
	at = ir_op2(l, IR_ADD, ir_addr(l, p.addr), at);
	ir_store(l, opnd_plus(at, offsetof(struct agg_samples, value)), 8, v);
	lower_values_drop(l, mark);
	lower_agg_end(l, &p);
}

static const struct builtin rows[] = {
	{
		.name = "llhist",
		.sig = "llhist(n: int, base: lit int, low: lit int, high: lit int, steps: lit int) -> llhist",
		.brief = "log-linear histogram of a number",
		.doc = "Counts n in buckets of equal width within each power of base, from "
		       "base^low to base^(high + 1). Between base^m and base^(m + 1) the width is "
		       "base^(m + 1) / steps. One more bucket below and one above.",
		.example =
			"begin { @us = llhist(123, 10, 0, 6, 20); @us = llhist(420, 10, 0, 6, 20); }",
		.output =
			"@us:\n"
			"[100, 150)             1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
			"[150, 200)             0 |                                                    |\n"
			"[200, 250)             0 |                                                    |\n"
			"[250, 300)             0 |                                                    |\n"
			"[300, 350)             0 |                                                    |\n"
			"[350, 400)             0 |                                                    |\n"
			"[400, 450)             1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
		.flags = BI_AGGREGATE,
		.engines = ON_ALL,
		.check = check_llhist,
		.lower_update = update_llhist,
	},
	{
		.name = "tseries",
		.sig = "tseries(n: int, interval: lit int, count: lit int, agg: lit string = \"\") -> tseries",
		.brief = "a number over time",
		.doc = "Stores the last count intervals, each interval nanoseconds long (100ms, "
		       "1s): the last value of n in each, or its \"avg\", \"min\", \"max\" or "
		       "\"sum\". Unstable.",
		.example =
			"begin { @load = tseries(4, 100ms, 10); @load = tseries(6, 100ms, 10); }",
		.output = "@load:\n"
			  "             5                                                   7\n"
			  "hh:mm:ss.ms  |___________________________________________________|\n"
			  "07:05:06.066 |                         *                         | 6\n"
			  "             v___________________________________________________v\n"
			  "             5                                                   7",
		.varies = true,
		.flags = BI_AGGREGATE,
		.engines = ON_ALL,
		.check = check_tseries,
		.lower_update = update_tseries,
	},
	{
		.name = "samples",
		.sig = "samples(n: int, capacity: lit int = 256) -> samples",
		.brief = "random sample of the values of a number",
		.doc = "Stores up to capacity values for each key and CPU; each value has the "
		       "same probability of being stored. Percentiles of small sets are exact, "
		       "those of large sets approximate. print(@m, pct=(50, 99)) prints them.",
		.example =
			"begin { @us = samples(12); @us = samples(15); print(@us, pct=(50, 99)); }",
		.output =
			"@us: p50 12, p99 15\n"
			"\n"
			"@us: { .count = 2, .min = 12, .p50 = 12, .p90 = 15, .p99 = 15, .max = 15 }",
		.flags = BI_AGGREGATE,
		.engines = ON_ALL,
		.check = check_samples,
		.lower_update = update_samples,
	},
};

const struct builtin_theme builtin_series = THEME("Distributions over time and scale", rows);
