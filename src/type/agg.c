/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aggregations in memory: the size of one copy, merging, bucket indexes. The lowering of hist(),
 * lhist() and llhist() computes the same buckets; the tests compare both. Merging is commutative,
 * so the order in which CPUs are read does not matter (except for samples, where any order is
 * equally good).
 *
 * hist with k sub-bits, index of value v >= 0, p = floor(log2 v):
 *
 *	v < 2^k:  1 + v                                       one bucket for each value
 *	else:     1 + 2^k + (p-k)*2^k + ((v >> (p-k)) - 2^k)  edges at 2^p + j*2^(p-k)
 *
 * With k = 0 that is 1 for [0], 2 for [1], 3 for [2,4), and so on.
 */
#include "type/agg.h"

static u32 divide_up(u64 n, u64 by)
{
	u64 q = n / by + (n % by != 0);

	return q > UINT32_MAX ? UINT32_MAX : (u32)q;
}

static u32 lhist_steps(s64 min, s64 max, s64 step)
{
	if (step <= 0 || max <= min)
		return 0;
	return divide_up((u64)max - (u64)min, (u64)step);
}

/*
 * ---- llhist: for each magnitude m, [base^m, base^(m+1)) in equal parts, like DTrace's llquantize
 */

struct magnitude {
	u64 lo, hi; /* [lo, hi) */
	u64 width;  /* of one bucket, in units of the value */
	u32 n;      /* buckets */
};

static u64 power(u64 base, u32 exponent)
{
	u64 v = 1;

	while (exponent--)
		if (__builtin_mul_overflow(v, base, &v) || v > INT64_MAX)
			return INT64_MAX;
	return v;
}

/* steps divide [0, base^(m+1)); buckets below base^m belong to smaller magnitudes. */
static struct magnitude magnitude_at(const struct llhist_shape *s, u32 m)
{
	struct magnitude g = { .lo = power(s->base, m), .hi = power(s->base, m + 1) };
	u64 parts = MIN((u64)MAX(s->steps, 1), g.hi);

	g.width = g.hi / parts;
	g.n = g.hi > g.lo ? divide_up(g.hi - g.lo, g.width) : 0;
	return g;
}

u32 llhist_bucket(const struct llhist_shape *s, s64 value)
{
	u32 index = 1;

	if (value < (s64)power(s->base, s->low))
		return 0;
	for (u32 m = s->low; m <= s->high; m++) {
		struct magnitude g = magnitude_at(s, m);

		if ((u64)value < g.hi)
			return index + (u32)(((u64)value - g.lo) / g.width);
		index += g.n;
	}
	return index;
}

void llhist_bounds(const struct llhist_shape *s, u32 index, s64 *lo, s64 *hi)
{
	u32 first = 1;

	if (!index) {
		*lo = INT64_MIN;
		*hi = (s64)power(s->base, s->low) - 1;
		return;
	}
	for (u32 m = s->low; m <= s->high; m++) {
		struct magnitude g = magnitude_at(s, m);

		if (index - first < g.n) {
			*lo = (s64)(g.lo + (index - first) * g.width);
			*hi = (s64)MIN(g.hi, (u64)*lo + g.width) - 1;
			return;
		}
		first += g.n;
	}
	*lo = (s64)power(s->base, s->high + 1);
	*hi = INT64_MAX;
}

static u32 llhist_buckets(const struct type *t)
{
	u32 n = 2;

	for (u32 m = t->llhist.low; m <= t->llhist.high; m++)
		n += magnitude_at(&t->llhist, m).n;
	return n;
}

/* ---- hist and lhist */

u32 hist_bucket(s64 value, u32 k)
{
	u32 p, sub = 1U << k;

	if (value < 0)
		return 0;
	if (value < (s64)sub)
		return 1 + (u32)value;
	p = 63 - (u32)__builtin_clzll((u64)value);
	return 1 + sub + (p - k) * sub + ((u32)((u64)value >> (p - k)) - sub);
}

void hist_bounds(u32 index, u32 k, s64 *lo, s64 *hi)
{
	u32 sub = 1U << k, p, j;
	u64 first;

	if (!index) {
		*lo = INT64_MIN;
		*hi = -1;
		return;
	}
	if (index <= sub) {
		*lo = *hi = (s64)index - 1;
		return;
	}
	p = k + (index - 1 - sub) / sub;
	j = (index - 1 - sub) % sub;
	if (p >= 63) { /* above every signed value */
		*lo = *hi = INT64_MAX;
		return;
	}
	first = (1ULL << p) + ((u64)j << (p - k));
	*lo = (s64)first;
	*hi = (s64)(first + (1ULL << (p - k)) - 1);
}

u32 lhist_bucket(s64 value, s64 min, s64 max, s64 step)
{
	if (value < min)
		return 0;
	if (value >= max)
		return lhist_steps(min, max, step) + 1;
	return 1 + (u32)(((u64)value - (u64)min) / (u64)step);
}

void lhist_bounds(u32 index, s64 min, s64 max, s64 step, s64 *lo, s64 *hi)
{
	u32 steps = lhist_steps(min, max, step);

	*lo = INT64_MIN;
	*hi = INT64_MAX;
	if (!index) {
		*hi = min - 1;
	} else if (index > steps) {
		*lo = max;
	} else {
		*lo = (s64)((u64)min + (u64)(index - 1) * (u64)step);
		*hi = index == steps ? max - 1 : (s64)((u64)*lo + (u64)step) - 1;
	}
}

/* ---- sizes */

bool agg_only_adds(const struct type *t)
{
	switch (t->kind) {
	case TY_COUNT:
	case TY_SUM:
	case TY_AVG:
	case TY_STATS:
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST: return true;
	default: return false;
	}
}

u32 agg_buckets(const struct type *t)
{
	switch (t->kind) {
	case TY_HIST: return 1 + (65 - t->hist.bits) * (1U << t->hist.bits);
	case TY_LHIST: return lhist_steps(t->lhist.min, t->lhist.max, t->lhist.step) + 2;
	case TY_LLHIST: return t->llhist.base > 1 ? llhist_buckets(t) : 2;
	default: return 0;
	}
}

u32 agg_size(const struct type *t)
{
	switch (t->kind) {
	case TY_COUNT: return sizeof(u64);
	case TY_SUM: return sizeof(struct agg_sum);
	case TY_MIN:
	case TY_MAX: return sizeof(struct agg_minmax);
	case TY_AVG:
	case TY_STATS: return sizeof(struct agg_avg);
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST: return agg_buckets(t) * (u32)sizeof(u64);
	case TY_TSERIES: return t->tseries.count * (u32)sizeof(struct agg_tseries_bucket);
	case TY_SAMPLES: return (u32)sizeof(struct agg_samples) + t->count * (u32)sizeof(s64);
	default: return t->size;
	}
}

/* ---- merging */

static bool better(enum type_kind kind, bool is_signed, s64 value, s64 than)
{
	bool less = is_signed ? value < than : (u64)value < (u64)than;

	return kind == TY_MIN ? less : !less && value != than;
}

static void merge_minmax(const struct type *t, struct agg_minmax *d, const struct agg_minmax *s)
{
	if (s->is_set && (!d->is_set || better(t->kind, t->is_signed, s->value, d->value)))
		*d = *s;
}

/* Wraps on overflow, like the programs that computed the numbers. */
static s64 add(s64 a, s64 b)
{
	return (s64)((u64)a + (u64)b);
}

static void merge_interval(const struct type *t, struct agg_tseries_bucket *d,
			   const struct agg_tseries_bucket *s)
{
	enum type_kind kind = t->tseries.agg;

	if (!s->meta || (d->meta && s->epoch < d->epoch))
		return;
	if (!d->meta || s->epoch > d->epoch) {
		*d = *s;
	} else if (kind == TY_MIN || kind == TY_MAX) {
		if (better(kind, t->is_signed, s->value, d->value))
			*d = *s;
	} else if (kind == TY_VOID) {
		if (s->meta > d->meta)
			*d = *s;
	} else {
		d->value = add(d->value, s->value);
		d->meta += s->meta;
	}
}

/*
 * Both reservoirs are fair samples: each contributes in proportion to the number of values it saw.
 */
static void merge_samples(u32 capacity, struct agg_samples *d, const struct agg_samples *s)
{
	u64 dn = MIN(d->n, capacity), sn = MIN(s->n, capacity), total = d->n + s->n;
	u64 keep = dn, take = MIN(sn, capacity - dn);

	if (dn + sn > capacity) {
		keep = (u64)((double)capacity * (double)d->n / (double)total);
		keep = MIN(keep, dn);
		take = MIN(sn, capacity - keep);
		keep = MIN(dn, capacity - take);
	}
	for (u64 i = 0; i < keep; i++)
		d->value[i] = d->value[i * dn / keep];
	for (u64 i = 0; i < take; i++)
		d->value[keep + i] = s->value[i * sn / take];
	d->n = total;
}

static void merge_words(u32 n, u64 *d, const u64 *s)
{
	for (u32 i = 0; i < n; i++)
		d[i] += s[i];
}

void agg_merge(const struct type *t, void *dst, const void *src)
{
	struct agg_tseries_bucket *series = dst;
	const struct agg_tseries_bucket *more = src;

	switch (t->kind) {
	case TY_MIN:
	case TY_MAX: merge_minmax(t, dst, src); return;
	case TY_TSERIES:
		for (u32 i = 0; i < t->tseries.count; i++)
			merge_interval(t, &series[i], &more[i]);
		return;
	case TY_SAMPLES: merge_samples(t->count, dst, src); return;
	case TY_COUNT: /* the rest are words that are summed */
	case TY_SUM:
	case TY_AVG:
	case TY_STATS:
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST: merge_words(agg_size(t) / sizeof(u64), dst, src); return;
	default: BUG("merge of type %d, which is no aggregation", t->kind);
	}
}

static bool any_word(const u64 *w, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (w[i])
			return true;
	return false;
}

static bool any_interval(const struct type *t, const struct agg_tseries_bucket *b)
{
	for (u32 i = 0; i < t->tseries.count; i++)
		if (b[i].meta)
			return true;
	return false;
}

bool agg_is_set(const struct type *t, const void *copy)
{
	switch (t->kind) {
	case TY_SUM: return ((const struct agg_sum *)copy)->is_set != 0;
	case TY_MIN:
	case TY_MAX: return ((const struct agg_minmax *)copy)->is_set != 0;
	case TY_AVG:
	case TY_STATS: return ((const struct agg_avg *)copy)->count != 0;
	case TY_TSERIES: return any_interval(t, copy);
	case TY_SAMPLES: return ((const struct agg_samples *)copy)->n != 0;
	default: return any_word(copy, agg_size(t) / sizeof(u64));
	}
}
