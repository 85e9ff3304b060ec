/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include "base/hash.h"
#include "base/json.h"
#include "cli/expr_name.h"
#include "cli/view/values.h"
#include "output/none.h"
#include "trace/value.h"

typedef unsigned long long ull;

enum {
	FINE_BITS = 10, /* a bucket is 1/1024 of its value, or 1 */
	FINE = 1 << FINE_BITS,
	N_BUCKETS = (64 - FINE_BITS + 1) * FINE,
	MOST_TEXTS = 100000, /* counted separately; the rest is one value */
	MOST_SHOWN = 1000,
	BAR = 38,
};

struct counted {
	const char *text;
	u64 n;
};

struct values {
	u64 n;
	s64 least, largest;
	u64 *buckets[2]; /* of numbers from 0 on, and of negative ones */
	struct arena arena;
	struct hash by_text;
	VEC(struct counted *) texts;
};

/* ---- counting */

static u32 bucket_of(u64 n)
{
	u32 shift = n >= FINE ? 63 - FINE_BITS - (u32)__builtin_clzll(n) : 0;

	return n < FINE ? (u32)n : (shift + 1) * FINE + (u32)(n >> shift) - FINE;
}

/* The least number of a bucket. */
static u64 bucket_floor(u32 i)
{
	return i < 2 * FINE ? i : (u64)(FINE + i % FINE) << (i / FINE - 1);
}

static void add_number(struct values *v, s64 n)
{
	v->least = v->n ? MIN(v->least, n) : n;
	v->largest = v->n ? MAX(v->largest, n) : n;
	v->n++;
	v->buckets[n < 0][bucket_of(n < 0 ? -(u64)n : (u64)n)]++;
}

static void add_text(struct values *v, const char *text, size_t len)
{
	struct counted *c = hash_get(&v->by_text, text, len);

	if (!c && v->texts.n == MOST_TEXTS)
		return add_text(v, "(others)", 8);
	if (!c) {
		c = arena_new(&v->arena, struct counted);
		*c = (struct counted){ .text = arena_strndup(&v->arena, text, len) };
		hash_put(&v->by_text, c->text, len, c);
		vec_push(&v->arena, &v->texts, c);
	}
	c->n++;
	v->n++;
}

static void value(struct sink *s, const struct type *t, const void *p)
{
	struct values *v = s->state;
	struct buf text = { 0 };
	u64 n = 0;

	if (t->kind == TY_INT && t->size <= 8) {
		memcpy(&n, p, t->size);
		add_number(v, t->is_signed ? (s64)(n << (64 - 8 * t->size)) >> (64 - 8 * t->size) :
					     (s64)n);
		return;
	}
	value_text(&text, s->names, t, p);
	add_text(v, text.s ? text.s : "", text.len);
	buf_release(&text);
}

static const struct output output_values = {
	.name = "values",
	.attached = none_attached,
	.text = none_text,
	.value = value,
	.table = none_table,
	.event = none_event,
	.lost = none_lost,
	.message = none_message,
	.end = none_end,
};

/* ---- results */

/* The smallest value that at least that share of all do not exceed. */
static s64 percentile(const struct values *v, u32 percent)
{
	u64 rank = MAX((v->n * percent + 99) / 100, 1ull), seen = 0;

	for (u32 i = N_BUCKETS; i-- > 0;)
		if ((seen += v->buckets[1][i]) >= rank)
			return MAX(-(s64)bucket_floor(i), v->least);
	for (u32 i = 0; i < N_BUCKETS; i++)
		if ((seen += v->buckets[0][i]) >= rank)
			return MIN(MAX((s64)bucket_floor(i), v->least), v->largest);
	return v->largest;
}

/* Powers of two, as hist(): row 0 is negative, row 1 is 0, row k has [2^(k-2), 2^(k-1)). */
static void rows_of(const struct values *v, u64 rows[66])
{
	for (u32 i = 0; i < N_BUCKETS; i++) {
		u64 n = bucket_floor(i);

		rows[0] += v->buckets[1][i];
		rows[n ? 65 - __builtin_clzll(n) : 1] += v->buckets[0][i];
	}
}

static void put_edge(struct buf *b, u32 power)
{
	buf_printf(b, "%llu%.1s", (ull)(1ull << power % 10), &" KMGTPE"[power / 10]);
	if (power < 10)
		b->len--; /* the blank */
}

static void put_label(struct buf *b, u32 row)
{
	if (row < 2) {
		buf_puts(b, row ? "[0]" : "(..., 0)");
		return;
	}
	buf_putc(b, '[');
	put_edge(b, row - 2);
	buf_puts(b, ", ");
	put_edge(b, row - 1);
	buf_putc(b, ')');
}

static int by_number(const void *a, const void *b)
{
	const struct counted *x = *(struct counted *const *)a, *y = *(struct counted *const *)b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->text, y->text);
}

static void put_bar(struct buf *to, const char *label, u64 n, u64 most, u64 all)
{
	buf_printf(to, "%-24.24s %10llu %3.0f%% ", label, (ull)n, 100.0 * (double)n / (double)all);
	buf_pad(to, '@', (size_t)((double)BAR * (double)n / (double)most));
	buf_putc(to, '\n');
}

static void put_number_lines(const struct values *v, struct buf *to)
{
	u64 rows[66] = { 0 }, most = 1;
	u32 first = 66, last = 0;

	rows_of(v, rows);
	for (u32 i = 0; i < 66; i++)
		if (rows[i]) {
			first = MIN(first, i);
			last = i;
			most = MAX(most, rows[i]);
		}
	buf_printf(to, "%llu values: least %lld, p50 %lld, p90 %lld, p99 %lld, largest %lld\n\n",
		   (ull)v->n, (long long)v->least, (long long)percentile(v, 50),
		   (long long)percentile(v, 90), (long long)percentile(v, 99),
		   (long long)v->largest);
	for (u32 i = first; i <= last; i++) {
		struct buf label = { 0 };

		put_label(&label, i);
		put_bar(to, label.s, rows[i], most, v->n);
		buf_release(&label);
	}
}

static void put_number_json(const struct values *v, struct buf *to)
{
	u64 rows[66] = { 0 };
	const char *comma = "";

	rows_of(v, rows);
	buf_printf(
		to,
		"{\"n\":%llu,\"least\":%lld,\"p50\":%lld,\"p90\":%lld,\"p99\":%lld,\"largest\":%lld,\"rows\":[",
		(ull)v->n, (long long)v->least, (long long)percentile(v, 50),
		(long long)percentile(v, 90), (long long)percentile(v, 99), (long long)v->largest);
	for (u32 i = 0; i < 66; i++)
		if (rows[i]) {
			buf_printf(to, "%s[\"", comma);
			put_label(to, i);
			buf_printf(to, "\",%llu]", (ull)rows[i]);
			comma = ",";
		}
	buf_puts(to, "]}\n");
}

static void put_texts(const struct values *v, bool as_json, struct buf *to)
{
	u32 n = MIN(v->texts.n, (u32)MOST_SHOWN);

	qsort(v->texts.v, v->texts.n, sizeof *v->texts.v, by_number);
	if (as_json)
		buf_printf(to, "{\"n\":%llu,\"rows\":[", (ull)v->n);
	else
		buf_printf(to, "%llu values, %u different\n\n", (ull)v->n, v->texts.n);
	for (u32 i = 0; i < n; i++) {
		const struct counted *c = v->texts.v[i];

		if (!as_json) {
			put_bar(to, c->text, c->n, v->texts.v[0]->n, v->n);
			continue;
		}
		buf_puts(to, i ? ",[" : "[");
		json_strz(to, c->text);
		buf_printf(to, ",%llu]", (ull)c->n);
	}
	buf_puts(to, as_json ? "]}\n" : "");
}

static void put_result(const struct values *v, bool as_json, struct buf *to)
{
	if (!v->n)
		buf_puts(to, as_json ? "{\"n\":0,\"rows\":[]}\n" : "no event has such a value\n");
	else if (v->texts.n)
		put_texts(v, as_json, to);
	else
		as_json ? put_number_json(v, to) : put_number_lines(v, to);
}

/* ---- scripts */

static int wrong(const struct recorded *r, const char *why, const char *what)
{
	say(r->c, "%s: %s", why, what);
	return STATUS_WRONG;
}

/* A clause for each event that has the fields of the filter and of the expression. */
static int put_expr(struct recorded *r, const struct value_request *q, const char *where,
		    struct buf *script)
{
	struct buf expr = { 0 }, both = { 0 }, body = { 0 };
	u32 n;

	predicate_expand(r, q->expr, &expr);
	buf_printf(&both, "%s %s", where, expr.s);
	buf_printf(&body, "{ print(%s) }", expr.s);
	n = predicate_put_clauses(r, script, both.s, body.s);
	buf_release(&expr);
	buf_release(&both);
	buf_release(&body);
	return n ? 0 : wrong(r, "no event of the recording has such fields", q->expr);
}

static const struct event_format *find_event(const struct recorded *r, const char *name)
{
	for (u32 i = 0; i < r->tables->formats.n; i++)
		if (streq(r->tables->formats.v[i]->name, name))
			return r->tables->formats.v[i];
	return NULL;
}

/* A part of the key: a field of that event, also where the language has a variable of that name,
 * else an expression. */
static void put_key(struct recorded *r, const char *event, const char *key, size_t len,
		    struct buf *to)
{
	char *name = strndup(key, len);
	struct buf field = { 0 };

	buf_printf(&field, "args.%s", name);
	if (expr_name_length(name) == len &&
	    predicate_has_fields(&r->arena, find_event(r, event), field.s))
		buf_add(to, field.s, field.len);
	else
		predicate_expand(r, name, to);
	buf_release(&field);
	free(name);
}

/* "0", or whether a gap of the file begins or ends between $since and now: the event that ended the
 * interval may be missing. */
static void put_gaps(struct buf *b, const struct store_tables *t)
{
	buf_puts(b, "0");
	for (u32 i = 0; i < t->gaps.n; i++) {
		const u64 ends[] = { t->gaps.v[i].from, t->gaps.v[i].to };

		for (u32 k = 0; k < ARRAY_SIZE(ends); k++)
			buf_printf(b, " || ($since < %llu && nsecs(boot) >= %llu)", (ull)ends[k],
				   (ull)ends[k]);
	}
}

/* The clause of the second event is first: an event that is both ends an interval before it begins
 * one. */
static int put_times(struct recorded *r, const struct value_request *q, struct buf *script)
{
	size_t len = strcspn(q->key, ",");
	const char *second = q->key[len] ? q->key + len + 1 : q->key;
	struct buf a = { 0 }, b = { 0 }, gaps = { 0 };

	if (!find_event(r, q->from) || !find_event(r, q->to))
		return wrong(r, "the recording has no event",
			     find_event(r, q->from) ? q->to : q->from);
	put_key(r, q->from, q->key, len, &a);
	put_key(r, q->to, second, strlen(second), &b);
	put_gaps(&gaps, r->tables);
	buf_printf(
		script,
		"tracepoint:%s { $since = @since[%s]; if ($since) { if (!(%s)) { print(nsecs(boot) - $since); } delete(@since[%s]) } }\n"
		"tracepoint:%s { @since[%s] = nsecs(boot) }\n",
		q->to, b.s, gaps.s, b.s, q->from, a.s);
	buf_release(&gaps);
	buf_release(&a);
	buf_release(&b);
	return 0;
}

int values_run(struct recorded *r, const struct value_request *q, bool as_json, struct buf *to)
{
	struct values v = { 0 };
	struct buf script = { 0 }, where = { 0 };
	int ret;

	arena_init(&v.arena);
	for (u32 i = 0; i < 2; i++)
		v.buckets[i] = xcalloc(N_BUCKETS, sizeof(u64));
	predicate_expand(r, q->filter ? q->filter : "", &where);
	buf_puts(
		&script,
		"config = { max_probes = 100000; print_maps_on_exit = false; max_map_keys = 1000000 }\n");
	ret = q->expr ? put_expr(r, q, where.s, &script) : put_times(r, q, &script);
	if (!ret)
		ret = predicate_run(r, &script, where.len ? where.s : NULL, &output_values, &v);
	if (!ret)
		put_result(&v, as_json, to);
	for (u32 i = 0; i < 2; i++)
		free(v.buckets[i]);
	hash_release(&v.by_text);
	arena_release(&v.arena);
	buf_release(&script);
	buf_release(&where);
	return ret;
}
