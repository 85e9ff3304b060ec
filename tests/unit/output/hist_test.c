/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of buckets of all kinds, widths of bars, and charts of time series. */
#include "output/fixture.h"
#include "output/hist.h"

/* The labels of the rows, with | between. */
static const char *labels(const struct type *t, const void *value)
{
	static struct buf b, out;

	buf_clear(&b);
	buf_clear(&out);
	put_hist(&b, t, value, 1);
	buf_puts(&out, "");
	for (char *line = strtok(b.s, "\n"); line; line = strtok(NULL, "\n")) {
		if (out.len)
			buf_putc(&out, '|');
		buf_add(&out, line, strcspn(line, line[0] == '(' ? ")" : "])") + 1);
	}
	return out.s;
}

static void powers(void)
{
	const struct type *h = fx_hist(0), *k = fx_hist(2);

	is_str(labels(h, FX_COUNTS(h, -1, 0, 1, 2)), "(..., 0)|[0]|[1]|[2, 4)", "small");
	is_str(labels(h, FX_COUNTS(h, 512, 1024)), "[512, 1K)|[1K, 2K)", "1K");
	is_str(labels(h, FX_COUNTS(h, 1 << 19, 1 << 20)), "[512K, 1M)|[1M, 2M)", "1M");
	is_str(labels(h, FX_COUNTS(h, 1ll << 30)), "[1G, 2G)", "1G");
	is_str(labels(h, FX_COUNTS(h, 1ll << 40)), "[1T, 2T)", "1T");
	is_str(labels(h, FX_COUNTS(h, 1ll << 59)), "[512P, 1E)", "1E");
	is_str(labels(h, FX_COUNTS(h, INT64_MAX)), "[4E, 8E)", "the largest");
	is_str(labels(h, FX_COUNTS(h, INT64_MIN)), "(..., 0)", "the smallest");
	is_str(labels(k, FX_COUNTS(k, 0, 7, 8)), "[0]|[1]|[2]|[3]|[4]|[5]|[6]|[7]|[8, 10)",
	       "four to a power: single values first");
	is_str(labels(k, FX_COUNTS(k, 1024, 1300)), "[1024, 1280)|[1280, 1536)",
	       "four to a power: not K yet");
	is_str(labels(k, FX_COUNTS(k, 4096)), "[4K, 5K)", "four to a power: K");
	is_str(labels(k, FX_COUNTS(k, INT64_MAX)), "[7E, 8E)", "four to a power: the largest");
}

static void steps(void)
{
	const struct type *l = fx_lhist(0, 10, 2), *one = fx_lhist(0, 3, 1),
			  *k = fx_lhist(0, 5 * 1024, 1024),
			  *m = fx_lhist(1 << 20, 3 << 20, 1 << 20),
			  *odd = fx_lhist(610000, 670000, 10000), *rest = fx_lhist(5, 12, 3);

	is_str(labels(l, FX_COUNTS(l, -1, 10)),
	       "(..., 0)|[0, 2)|[2, 4)|[4, 6)|[6, 8)|[8, 10)|[10, ...)", "steps of two");
	is_str(labels(one, FX_COUNTS(one, 0, 3)), "[0]|[1]|[2]|[3, ...)", "steps of one");
	is_str(labels(k, FX_COUNTS(k, 0, 5000)), "[0, 1K)|[1K, 2K)|[2K, 3K)|[3K, 4K)|[4K, 5K)",
	       "steps of 1024");
	is_str(labels(m, FX_COUNTS(m, 0, 1 << 30)), "(..., 1M)|[1M, 2M)|[2M, 3M)|[3M, ...)", "M");
	is_str(labels(odd, FX_COUNTS(odd, 630000, 649999)), "[630000, 640000)|[640000, 650000)",
	       "no suffix when the step is no multiple of 1024");
	is_str(labels(rest, FX_COUNTS(rest, 5, 12)), "[5, 8)|[8, 11)|[11]|[12, ...)",
	       "a last step that does not fit");
}

static void magnitudes(void)
{
	const struct type *t = fx_llhist(10, 1, 2, 10);

	is_str(labels(t, FX_COUNTS(t, 5, 15, 25)), "(..., 10)|[10, 20)|[20, 30)", "tens");
	is_str(labels(t, FX_COUNTS(t, 95, 105)), "[90, 100)|[100, 200)", "from tens to hundreds");
	is_str(labels(t, FX_COUNTS(t, 999, 1000)), "[900, 1000)|[1000, ...)", "the end");
}

static void bars(void)
{
	const struct type *h = fx_hist(0);
	u64 *v = arena_alloc(&fx, agg_size(h));
	struct buf b = { 0 };

	v[1] = 37;
	v[2] = 1;
	v[3] = UINT64_MAX;
	put_hist(&b, h, v, 1);
	is_str(b.s,
	       "[0]                   37 |                                                    |\n"
	       "[1]                    1 |                                                    |\n"
	       "[2, 4)          18446744073709551615 |"
	       "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
	       "large counts");
	buf_clear(&b);
	v[3] = 0;
	put_hist(&b, h, v, 1);
	is_str(b.s,
	       "[0]                   37 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	       "[1]                    1 |@                                                   |\n",
	       "a bar is cut, not rounded");
	buf_release(&b);
}

#define SERIES(t, ...)                                                                             \
	fx_points((t), (const s64[][2]){ __VA_ARGS__ }, sizeof((s64[][2]){ __VA_ARGS__ }) / 16)

static void charts(void)
{
	const struct type *t = fx_series(100000000, 5, TY_VOID),
			  *avg = fx_series(1000000000, 4, TY_AVG);
	struct agg_tseries_bucket *v;
	struct table *table;

	is_str(fx_show(fx_scalar("@", t, SERIES(t, { 1, -5 }, { 2, 0 }, { 3, 5 }))),
	       "@:\n"
	       "             -5                                                  5\n"
	       "hh:mm:ss.ms  |___________________________________________________|\n"
	       "00:00:00.100 *                         .                         | -5\n"
	       "00:00:00.200 |                         *                         | 0\n"
	       "00:00:00.300 |                         .                         * 5\n"
	       "             v___________________________________________________v\n"
	       "             -5                                                  5\n\n",
	       "a line through zero");

	table = fx_table("@a", &ty_s64, t);
	fx_row(table, &(s64){ 1 }, SERIES(t, { 1, 7 }, { 3, 7 }));
	fx_row(table, &(s64){ 2 }, SERIES(t, { 4, 3 }));
	is_str(fx_show(table),
	       "@a[1]:\n"
	       "             6                                                   8\n"
	       "hh:mm:ss.ms  |___________________________________________________|\n"
	       "00:00:00.100 |                         *                         | 7\n"
	       "00:00:00.200 |                                                   | -\n"
	       "00:00:00.300 |                         *                         | 7\n"
	       "00:00:00.400 |                                                   | -\n"
	       "             v___________________________________________________v\n"
	       "             6                                                   8\n\n"
	       "@a[2]:\n"
	       "             2                                                   4\n"
	       "hh:mm:ss.ms  |___________________________________________________|\n"
	       "00:00:00.400 |                         *                         | 3\n"
	       "             v___________________________________________________v\n"
	       "             2                                                   4\n\n",
	       "keys share the newest interval; gaps");

	v = SERIES(avg, { 60, 10 }, { 61, 30 });
	v[61 % 4].meta = 2;
	is_str(fx_show(fx_scalar("@", avg, v)),
	       "@:\n"
	       "         10                                                 15\n"
	       "hh:mm:ss |___________________________________________________|\n"
	       "00:01:00 *                                                   | 10\n"
	       "00:01:01 |                                                   * 15\n"
	       "         v___________________________________________________v\n"
	       "         10                                                 15\n\n",
	       "averages, whole seconds");
	table = fx_scalar("@", t, SERIES(t, { 20, 1 }, { 13, 2 }));
	ok(strstr(fx_show(table), "00:00:02.000") && !strstr(fx_show(table), "00:00:01.300"),
	   "intervals older than the window are gone");
	is_str(fx_show(fx_scalar("@", t, SERIES(t, { 0, 0 }))) + 3 + 67 + 67,
	       "00:00:00.000 |                         *                         | 0\n"
	       "             v___________________________________________________v\n"
	       "             -1                                                  1\n\n",
	       "a single zero");
	is_str(fx_show(fx_scalar("@", t, arena_alloc(&fx, agg_size(t)))), "@:\n<no data>\n",
	       "no data");
}

int main(void)
{
	fx_open("text");
	powers();
	steps();
	magnitudes();
	bars();
	charts();
	fx_close();
	return done();
}
