/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the rows of a map. Input: the rows in any order. Output: the rows to print, in order
 * (table.h).
 *
 * Rows are first sorted by a 64-bit rank: the value as an order-preserving unsigned number, or the
 * beginning of the key. Whole keys are compared only for equal ranks, so sorting 100 000 keys costs
 * little more than sorting 100 000 integers. The result does not depend on the order of the
 * kernel's hash.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "trace/table.h"
#include "trace/value.h"
#include "type/agg.h"

struct item {
	u64 rank;
	u32 row; /* index before sorting */
};

struct sorting {
	const struct table *table;
	const struct names *names;
	struct item *spare; /* room for all rows */
};

enum { RADIX_FROM = 256 }; /* fewer rows are sorted by comparing */

s64 value_int(const struct type *t, const void *p)
{
	union {
		u8 b;
		u16 h;
		u32 w;
		u64 d;
	} v = { 0 };

	memcpy(&v, p, MIN(t->size, (u32)sizeof v));
	switch (t->size) {
	case 1: return t->is_signed ? (s8)v.b : (s64)v.b;
	case 2: return t->is_signed ? (s16)v.h : (s64)v.h;
	case 4: return t->is_signed ? (s32)v.w : (s64)v.w;
	default: return (s64)v.d;
	}
}

s64 tuple_int(const struct type *t, const void *p, u32 i)
{
	const struct field *f = &t->fields[i];

	return i < t->n_fields ? value_int(f->type, (const char *)p + f->offset) : 0;
}

static u64 bucket_at(const void *value, u32 i)
{
	u64 n;

	memcpy(&n, (const char *)value + i * sizeof n, sizeof n);
	return n;
}

static u64 buckets_total(const struct type *t, const void *value)
{
	u64 total = 0;

	for (u32 i = 0, n = agg_buckets(t); i < n; i++)
		total += bucket_at(value, i);
	return total;
}

static s64 average(const struct type *t, const struct agg_avg *a)
{
	if (!a->count)
		return 0;
	if (!t->is_signed)
		return (s64)((u64)a->total / a->count);
	return a->count > INT64_MAX ? 0 : a->total / (s64)a->count;
}

s64 table_number(const struct type *t, const void *value)
{
	union {
		u64 count;
		struct agg_sum sum;
		struct agg_minmax minmax;
		struct agg_avg avg;
	} v;

	switch (t->kind) {
	case TY_COUNT: memcpy(&v.count, value, sizeof v.count); return (s64)v.count;
	case TY_SUM: memcpy(&v.sum, value, sizeof v.sum); return v.sum.sum;
	case TY_MIN:
	case TY_MAX:
		memcpy(&v.minmax, value, sizeof v.minmax);
		return v.minmax.is_set ? v.minmax.value : 0;
	case TY_AVG:
	case TY_STATS: memcpy(&v.avg, value, sizeof v.avg); return average(t, &v.avg);
	case TY_HIST:
	case TY_LHIST:
	case TY_LLHIST: return (s64)buckets_total(t, value);
	case TY_SAMPLES: return (s64)bucket_at(value, 0);
	default: return type_is_scalar(t) ? value_int(t, value) : 0;
	}
}

/* ---- percentiles */

void table_bounds(const struct type *t, u32 i, s64 *lo, s64 *hi)
{
	if (t->kind == TY_HIST)
		hist_bounds(i, t->hist.bits, lo, hi);
	else if (t->kind == TY_LHIST)
		lhist_bounds(i, t->lhist.min, t->lhist.max, t->lhist.step, lo, hi);
	else
		llhist_bounds(&t->llhist, i, lo, hi);
}

/* Nearest rank (1-based): the rank of the smallest value such that pct of n values are at or
 * below it. */
static u64 pct_rank(u64 n, u32 pct)
{
	unsigned __int128 scaled = (unsigned __int128)n * MIN(pct, 100000u);
	u64 rank = (u64)((scaled + 99999) / 100000);

	return MAX(rank, 1ull);
}

/* The rank-th of count values spread evenly over [lo, hi]; an open side has only its edge. */
static s64 inside_bucket(s64 lo, s64 hi, u64 rank, u64 count)
{
	if (lo == INT64_MIN)
		return hi;
	if (hi == INT64_MAX)
		return lo;

	u64 width = (u64)hi - (u64)lo;

	return (s64)((u64)lo + (u64)((unsigned __int128)width * rank / count));
}

static bool buckets_percentile(const struct type *t, const void *value, u32 pct, s64 *out)
{
	u64 total = buckets_total(t, value), below = 0, rank = pct_rank(total, pct);

	for (u32 i = 0, n = agg_buckets(t); i < n && total; i++) {
		u64 count = bucket_at(value, i);
		s64 lo, hi;

		if (count && below + count >= rank) {
			table_bounds(t, i, &lo, &hi);
			*out = inside_bucket(lo, hi, rank - below, count);
			return true;
		}
		below += count;
	}
	return false;
}

static int compare_signed(const void *a, const void *b)
{
	s64 x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

static int compare_unsigned(const void *a, const void *b)
{
	u64 x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

static bool samples_percentile(const struct type *t, const void *value, u32 pct, s64 *out)
{
	u64 kept = MIN(bucket_at(value, 0), (u64)t->count);

	if (!kept)
		return false;

	s64 *sorted = xmalloc(kept * sizeof *sorted);

	memcpy(sorted, (const char *)value + offsetof(struct agg_samples, value),
	       kept * sizeof *sorted);
	qsort(sorted, kept, sizeof *sorted, t->is_signed ? compare_signed : compare_unsigned);
	*out = sorted[pct_rank(kept, pct) - 1];
	free(sorted);
	return true;
}

bool table_percentile(const struct type *t, const void *value, u32 pct, s64 *out)
{
	if (t->kind == TY_SAMPLES)
		return samples_percentile(t, value, pct, out);
	if (t->kind == TY_HIST || t->kind == TY_LHIST || t->kind == TY_LLHIST)
		return buckets_percentile(t, value, pct, out);
	return false;
}

/* ---- keys */

static int compare_u64(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

/* Integers in keys compare as signed whatever their type: -1 and 2^64-1 are equal. */
static s64 key_int(const struct type *t, const void *p)
{
	return value_int(type_int(t->size, true), p);
}

static int compare_fields(const struct names *names, const struct type *t, const char *a,
			  const char *b)
{
	for (u32 i = 0; i < t->n_fields; i++) {
		const struct field *f = &t->fields[i];
		int c = table_key_compare(names, f->type, a + f->offset, b + f->offset);

		if (c)
			return c;
	}
	return 0;
}

static int compare_elements(const struct names *names, const struct type *t, const char *a,
			    const char *b)
{
	u32 n = type_array_count(t, a), m = type_array_count(t, b);

	for (u32 i = 0; i < MIN(n, m); i++) {
		size_t at = (size_t)i * t->elem->size;
		int c = table_key_compare(names, t->elem, a + at, b + at);

		if (c)
			return c;
	}
	return (n > m) - (n < m);
}

static int compare_buffers(const struct type *t, const char *a, const char *b)
{
	u32 n, m;

	memcpy(&n, a, sizeof n);
	memcpy(&m, b, sizeof m);
	n = MIN(n, t->count);
	m = MIN(m, t->count);

	int c = memcmp(a + sizeof n, b + sizeof m, MIN(n, m));

	return c ? c : compare_u64(n, m);
}

static int compare_floats(const struct type *t, const void *a, const void *b)
{
	double x = 0, y = 0;

	if (t->size == sizeof(float)) {
		float f, g;

		memcpy(&f, a, sizeof f);
		memcpy(&g, b, sizeof g);
		x = (double)f;
		y = (double)g;
	} else {
		memcpy(&x, a, sizeof x);
		memcpy(&y, b, sizeof y);
	}
	return (x > y) - (x < y);
}

static int compare_probes(const struct names *names, bool is_func, u64 a, u64 b)
{
	const struct program *prog = names ? names->prog : NULL;
	const char *x = site_text(prog, is_func, a), *y = site_text(prog, is_func, b);

	return x && y ? strcmp(x, y) : compare_u64(a, b);
}

int table_key_compare(const struct names *names, const struct type *t, const void *a, const void *b)
{
	switch (t->kind) {
	case TY_INT:
	case TY_BOOL:
	case TY_ENUM: {
		s64 x = key_int(t, a), y = key_int(t, b);

		return (x > y) - (x < y);
	}
	case TY_POINTER:
	case TY_KSYM:
	case TY_USERNAME:
	case TY_CGROUP_PATH: return compare_u64((u64)value_int(t, a), (u64)value_int(t, b));
	case TY_PROBE:
		return compare_probes(names, t->is_func, (u64)value_int(t, a),
				      (u64)value_int(t, b));
	case TY_STRING: return strncmp(a, b, t->count);
	case TY_BUFFER: return compare_buffers(t, a, b);
	case TY_FLOAT: return compare_floats(t, a, b);
	case TY_TUPLE:
	case TY_RECORD:
	case TY_STRUCT: return compare_fields(names, t, a, b);
	case TY_ARRAY: return compare_elements(names, t, a, b);
	default: /* addresses, times, stacks: any fixed order */ return memcmp(a, b, t->size);
	}
}

/* ---- ranks */

static u64 order_preserving(s64 v)
{
	return (u64)v ^ 1ull << 63;
}

static u64 string_rank(const struct type *t, const u8 *s)
{
	u64 rank = 0;
	u32 i = 0;

	for (; i < 8 && i < t->count && s[i]; i++)
		rank = rank << 8 | s[i];
	return i ? rank << 8 * (8 - i) : 0;
}

static u64 key_rank(const struct type *t, const void *key)
{
	if (!t || !key)
		return 0;
	switch (t->kind) {
	case TY_INT:
	case TY_BOOL:
	case TY_ENUM: return order_preserving(key_int(t, key));
	case TY_STRING: return string_rank(t, key);
	case TY_TUPLE:
	case TY_RECORD:
		return t->n_fields ? key_rank(t->fields[0].type,
					      (const char *)key + t->fields[0].offset) :
				     0;
	default: return 0;
	}
}

static u64 value_rank(const struct type *t, const void *value)
{
	s64 number = table_number(t, value);
	bool is_signed = t->is_signed && type_is_agg(t);

	if (type_is_integer(t))
		is_signed = t->is_signed;
	return is_signed ? order_preserving(number) : (u64)number;
}

static bool sorts_by_value(const struct table *t)
{
	const struct type *v = t->map->value;

	if (t->order != TABLE_BY_KIND)
		return t->order == TABLE_BY_VALUE;
	return v->kind == TY_INT || v->kind == TY_ENUM ||
	       (type_is_agg(v) && v->kind != TY_TSERIES && v->kind != TY_SAMPLES);
}

/* Whether equal ranks mean equal keys. */
static bool is_rank_exact(const struct type *t)
{
	return t->kind == TY_INT || t->kind == TY_BOOL || t->kind == TY_ENUM;
}

/* ---- sorting */

static int compare_ranks(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) :
	       x->row < y->row    ? -1 :
				    x->row > y->row;
}

static int compare_keys(const void *a, const void *b, void *ctx)
{
	const struct item *x = a, *y = b;
	const struct sorting *s = ctx;
	const struct table_row *rows = s->table->rows.v;

	if (!rows[x->row].key || !rows[y->row].key)
		return 0;
	return table_key_compare(s->names, s->table->map->key, rows[x->row].key, rows[y->row].key);
}

/* One pass of an LSD radix sort; stable. */
static void sort_by_byte(const struct item *from, struct item *to, u32 n, u32 shift)
{
	u32 at[256] = { 0 }, sum = 0;

	for (u32 i = 0; i < n; i++)
		at[from[i].rank >> shift & 0xff]++;
	for (u32 i = 0; i < 256; i++) {
		u32 count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (u32 i = 0; i < n; i++)
		to[at[from[i].rank >> shift & 0xff]++] = from[i];
}

static void sort_by_rank(struct item *items, struct item *spare, u32 n)
{
	struct item *from = items, *to = spare;
	u64 differ = 0;

	if (n < RADIX_FROM) {
		qsort(items, n, sizeof *items, compare_ranks);
		return;
	}
	for (u32 i = 1; i < n; i++)
		differ |= items[i].rank ^ items[0].rank;
	for (u32 shift = 0; shift < 64; shift += 8) {
		if (!(differ >> shift & 0xff))
			continue;
		sort_by_byte(from, to, n, shift);
		to = from;
		from = from == items ? spare : items;
	}
	if (from != items)
		memcpy(items, from, n * sizeof *items);
}

/* Calls f for each run of equal ranks. */
static void each_run(struct sorting *s, struct item *items, u32 n,
		     void (*f)(struct sorting *s, struct item *run, u32 n))
{
	u32 end;

	for (u32 i = 0; i < n; i = end) {
		for (end = i + 1; end < n && items[end].rank == items[i].rank;)
			end++;
		if (end - i > 1)
			f(s, items + i, end - i);
	}
}

static void sort_whole_keys(struct sorting *s, struct item *items, u32 n)
{
	qsort_r(items, n, sizeof *items, compare_keys, s);
}

static void sort_by_key(struct sorting *s, struct item *items, u32 n)
{
	const struct type *key = s->table->map->key;

	if (!key)
		return;
	for (u32 i = 0; i < n; i++)
		items[i].rank = key_rank(key, s->table->rows.v[items[i].row].key);
	sort_by_rank(items, s->spare, n);
	if (!is_rank_exact(key))
		each_run(s, items, n, sort_whole_keys);
}

static void sort_by_value(struct sorting *s, struct item *items, u32 n)
{
	for (u32 i = 0; i < n; i++)
		items[i].rank =
			value_rank(s->table->map->value, s->table->rows.v[items[i].row].value);
	sort_by_rank(items, s->spare, n);
	each_run(s, items, n, sort_by_key);
}

/* Permutes the rows in place, cycle by cycle. */
static void put_in_order(struct table_row *rows, struct item *items, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		struct table_row first = rows[i];
		u32 to = i, from = items[i].row;

		while (from != i) {
			rows[to] = rows[from];
			items[to].row = to;
			to = from;
			from = items[to].row;
		}
		rows[to] = first;
		items[to].row = to;
	}
}

static void sort_rows(struct table *t, const struct names *names)
{
	u32 n = t->rows.n;
	struct item *items = xmalloc(2 * (size_t)n * sizeof *items);
	struct sorting s = { .table = t, .names = names, .spare = items + n };

	for (u32 i = 0; i < n; i++)
		items[i].row = i;
	if (sorts_by_value(t))
		sort_by_value(&s, items, n);
	else
		sort_by_key(&s, items, n);
	put_in_order(t->rows.v, items, n);
	free(items);
}

/* ---- stacks as keys */

static bool has_kernel_stack(const struct type *t)
{
	if (t->kind == TY_KSTACK || t->kind == TY_FULLSTACK)
		return true;
	for (u32 i = 0; i < t->n_fields && (t->kind == TY_TUPLE || t->kind == TY_RECORD); i++)
		if (has_kernel_stack(t->fields[i].type))
			return true;
	return false;
}

/* Values may differ and print the same: tracer frames and frames beyond the limit are captured but
 * not printed; user stacks that are unwound afterwards have ids. */
static bool has_alike(const struct names *names, const struct type *t)
{
	bool unwinds = names->prog && program_map_of(names->prog, MAP_UNWIND) != NO_INDEX;

	return unwinds ? type_has_stack(t) : has_kernel_stack(t);
}

/* In a copy of a key, replaces each stack's hash by a hash of its printed frames. */
static void name_by_look(const struct names *names, const struct type *t, char *key)
{
	u64 look;

	if (type_is_stack(t)) {
		look = stack_identity(names, t, key);
		memset(key, 0, t->size);
		memcpy(key, &look, sizeof look);
	}
	for (u32 i = 0; i < t->n_fields && (t->kind == TY_TUPLE || t->kind == TY_RECORD); i++)
		name_by_look(names, t->fields[i].type, key + t->fields[i].offset);
}

/* Of values that are not added up the first stays. */
static void add_value(const struct map_desc *m, struct table_row *to, const struct table_row *from)
{
	const struct type *t = m->value;
	u64 sum;

	if (type_is_agg(t)) {
		agg_merge(t, to->value, from->value);
	} else if (t->kind == TY_INT && !m->is_assigned) {
		sum = (u64)value_int(t, to->value) + (u64)value_int(t, from->value);
		memcpy(to->value, &sum, t->size);
	}
}

/* Keys that print the same are merged. */
static void merge_stacks(struct table *t, const struct names *names)
{
	u32 size = t->map->key_size, kept = 0;
	char *looks = xmalloc((size_t)t->rows.n * size);
	struct hash seen = { 0 };

	for (u32 i = 0; i < t->rows.n; i++) {
		char *look = looks + (size_t)i * size;
		struct table_row *same;

		memcpy(look, t->rows.v[i].key, size);
		name_by_look(names, t->map->key, look);
		same = hash_get(&seen, look, size);
		if (same) {
			add_value(t->map, same, &t->rows.v[i]);
			continue;
		}
		t->rows.v[kept] = t->rows.v[i];
		hash_put(&seen, look, size, &t->rows.v[kept++]);
	}
	t->rows.n = kept;
	hash_release(&seen);
	free(looks);
}

static void keep_last(struct table *t, u32 n)
{
	if (!n || n >= t->rows.n)
		return;
	memmove(t->rows.v, t->rows.v + (t->rows.n - n), n * sizeof *t->rows.v);
	t->rows.n = n;
}

static void turn_around(struct table *t)
{
	for (u32 i = 0, n = t->rows.n; i < n / 2; i++) {
		struct table_row row = t->rows.v[i];

		t->rows.v[i] = t->rows.v[n - 1 - i];
		t->rows.v[n - 1 - i] = row;
	}
}

void table_sort(struct table *t, const struct names *names)
{
	if (t->rows.n > 1 && t->map->key && names && has_alike(names, t->map->key))
		merge_stacks(t, names);
	if (t->rows.n > 1)
		sort_rows(t, names);
	keep_last(t, t->top);
	if (t->descending)
		turn_around(t);
}

void table_add_threads(struct table *t, struct arena *a, const struct thread_slot *slots)
{
	for (u32 i = 0; i < THREAD_SLOTS; i++) {
		struct table_row row;
		u64 value;
		u32 tid;

		if (!thread_slot_read(&slots[i], &tid, &value))
			continue;
		row.key = arena_dup(a, &tid, sizeof tid);
		row.value = arena_dup(a, &value, sizeof value);
		vec_push(a, &t->rows, row);
	}
}
