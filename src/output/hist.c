/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms. In: merged buckets of hist, lhist or llhist. Out: the rows between the first and the
 * last bucket that are not empty, with their bounds; and the chart:
 *
 *	[256, 512)            12 |@@@@@@@@@@@@                                        |
 *	^ 16 wide      ^ 8 wide   ^ 52 wide: count * 52 / largest count, cut
 */
#include "output/hist.h"
#include "type/agg.h"

enum { LABEL_WIDTH = 16, COUNT_WIDTH = 8, BAR_WIDTH = 52 };

static u64 bucket(const void *value, u32 i)
{
	u64 n;

	memcpy(&n, (const char *)value + i * sizeof n, sizeof n);
	return n;
}

struct hist_view hist_view(const struct type *t, const void *value, s64 div)
{
	struct hist_view v = { .type = t, .value = value, .div = 1 };
	u32 n = agg_buckets(t);

	if (div != 0 && t->kind != TY_LHIST)
		v.div = div;
	while (v.first < n && !bucket(value, v.first))
		v.first++;
	while (n > v.first && !bucket(value, n - 1))
		n--;
	v.n = n - v.first;
	return v;
}

u64 hist_count(const struct hist_view *v, u32 i)
{
	return bucket(v->value, v->first + i) / (u64)v->div;
}

void hist_row(const struct hist_view *v, u32 i, s64 *lo, bool *has_lo, s64 *hi, bool *has_hi)
{
	u32 at = v->first + i;

	table_bounds(v->type, at, lo, hi);
	*has_lo = at > 0;
	*has_hi = v->type->kind == TY_HIST || at + 1 < agg_buckets(v->type);
}

/* ---- labels */

/*
 * An edge between buckets of hist. The suffix depends on the size of the bucket that begins there,
 * so that [1K, 2K) is short and the finer [1152, 1280) stays exact.
 */
static void put_power(struct buf *b, u64 edge, u32 k)
{
	u32 p = edge ? 63 - (u32)__builtin_clzll(edge) : 0, decade = p > k ? (p - k) / 10 : 0;

	buf_u64(b, edge >> 10 * decade);
	if (decade)
		buf_putc(b, " KMGTPE"[decade]);
}

/* Multiples of 1024 are abbreviated only when all edges are such. */
static void put_step(struct buf *b, s64 edge, s64 step)
{
	enum { KILO = 1024, MEGA = 1024 * 1024 };

	if (step % KILO || !edge || edge % KILO) {
		buf_s64(b, edge);
	} else if (edge % MEGA) {
		buf_s64(b, edge / KILO);
		buf_putc(b, 'K');
	} else {
		buf_s64(b, edge / MEGA);
		buf_putc(b, 'M');
	}
}

static void put_edge(struct buf *b, const struct type *t, u64 edge)
{
	if (t->kind == TY_HIST)
		put_power(b, edge, t->hist.bits);
	else if (t->kind == TY_LHIST)
		put_step(b, (s64)edge, t->lhist.step);
	else
		buf_u64(b, edge);
}

static void put_label(struct buf *b, const struct hist_view *v, u32 i)
{
	bool has_lo, has_hi;
	s64 lo, hi;

	hist_row(v, i, &lo, &has_lo, &hi, &has_hi);
	if (!has_lo) {
		buf_puts(b, "(..., ");
		put_edge(b, v->type, (u64)hi + 1);
		buf_putc(b, ')');
		return;
	}
	buf_putc(b, '[');
	put_edge(b, v->type, (u64)lo);
	if (!has_hi) {
		buf_puts(b, ", ...)");
	} else if (lo == hi) {
		buf_putc(b, ']');
	} else {
		buf_puts(b, ", ");
		put_edge(b, v->type, (u64)hi + 1);
		buf_putc(b, ')');
	}
}

/* ---- frame */

static size_t bar_width(u64 count, u64 most)
{
	return most ? (size_t)((unsigned __int128)count * BAR_WIDTH / most) : 0;
}

static void pad_to(struct buf *b, size_t start, size_t width)
{
	size_t len = b->len - start;

	if (len < width)
		buf_pad(b, ' ', width - len);
}

static void put_right(struct buf *b, u64 v, size_t width)
{
	size_t digits = 1;

	for (u64 rest = v; rest >= 10; rest /= 10)
		digits++;
	if (digits < width)
		buf_pad(b, ' ', width - digits);
	buf_u64(b, v);
}

void put_hist(struct buf *b, const struct type *t, const void *value, s64 div)
{
	struct hist_view v = hist_view(t, value, div);
	u64 most = 0;

	for (u32 i = 0; i < v.n; i++)
		most = MAX(most, hist_count(&v, i));
	for (u32 i = 0; i < v.n; i++) {
		u64 count = hist_count(&v, i);
		size_t start = b->len, bar = bar_width(count, most);

		put_label(b, &v, i);
		pad_to(b, start, LABEL_WIDTH);
		put_right(b, count, COUNT_WIDTH);
		buf_puts(b, " |");
		buf_pad(b, '@', bar);
		buf_pad(b, ' ', BAR_WIDTH - bar);
		buf_puts(b, "|\n");
	}
}

void put_pct_name(struct buf *b, u32 pct)
{
	u32 frac = pct % 1000, digits = 3;

	buf_putc(b, 'p');
	buf_u64(b, pct / 1000);
	if (!frac)
		return;
	for (; frac % 10 == 0; frac /= 10)
		digits--;
	buf_printf(b, ".%0*u", (int)digits, frac);
}
