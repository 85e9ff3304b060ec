/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order, top and direction of maps; numbers of aggregations; percentiles. */
#include "trace/fixture.h"
#include "tap.h"

static const char *keys_of(const struct table *t)
{
	static struct buf b;

	buf_clear(&b);
	buf_puts(&b, "");
	for (u32 i = 0; i < t->rows.n; i++) {
		if (i)
			buf_putc(&b, ' ');
		value_text(&b, &fx_names, t->map->key, t->rows.v[i].key);
	}
	return b.s;
}

static struct table *four(const struct type *value)
{
	struct table *t = fx_table("@x", &ty_s64, value);

	fx_row_s64(t, 3, 10);
	fx_row_s64(t, 1, 30);
	fx_row_s64(t, 4, -5);
	fx_row_s64(t, 2, 10);
	return t;
}

static void by_value(void)
{
	struct table *t = four(&ty_s64);

	table_sort(t, &fx_names);
	is_str(keys_of(t), "4 2 3 1", "by value, equal ones by key");
	t = four(&ty_u64);
	table_sort(t, &fx_names);
	is_str(keys_of(t), "2 3 1 4", "unsigned values");
	t = four(&ty_s64);
	t->top = 2;
	table_sort(t, &fx_names);
	is_str(keys_of(t), "3 1", "the largest two");
	t = four(&ty_s64);
	t->top = 9;
	table_sort(t, &fx_names);
	is_str(keys_of(t), "4 2 3 1", "top beyond the end");
	t = four(&ty_s64);
	t->top = 3;
	t->descending = true;
	table_sort(t, &fx_names);
	is_str(keys_of(t), "1 3 2", "the largest three, largest first");
	t = four(&ty_s64);
	t->order = TABLE_BY_KEY;
	table_sort(t, &fx_names);
	is_str(keys_of(t), "1 2 3 4", "sort=key");
	t = four(&ty_void_ptr);
	table_sort(t, &fx_names);
	is_str(keys_of(t), "1 2 3 4", "pointers go by key");
	t->order = TABLE_BY_VALUE;
	table_sort(t, &fx_names);
	is_str(keys_of(t), "2 3 1 4", "sort=value");
}

static void empty_and_one(void)
{
	struct table *t = fx_table("@x", &ty_s64, &ty_s64);

	t->top = 3;
	t->descending = true;
	table_sort(t, &fx_names);
	is_int(t->rows.n, 0, "an empty map");
	fx_row_s64(t, 1, 1);
	table_sort(t, NULL);
	is_int(t->rows.n, 1, "one row");
}

static void aggregations(void)
{
	struct table *t = fx_table("@x", &ty_s64, type_agg(&fx, TY_AVG, true));

	fx_row(t, &(s64){ 1 }, &(struct agg_avg){ 100, 10 });
	fx_row(t, &(s64){ 2 }, &(struct agg_avg){ 20, 1 });
	fx_row(t, &(s64){ 3 }, &(struct agg_avg){ -20, 1 });
	table_sort(t, &fx_names);
	is_str(keys_of(t), "3 1 2", "by average");

	t = fx_table("@x", &ty_s64, fx_hist(0));
	fx_row(t, &(s64){ 1 }, FX_COUNTS(t->map->value, 1000));
	fx_row(t, &(s64){ 2 }, FX_COUNTS(t->map->value, 1, 2, 3));
	fx_row(t, &(s64){ 3 }, FX_COUNTS(t->map->value, 1, 2));
	table_sort(t, &fx_names);
	is_str(keys_of(t), "1 3 2", "by total count");

	t = fx_table("@x", &ty_s64, type_agg(&fx, TY_MIN, true));
	fx_row(t, &(s64){ 1 }, &(struct agg_minmax){ 5, 1 });
	fx_row(t, &(s64){ 2 }, &(struct agg_minmax){ -5, 1 });
	table_sort(t, &fx_names);
	is_str(keys_of(t), "2 1", "min by sign");
}

static void by_string(void)
{
	const struct type *s = type_string(&fx, 16);
	const struct type *key = fx_tuple2(s, &ty_s32);
	static const char *const words[] = {
		"same-long-b", "b", "", "same-long-a", "\xc3\xa9", "ab"
	};
	struct table *t = fx_table("@x", s, type_string(&fx, 4));
	struct {
		char s[16];
		s32 n;
		u32 pad;
	} k = { 0 };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		memset(&k, 'z', sizeof k.s); /* garbage behind the NUL */
		strcpy(k.s, words[i]);
		fx_row(t, k.s, "abc");
	}
	table_sort(t, &fx_names);
	is_str(keys_of(t), " ab b same-long-a same-long-b \xc3\xa9", "strings bytewise");

	t = fx_table("@x", key, type_string(&fx, 4));
	for (u32 i = 0; i < 6; i++) {
		memset(&k, 0, sizeof k);
		strcpy(k.s, i % 2 ? "b" : "a");
		k.n = 1 - (s32)i;
		fx_row(t, &k, "abc");
	}
	table_sort(t, &fx_names);
	is_str(keys_of(t), "(a, -3) (a, -1) (a, 1) (b, -4) (b, -2) (b, 0)",
	       "the first field is most significant");
}

static void by_other_key(void)
{
	struct table *t = fx_table("@x", &ty_u64, type_string(&fx, 4));

	fx_row(t, &(u64){ 5 }, "abc");
	fx_row(t, &(u64){ UINT64_MAX }, "abc");
	table_sort(t, &fx_names);
	is_str(keys_of(t), "18446744073709551615 5", "integer keys as signed");

	t = fx_table("@x", &ty_probe, type_string(&fx, 4));
	fx_row(t, &(u64){ 0 }, "abc");
	fx_row(t, &(u64){ 1 }, "abc");
	table_sort(t, &fx_names);
	is_str(keys_of(t), "kprobe:one tracepoint:b:two", "probes by name");

	t = fx_table("@x", type_array(&fx, &ty_s8, 2), type_string(&fx, 4));
	fx_row(t, (s8[]){ 1, 2 }, "abc");
	fx_row(t, (s8[]){ 1, -2 }, "abc");
	fx_row(t, (s8[]){ 0, 9 }, "abc");
	table_sort(t, &fx_names);
	is_str(keys_of(t), "[0,9] [1,-2] [1,2]", "arrays by element");
}

static s64 pct(const struct type *t, const void *value, u32 at)
{
	s64 v = -12345;

	table_percentile(t, value, at, &v);
	return v;
}

static void percentiles(void)
{
	const struct type *h = fx_hist(0), *l = fx_lhist(0, 100, 10), *s = fx_samples(8);
	struct {
		u64 n;
		s64 v[8];
	} samples = { 5, { 50, -10, 30, 20, 40, 99, 99, 99 } };
	u64 *v = arena_alloc(&fx, agg_size(h));

	is_int(pct(h, v, 50000), -12345, "nothing in an empty histogram");
	v = FX_COUNTS(h, 1);
	is_int(pct(h, v, 50000), 1, "one value of a bucket of one");
	is_int(pct(h, v, 100000), 1, "p100");
	v = FX_COUNTS(h, 8, 9, 10, 11);
	is_int(pct(h, v, 50000), 11, "half of [8, 15]");
	is_int(pct(h, v, 100000), 15, "the end of the bucket");
	v = FX_COUNTS(l, 1, 2, 15, 95);
	is_int(pct(l, v, 75000), 19, "lhist p75");
	is_int(pct(l, FX_COUNTS(l, 500), 50000), 100, "an open bucket has its edge");
	is_int(pct(l, FX_COUNTS(l, -500), 50000), -1, "likewise below");
	is_int(pct(s, &samples, 0), -10, "the least sample");
	is_int(pct(s, &samples, 50000), 30, "the median");
	is_int(pct(s, &samples, 99900), 50, "p99.9 of five is the largest");
	samples.n = 0;
	is_int(pct(s, &samples, 50000), -12345, "no samples");
	is_int(pct(&ty_s64, &samples, 50000), -12345, "no percentiles of an integer");
}

static void many(const struct type *value, u32 n)
{
	struct table *t = fx_table("@x", &ty_s64, value);
	bool ordered = true;

	for (u32 i = 0; i < n; i++)
		fx_row_s64(t, (s64)(i * 7919ull % n) - 70,
			   (s64)(i * 2654435761u % 1000) - (value == &ty_s64 ? 500 : 0));
	table_sort(t, &fx_names);
	for (u32 i = 1; i < t->rows.n; i++) {
		s64 a = table_number(value, t->rows.v[i - 1].value),
		    b = table_number(value, t->rows.v[i].value);
		s64 ka = value_int(&ty_s64, t->rows.v[i - 1].key),
		    kb = value_int(&ty_s64, t->rows.v[i].key);

		ordered = ordered && (a < b || (a == b && ka < kb));
	}
	ok(ordered, "%u rows in order", n);
}

int main(void)
{
	arena_init(&fx);
	by_value();
	empty_and_one();
	aggregations();
	by_string();
	by_other_key();
	percentiles();
	many(&ty_count, 5000);
	many(&ty_s64, 5000);
	many(&ty_s64, 70000);
	many(&ty_s64, 255);
	arena_release(&fx);
	return done();
}
