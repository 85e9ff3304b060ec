/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Buckets, sizes and merging of aggregations. */
#include "tap.h"
#include "type/agg.h"

static struct arena a;

/* Bounds and buckets are each other's inverse, and buckets tile the numbers without a gap. */
static void check_hist(u32 k)
{
	const struct type *t = type_hist(&a, k);
	u32 n = agg_buckets(t), bad = 0;
	s64 lo, hi, last = INT64_MIN;

	for (u32 i = 0; i < n - (1U << k); i++) { /* the last power is for unsigned values only */
		hist_bounds(i, k, &lo, &hi);
		bad += lo != last || hi < lo || hist_bucket(lo, k) != i || hist_bucket(hi, k) != i;
		last = hi + (hi != INT64_MAX);
	}
	is_int(bad, 0, "hist with %u bits: bounds and buckets agree", k);
	is_int(last, INT64_MAX, "hist with %u bits reaches the end", k);
	is_int(t->size, n * 8, "size with %u bits", k);
}

static void hist(void)
{
	s64 lo, hi;

	is_int(hist_bucket(-1, 0), 0, "negative");
	is_int(hist_bucket(0, 0), 1, "zero");
	is_int(hist_bucket(1, 0), 2, "one");
	is_int(hist_bucket(3, 0), 3, "three");
	is_int(hist_bucket(1024, 0), 12, "1K");
	is_int(agg_buckets(type_hist(&a, 0)), 66, "buckets of plain hist");
	hist_bounds(4, 0, &lo, &hi);
	ok(lo == 4 && hi == 7, "[4, 8)");
	hist_bounds(hist_bucket(11, 2), 2, &lo, &hi);
	ok(lo == 10 && hi == 11, "[10, 12) with 2 bits");
	for (u32 k = 0; k <= 8; k++)
		check_hist(k);
}

static void lhist(void)
{
	const struct type *t = type_lhist(&a, 0, 100, 10);
	s64 lo, hi;

	is_int(agg_buckets(t), 12, "buckets");
	is_int(lhist_bucket(-1, 0, 100, 10), 0, "below");
	is_int(lhist_bucket(0, 0, 100, 10), 1, "first");
	is_int(lhist_bucket(99, 0, 100, 10), 10, "last");
	is_int(lhist_bucket(100, 0, 100, 10), 11, "above");
	is_int(lhist_bucket(INT64_MAX, INT64_MIN, INT64_MAX, INT64_MAX), 4, "as wide as can be");
	is_int(agg_buckets(type_lhist(&a, 0, 25, 10)), 5, "a step that does not fit");
	lhist_bounds(3, 0, 25, 10, &lo, &hi);
	ok(lo == 20 && hi == 24, "bounds of that step");
	lhist_bounds(0, -5, 25, 10, &lo, &hi);
	ok(lo == INT64_MIN && hi == -6, "below min");
}

static void check_llhist(u32 base, u32 low, u32 high, u32 steps)
{
	struct llhist_shape shape = { base, low, high, steps };
	u32 n = agg_buckets(type_llhist(&a, shape)), bad = 0;
	s64 lo, hi, last = INT64_MIN;

	for (u32 i = 0; i < n; i++) {
		llhist_bounds(&shape, i, &lo, &hi);
		bad += lo != last || hi < lo || llhist_bucket(&shape, lo) != i ||
		       llhist_bucket(&shape, hi) != i;
		last = hi + (hi != INT64_MAX);
	}
	ok(!bad && last == INT64_MAX, "llhist %u %u..%u/%u: %u buckets tile", base, low, high,
	   steps, n);
}

static void llhist(void)
{
	const struct llhist_shape shape = { 10, 0, 6, 20 };
	s64 lo, hi;

	check_llhist(10, 0, 6, 20);
	check_llhist(10, 3, 9, 10);
	check_llhist(2, 0, 20, 2);
	check_llhist(10, 0, 3, 100);
	check_llhist(7, 1, 4, 5);
	llhist_bounds(&shape, llhist_bucket(&shape, 37), &lo, &hi);
	ok(lo == 35 && hi == 39, "37 is in [35, 40)");
}

static void merge_words(void)
{
	u64 x = 3, y = 4;
	struct agg_avg p = { 10, 2 }, q = { -4, 1 };
	struct agg_sum s = { 0, 0 };

	agg_merge(&ty_count, &x, &y);
	is_int(x, 7, "count");
	agg_merge(type_agg(&a, TY_AVG, true), &p, &q);
	ok(p.total == 6 && p.count == 3, "avg");
	ok(!agg_is_set(type_agg(&a, TY_SUM, true), &s), "an untouched sum");
	s.is_set = 1;
	ok(agg_is_set(type_agg(&a, TY_SUM, true), &s), "sum(0) is set");
}

static void merge_minmax(void)
{
	const struct type *min = type_agg(&a, TY_MIN, true), *umax = type_agg(&a, TY_MAX, false);
	struct agg_minmax d = { 0 }, s = { -5, 1 }, none = { 0 };

	ok(!agg_is_set(min, &d), "not set");
	agg_merge(min, &d, &s);
	ok(d.value == -5 && agg_is_set(min, &d), "first value");
	agg_merge(min, &d, &none);
	is_int(d.value, -5, "an unset copy changes nothing");
	s.value = 7;
	agg_merge(min, &d, &s);
	is_int(d.value, -5, "the smaller stays");
	agg_merge(umax, &s, &d);
	is_int(s.value, -5, "unsigned: -5 is large");
}

static void merge_series(void)
{
	const struct type *t = type_tseries(&a, 1000, 2, TY_AVG, true);
	struct agg_tseries_bucket d[2] = { { 10, 1, 4 }, {} }, s[2] = { { 5, 2, 4 }, { 1, 1, 5 } };
	struct agg_tseries_bucket old[2] = { { 99, 9, 2 }, { 99, 9, 7 } };

	is_int(t->size, 48, "size");
	agg_merge(t, d, s);
	ok(d[0].value == 15 && d[0].meta == 3, "same interval");
	ok(d[1].value == 1 && d[1].epoch == 5, "empty interval");
	agg_merge(t, d, old);
	ok(d[0].value == 15 && d[1].epoch == 7, "newer wins, older loses");
	ok(agg_is_set(t, d), "set");
}

static void merge_samples(void)
{
	const struct type *t = type_samples(&a, 4, true);
	u64 x[5] = { 2, 1, 2 }, y[5] = { 1, 3 }, z[5] = { 100, 50, 51, 52, 53 };

	agg_merge(t, x, y);
	ok(x[0] == 3 && x[1] == 1 && x[2] == 2 && x[3] == 3, "both fit");
	agg_merge(t, x, z);
	is_int(x[0], 103, "all are counted");
	ok(x[2] >= 50 && x[3] >= 50 && x[4] >= 50, "the larger population dominates");
}

int main(void)
{
	arena_init(&a);
	hist();
	lhist();
	llhist();
	merge_words();
	merge_minmax();
	merge_series();
	merge_samples();
	arena_release(&a);
	return done();
}
