/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON, byte for byte. */
#include "output/fixture.h"

static void value_is(const struct type *t, const void *p, const char *want)
{
	struct buf b = { 0 };

	buf_printf(&b, "{\"type\": \"value\", \"data\": %s}\n", want);
	is_str(fx_value(t, p), b.s, "%s: %s", type_str(&fx, t), want);
	buf_release(&b);
}
#define VALUE(t, T, v, want) value_is((t), &(T){ v }, (want))

static void scalars(void)
{
	struct enum_value ev[] = { { "FOO", 333 } };
	struct type e = { .kind = TY_ENUM, .size = 4, .enums = ev, .n_enums = 1 };

	VALUE(&ty_s64, s64, -5, "-5");
	VALUE(&ty_u64, u64, UINT64_MAX, "\"18446744073709551615\"");
	VALUE(&ty_u64, u64, 1ull << 60, "1152921504606846976");
	VALUE(&ty_s64, s64, (1ll << 53) + 1, "\"9007199254740993\"");
	VALUE(&ty_s64, s64, (1ll << 53) + 2, "9007199254740994");
	VALUE(&ty_s64, s64, INT64_MIN, "-9223372036854775808");
	VALUE(&ty_s64, s64, INT64_MAX, "\"9223372036854775807\"");
	VALUE(&ty_bool, u8, 1, "true");
	VALUE(&ty_void_ptr, u64, 0x32, "50");
	VALUE(&e, u32, 333, "333");
	VALUE(&ty_f64, double, 2.5, "2.5");
	VALUE(&ty_f64, double, __builtin_nan(""), "null");
	value_is(&ty_void, "", "null");
	value_is(type_string(&fx, 16), "a \"b\"\n\t\\\x01\0zz", "\"a \\\"b\\\"\\n\\t\\\\\\u0001\"");
	value_is(type_string(&fx, 4), "abcd", "\"abcd..\"");
	value_is(type_buffer(&fx, 4), "\3\0\0\0a\0\xff", "[97,0,255]");
	VALUE(&ty_ksym, u64, 0x1005, "\"vfs_read\"");
	VALUE(&ty_username, u32, 0, "\"root\"");
	value_is(&ty_macaddr, "\1\2\3\4\5\6", "\"01:02:03:04:05:06\"");
	value_is(type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 9), &(struct stack_value){ 1, 0, 2 },
		 "\"\\n        vfs_read+5\\n        do_sys_open+16\\n\"");
}

static void compounds(void)
{
	struct field f[] = { { .name = "m", .type = &ty_s32 },
			     { .name = "n", .type = &ty_s32, .offset = 4 } };
	struct type t = { .kind = TY_STRUCT, .size = 8, .name = "foo", .fields = f, .n_fields = 2 };
	struct type none = { .kind = TY_STRUCT };
	const struct type *inner = fx_tuple2(&ty_s64, &ty_s64);

	value_is(&t, (s32[]){ 2, 3 }, "{\"m\": 2, \"n\": 3}");
	value_is(&none, "", "{}");
	value_is(inner, (s64[]){ 2, 3 }, "[2,3]");
	value_is(fx_tuple2(&ty_s64, inner), (s64[]){ 1, 4, 5 }, "[1,[4,5]]");
	value_is(type_array(&fx, &ty_s16, 2), (s16[]){ 1, -1 }, "[1,-1]");
}

static void maps(void)
{
	const struct type *key = fx_tuple2(&ty_comm, &ty_s64);
	struct {
		char s[16];
		s64 n;
	} k = { "bpftrace", 2 };
	struct table *t;

	is_str(fx_show(fx_scalar("@x", &ty_s64, &(s64){ 5 })),
	       "{\"type\": \"map\", \"data\": {\"@x\": 5}}\n", "a scalar");
	t = fx_table("@complex", key, &ty_s64);
	fx_row(t, &k, &(s64){ 5 });
	strcpy(k.s, "a b");
	fx_row(t, &k, &(s64){ 6 });
	is_str(fx_show(t),
	       "{\"type\": \"map\", \"data\": {\"@complex\": {\"bpftrace,2\": 5, \"a b,2\": 6}}}\n",
	       "tuple keys");
	t = fx_table("@", fx_tuple2(&ty_s64, fx_tuple2(&ty_s64, &ty_s64)), &ty_s64);
	fx_row(t, (s64[]){ 1, 2, 3 }, &(s64){ 5 });
	is_str(fx_show(t), "{\"type\": \"map\", \"data\": {\"@\": {\"1,(2,3)\": 5}}}\n", "nested");
	t = fx_table("@", type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 9), &ty_count);
	fx_row(t, &(struct stack_value){ 1, 0, 2 }, &(u64){ 5 });
	is_str(fx_show(t),
	       "{\"type\": \"map\", \"data\": {\"@\": {\"\\nvfs_read+5\\ndo_sys_open+16\\n\": 5}}}\n",
	       "a stack as key");
	t = fx_table("@", &ty_s64, &ty_count);
	is_str(fx_show(t), "", "an empty map");
	t = fx_scalar("@c", &ty_count, NULL);
	is_str(fx_show(t), "", "an aggregation that never saw a value");
	t->shown_by_name = true;
	is_str(fx_show(t), "{\"type\": \"map\", \"data\": {\"@c\": 0}}\n", "by name it is zero");
}

static void aggregations(void)
{
	const struct type *h = fx_hist(0), *l = fx_lhist(0, 20, 10);
	struct table *t;

	is_str(fx_show(fx_scalar("@s", type_agg(&fx, TY_STATS, true), &(struct agg_avg){ 12, 2 })),
	       "{\"type\": \"stats\", \"data\": {\"@s\": {\"count\": 2, \"average\": 6, \"total\": 12}}}\n",
	       "stats");
	t = fx_table("@", type_string(&fx, 2), type_agg(&fx, TY_AVG, true));
	fx_row(t, "d", &(struct agg_avg){ 40, 1 });
	fx_row(t, "c", &(struct agg_avg){ 30, 1 });
	t->div = 10;
	is_str(fx_show(t), "{\"type\": \"stats\", \"data\": {\"@\": {\"c\": 3, \"d\": 4}}}\n",
	       "avg");
	is_str(fx_show(fx_scalar("@h", h, FX_COUNTS(h, -1, 1, 3))),
	       "{\"type\": \"hist\", \"data\": {\"@h\": [{\"max\": -1, \"count\": 1},"
	       "{\"min\": 0, \"max\": 0, \"count\": 0},{\"min\": 1, \"max\": 1, \"count\": 1},"
	       "{\"min\": 2, \"max\": 3, \"count\": 1}]}}\n",
	       "hist");
	is_str(fx_show(fx_scalar("@h", h, arena_alloc(&fx, agg_size(h)))),
	       "{\"type\": \"hist\", \"data\": {\"@h\": []}}\n", "an empty histogram");
	t = fx_table("@", &ty_s64, l);
	fx_row(t, &(s64){ 1 }, FX_COUNTS(l, 15, 1000));
	is_str(fx_show(t),
	       "{\"type\": \"hist\", \"data\": {\"@\": {\"1\": "
	       "[{\"min\": 10, \"max\": 19, \"count\": 1},{\"min\": 20, \"count\": 1}]}}}\n",
	       "lhist");
	t->pct = (const u32[]){ 50000, 99900 };
	t->n_pct = 2;
	is_str(fx_show(t),
	       "{\"type\": \"stats\", \"data\": {\"@\": {\"1\": {\"p50\": 19, \"p99.9\": 20}}}}\n",
	       "percentiles");
}

static void series(void)
{
	const struct type *t = fx_series(500000000, 4, TY_VOID);
	const s64 points[][2] = { { 1, 9 }, { 3, -1 } };
	struct agg_tseries_bucket *v = fx_points(t, points, 2);

	is_str(fx_show(fx_scalar("@a", t, v)),
	       "{\"type\": \"tseries\", \"data\": {\"@a\": "
	       "[{\"interval_start\":\"1970-01-01 00:00:00.500000000\",\"value\":9},"
	       "{\"interval_start\":\"1970-01-01 00:00:01.500000000\",\"value\":-1}]}}\n",
	       "tseries");
	is_str(fx_show(fx_scalar("@a", t, arena_alloc(&fx, agg_size(t)))),
	       "{\"type\": \"tseries\", \"data\": {\"@a\": []}}\n", "without data");
}

static void texts(void)
{
	static const struct {
		enum sink_text kind;
		const char *type;
	} kinds[] = { { TEXT_PRINTF, "printf" },
		      { TEXT_TIME, "time" },
		      { TEXT_CAT, "cat" },
		      { TEXT_JOIN, "join" },
		      { TEXT_SYSTEM, "syscall" } };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct buf b = { 0 };

		buf_printf(&b, "{\"type\": \"%s\", \"data\": \"a\\r\\n\"}\n", kinds[i].type);
		fx_sink.output->text(&fx_sink, kinds[i].kind, "a\r\n", 3);
		is_str(fx_take(), b.s, "%s", kinds[i].type);
		buf_release(&b);
	}
	fx_sink.output->end(&fx_sink);
	is_str(fx_take(), "", "nothing at the end");
}

static void about_the_run(void)
{
	const struct output *o = fx_sink.output;
	struct loss full = { fx_span, LOSS_RING_FULL, 0, "printf", 0 },
		    div = { fx_span, LOSS_DIV_ZERO, 0, NULL, 0 };

	o->attached(&fx_sink, 1);
	is_str(fx_take(),
	       "{\"type\": \"attached_probes\", \"count\": 1, \"data\": {\"probes\": 1}}\n",
	       "attached");
	o->lost(&fx_sink, &full, 12);
	is_str(fx_take(),
	       "{\"type\": \"lost_events\", \"count\": 12, \"data\": {\"events\": 12, "
	       "\"where\": \"stdin:2:2\", \"reason\": \"ring buffer full\"}}\n",
	       "lost");
	o->lost(&fx_sink, &div, 2);
	is_str(fx_take(),
	       "{\"type\": \"runtime_error\", \"msg\": \"division by zero: x / 0 is 0, x % 0 is x\", "
	       "\"filename\": \"stdin\", \"line\": 2, \"col\": 2, \"count\": 2}\n",
	       "a counted warning");
	o->message(&fx_sink, LEVEL_ERRORF, fx_span, "bad \"x\"");
	is_str(fx_take(),
	       "{\"type\": \"errorf\", \"msg\": \"bad \\\"x\\\"\", \"filename\": \"stdin\", \"line\": 2, "
	       "\"col\": 2}\n",
	       "errorf");
}

int main(void)
{
	fx_open("json");
	scalars();
	compounds();
	maps();
	aggregations();
	series();
	texts();
	about_the_run();
	fx_close();
	return done();
}
