/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text, byte for byte: maps of every shape, values, and what goes to stderr. */
#include "output/fixture.h"

#define BAR_52 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define BAR_26 "@@@@@@@@@@@@@@@@@@@@@@@@@@                          "
#define BAR_0 "                                                    "

static void scalars(void)
{
	is_str(fx_show(fx_scalar("@x", &ty_s64, &(s64){ -5 })), "@x: -5\n", "a number");
	is_str(fx_show(fx_scalar("@", &ty_u64, &(u64){ UINT64_MAX })), "@: 18446744073709551615\n",
	       "the anonymous map");
	is_str(fx_show(fx_scalar("@s", type_string(&fx, 8), "abc\0def")), "@s: abc\n", "a string");
	is_str(fx_show(fx_scalar("@s", type_agg(&fx, TY_STATS, true), &(struct agg_avg){ 6, 3 })),
	       "@s: { .count = 3, .average = 2, .total = 6 }\n", "stats");
	is_str(fx_show(fx_scalar("@a", type_agg(&fx, TY_AVG, true), &(struct agg_avg){ -6, 3 })),
	       "@a: -2\n", "avg");
}

static void empty_maps(void)
{
	struct table *t = fx_table("@x", &ty_s64, &ty_count);

	is_str(fx_show(t), "", "no keys, nothing");
	t->shown_by_name = true;
	is_str(fx_show(t), "", "nor by name");
	t = fx_scalar("@c", &ty_count, NULL);
	is_str(fx_show(t), "", "an aggregation that never saw a value");
	t->shown_by_name = true;
	is_str(fx_show(t), "@c: 0\n", "by name it is zero");
	t = fx_scalar("@h", fx_hist(0), NULL);
	t->shown_by_name = true;
	is_str(fx_show(t), "", "a histogram without rows has nothing to show");
	t = fx_scalar("@i", &ty_s64, NULL);
	t->shown_by_name = true;
	is_str(fx_show(t), "@i: 0\n", "a plain map without value is zero");
}

static void keyed(void)
{
	const struct type *key = fx_tuple2(&ty_s32, type_string(&fx, 4));
	struct table *t = fx_table("@x", &ty_s64, &ty_count);

	fx_row_s64(t, 1, 20);
	fx_row_s64(t, -2, 10);
	is_str(fx_show(t), "@x[-2]: 10\n@x[1]: 20\n", "a line for each key, no blank line");
	t->div = 10;
	is_str(fx_show(t), "@x[-2]: 1\n@x[1]: 2\n", "div");
	t->top = 1;
	is_str(fx_show(t), "@x[1]: 2\n", "top");

	t = fx_table("@x", key, &ty_s64);
	fx_row(t, &(struct {
		       s32 n;
		       char s[4] __attribute__((aligned(8)));
	       }){ 1, "abc" },
	       &(s64){ 2 });
	is_str(fx_show(t), "@x[1, abc]: 2\n", "tuple keys without parentheses");

	t = fx_table("@x", fx_tuple2(key, &ty_s64), &ty_s64);
	fx_row(t, &(struct {
		       s32 n;
		       char s[4] __attribute__((aligned(8)));
		       s64 m;
	       }){ 1, "abc", 7 },
	       &(s64){ 2 });
	is_str(fx_show(t), "@x[(1, abc), 7]: 2\n", "inner tuples keep theirs");

	t = fx_table("@x", type_string(&fx, 8), &ty_s64);
	fx_row(t, "(a, b)\0", &(s64){ 2 });
	is_str(fx_show(t), "@x[(a, b)]: 2\n", "a string keeps its parentheses");

	t = fx_table("@x", &ty_s64, key);
	fx_row(t, &(s64){ 5 }, &(struct {
		       s32 n;
		       char s[4] __attribute__((aligned(8)));
	       }){ 1, "abc" });
	is_str(fx_show(t), "@x[5]: (1, abc)\n", "a tuple as a value");

	t = fx_table("@x", &ty_s64, type_agg(&fx, TY_STATS, false));
	fx_row(t, &(s64){ 1 }, &(struct agg_avg){ 2, 1 });
	is_str(fx_show(t), "@x[1]: { .count = 1, .average = 2, .total = 2 }\n", "keyed stats");
}

static void stacks(void)
{
	const struct type *k = type_stack(&fx, TY_KSTACK, STACK_MODE_SONDE, 127);
	struct table *t = fx_table("@", k, &ty_count);

	fx_row(t, &(struct stack_value){ 1, 0, 2 }, &(u64){ 3 });
	is_str(fx_show(t), "@[\n        vfs_read+5\n        do_sys_open+16\n]: 3\n",
	       "a stack as key");

	t = fx_table("@", fx_tuple2(k, &ty_comm), &ty_count);
	fx_row(t, &(struct {
		       struct stack_value s;
		       char c[16];
	       }){ { 1, 0, 2 }, "cat" },
	       &(u64){ 3 });
	is_str(fx_show(t), "@[\n        vfs_read+5\n        do_sys_open+16\n, cat]: 3\n",
	       "a stack in a key");

	is_str(fx_show(fx_scalar("@s", k, &(struct stack_value){ 1, 0, 2 })),
	       "@s: \n        vfs_read+5\n        do_sys_open+16\n\n", "a stack as value");
	is_str(fx_value(k, &(struct stack_value){ 1, 0, 2 }),
	       "\n        vfs_read+5\n        do_sys_open+16\n\n", "print(kstack)");
}

static void histograms(void)
{
	const struct type *h = fx_hist(0), *l = fx_lhist(0, 100, 10);
	struct table *t;

	is_str(fx_show(fx_scalar("@h", h, FX_COUNTS(h, 5))),
	       "@h:\n[4, 8)                 1 |" BAR_52 "|\n\n", "one row");
	is_str(fx_show(fx_scalar("@h", h, FX_COUNTS(h, 2, 3, 16))),
	       "@h:\n"
	       "[2, 4)                 2 |" BAR_52 "|\n"
	       "[4, 8)                 0 |" BAR_0 "|\n"
	       "[8, 16)                0 |" BAR_0 "|\n"
	       "[16, 32)               1 |" BAR_26 "|\n\n",
	       "rows between the first and the last");
	is_str(fx_value(h, FX_COUNTS(h, 5)), "[4, 8)                 1 |" BAR_52 "|\n\n",
	       "a histogram as a value");

	t = fx_table("@h", &ty_s64, h);
	fx_row(t, &(s64){ 7 }, FX_COUNTS(h, 1, 1));
	fx_row(t, &(s64){ 9 }, FX_COUNTS(h, 0));
	is_str(fx_show(t),
	       "@h[9]:\n[0]                    1 |" BAR_52 "|\n\n"
	       "@h[7]:\n[1]                    2 |" BAR_52 "|\n\n",
	       "keyed, by total count, a blank line after each");
	t->div = 2;
	is_str(fx_show(t),
	       "@h[9]:\n[0]                    0 |" BAR_0 "|\n\n"
	       "@h[7]:\n[1]                    1 |" BAR_52 "|\n\n",
	       "div divides counts");

	t = fx_scalar("@l", l, FX_COUNTS(l, 2, 50, 1000));
	t->div = 10;
	is_str(fx_show(t),
	       "@l:\n"
	       "[0, 10)                1 |" BAR_52 "|\n"
	       "[10, 20)               0 |" BAR_0 "|\n"
	       "[20, 30)               0 |" BAR_0 "|\n"
	       "[30, 40)               0 |" BAR_0 "|\n"
	       "[40, 50)               0 |" BAR_0 "|\n"
	       "[50, 60)               1 |" BAR_52 "|\n"
	       "[60, 70)               0 |" BAR_0 "|\n"
	       "[70, 80)               0 |" BAR_0 "|\n"
	       "[80, 90)               0 |" BAR_0 "|\n"
	       "[90, 100)              0 |" BAR_0 "|\n"
	       "[100, ...)             1 |" BAR_52 "|\n\n",
	       "lhist, which div leaves alone");
}

static void percentiles(void)
{
	const struct type *h = fx_hist(0), *s = fx_samples(4);
	struct table *t = fx_table("@h", &ty_s64, h);
	struct {
		u64 n;
		s64 v[4];
	} samples = { 4, { 4, -1, 3, 2 } };

	fx_row(t, &(s64){ 7 }, FX_COUNTS(h, 8, 9, 10, 11));
	t->pct = (const u32[]){ 50000, 99000, 99900, 99950 };
	t->n_pct = 4;
	is_str(fx_show(t), "@h[7]: p50 11, p99 15, p99.9 15, p99.95 15\n", "of a histogram");
	t = fx_scalar("@s", s, &samples);
	is_str(fx_show(t),
	       "@s: { .count = 4, .min = -1, .p50 = 2, .p90 = 4, .p99 = 4, .max = 4 }\n",
	       "samples");
	t->pct = (const u32[]){ 50000 };
	t->n_pct = 1;
	is_str(fx_show(t), "@s: p50 2\n", "of samples");
}

static void values(void)
{
	is_str(fx_value(&ty_s64, &(s64){ 5 }), "5\n", "print(5)");
	is_str(fx_value(&ty_bool, &(u8){ 1 }), "true\n", "print(true)");
	is_str(fx_value(type_array(&fx, &ty_s32, 3), (s32[]){ 1, 2, 3 }), "[1,2,3]\n", "an array");
}

static void texts(void)
{
	static const struct {
		enum sink_text kind;
		const char *name, *want;
	} rows[] = { { TEXT_PRINTF, "printf", "a b" },
		     { TEXT_TIME, "time", "a b" },
		     { TEXT_CAT, "cat", "a b" },
		     { TEXT_JOIN, "join", "a b\n" },
		     { TEXT_SYSTEM, "system", "a b\n" } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fx_sink.output->text(&fx_sink, rows[i].kind, "a b", 3);
		is_str(fx_take(), rows[i].want, "%s", rows[i].name);
	}
	fx_sink.output->end(&fx_sink);
	is_str(fx_take(), "\n\n", "the end of the main loop");
}

static void about_the_run(void)
{
	const struct output *o = fx_sink.output;
	struct loss full = { fx_span, LOSS_RING_FULL, 0, "printf", 0 },
		    map = { fx_span, LOSS_MAP_FULL, 0, "@x", 0 },
		    div = { fx_span, LOSS_DIV_ZERO, 0, NULL, 0 },
		    nowhere = { {}, LOSS_STACKS, 0, NULL, 0 };

	is_str(FX_ERR(o->attached(&fx_sink, 1)), "Attached 1 probe\n", "one probe");
	is_str(FX_ERR(o->attached(&fx_sink, 0)), "Attached 0 probes\n", "no probes");
	is_str(fx_take(), "", "nothing on the output");
	fx_sink.quiet = fx_sink.attached_on_stdout = true;
	is_str(FX_ERR(o->attached(&fx_sink, 2)), "", "quiet");
	is_str(fx_take(), "__BPFTRACE_NOTIFY_PROBES_ATTACHED\n", "the notification");
	fx_sink.quiet = fx_sink.attached_on_stdout = false;

	is_str(FX_ERR(o->lost(&fx_sink, &full, 12)),
	       "stdin:2:2: lost 12 events (ring buffer full)\n", "lost events");
	is_str(FX_ERR(o->lost(&fx_sink, &map, 1)), "stdin:2:2: lost 1 events (map full: @x)\n",
	       "lost updates");
	is_str(FX_ERR(o->lost(&fx_sink, &nowhere, 1)), "lost 1 events (stack table full)\n",
	       "lost nowhere");
	is_str(FX_ERR(o->lost(&fx_sink, &div, 3)),
	       "stdin:2:2: WARNING: division by zero: x / 0 is 0, x % 0 is x (3 times)\n",
	       "a counted warning");
	is_str(FX_ERR(o->message(&fx_sink, LEVEL_ERRORF, fx_span, "bad 1")),
	       "stdin:2:2-8: ERROR: bad 1\n", "errorf");
	is_str(FX_ERR(o->message(&fx_sink, LEVEL_WARNF, fx_span, "hm\n")),
	       "stdin:2:2-8: WARNING: hm\n", "warnf");
	is_str(FX_ERR(o->message(&fx_sink, LEVEL_RUNTIME_ERROR, fx_span, "odd")),
	       "stdin:2:2-8: WARNING: odd\n    printf(1);\n    ~~~~~~\n", "with the source line");
	is_str(FX_ERR(o->message(&fx_sink, LEVEL_RUNTIME_ERROR, (struct span){ 0 }, "odd")),
	       "WARNING: odd\n", "without a place");
	is_str(fx_take(), "", "nothing on the output");
}

static void long_map(void)
{
	struct table *t = fx_table("@x", &ty_s64, &ty_count);

	for (s64 i = 0; i < 5000; i++)
		fx_row_s64(t, i, i);
	fx_sink.buffering = SINK_FULL;
	table_sort(t, &fx_names);
	fx_sink.output->table(&fx_sink, t);
	ok(fx_sink.out.len < 65536, "a long map does not gather in memory");
	fx_sink.buffering = SINK_LINE;
	fx_take();
}

int main(void)
{
	fx_open("text");
	scalars();
	empty_maps();
	keyed();
	stacks();
	histograms();
	percentiles();
	values();
	texts();
	about_the_run();
	long_map();
	fx_close();
	return done();
}
