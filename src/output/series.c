/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time series. In: the ring of intervals of a tseries, merged. Out: the intervals from the first of
 * this key to the newest of the whole map, and the chart that terminals show:
 *
 *	             -5                                                  5
 *	hh:mm:ss.ms  |___________________________________________________|
 *	12:00:00.100 *                         .                         | -5
 *	12:00:00.200 |                         .                         | -
 *	             v___________________________________________________v
 *	             -5                                                  5
 */
#include "output/hist.h"
#include "trace/value.h"
#include "type/agg.h"

enum { CHART_WIDTH = 53, MIN_WIDTH = 21 };

static struct agg_tseries_bucket slot(const void *value, u32 i)
{
	struct agg_tseries_bucket s;

	memcpy(&s, (const char *)value + i * sizeof s, sizeof s);
	return s;
}

static bool newest_of(const struct type *t, const void *value, u64 *epoch)
{
	bool any = false;

	for (u32 i = 0; i < t->tseries.count; i++) {
		struct agg_tseries_bucket s = slot(value, i);

		if (s.meta && (!any || s.epoch > *epoch)) {
			*epoch = s.epoch;
			any = true;
		}
	}
	return any;
}

bool series_newest(const struct table *t, u64 *epoch)
{
	bool any = false;

	for (u32 i = 0; i < t->rows.n; i++) {
		u64 e = 0;

		if (newest_of(t->map->value, t->rows.v[i].value, &e) && (!any || e > *epoch)) {
			*epoch = e;
			any = true;
		}
	}
	return any;
}

struct series series_view(const struct type *t, const void *value, u64 newest)
{
	struct series s = { .type = t, .value = value, .first = newest, .last = newest };
	u64 oldest = newest >= t->tseries.count ? newest - t->tseries.count + 1 : 0;
	bool any = false;

	for (u32 i = 0; i < t->tseries.count; i++) {
		struct agg_tseries_bucket b = slot(value, i);

		if (b.meta && b.epoch >= oldest && b.epoch <= newest) {
			s.first = MIN(s.first, b.epoch);
			any = true;
		}
	}
	s.n = any ? s.last - s.first + 1 : 0;
	return s;
}

static s64 average(const struct type *t, const struct agg_tseries_bucket *b)
{
	if (!t->is_signed)
		return (s64)((u64)b->value / b->meta);
	return b->meta > INT64_MAX ? 0 : b->value / (s64)b->meta;
}

bool series_at(const struct series *s, u64 epoch, s64 *value)
{
	struct agg_tseries_bucket b = slot(s->value, (u32)(epoch % s->type->tseries.count));
	u32 i = 0;

	/* Programs put an epoch at its remainder; a merged copy may hold it anywhere. */
	while ((!b.meta || b.epoch != epoch) && i < s->type->tseries.count)
		b = slot(s->value, i++);
	if (!b.meta || b.epoch != epoch)
		return false;
	*value = b.value;
	if (s->type->tseries.agg == TY_AVG)
		*value = average(s->type, &b);
	return true;
}

struct series series_alone(const struct type *t, const void *value)
{
	u64 newest = 0;

	newest_of(t, value, &newest);
	return series_view(t, value, newest);
}

u64 series_wall_ns(const struct names *names, const struct series *s, u64 epoch)
{
	struct timestamp_value ts = { .ns = epoch * s->type->tseries.interval_ns, .mode = TS_BOOT };

	return names && names->wall_ns ? names->wall_ns(names->ctx, &ts) : ts.ns;
}

/* ---- chart */

struct unit { /* fraction digits of the second, as many as the interval needs */
	const char *head, *time;
	u32 len;
};

static struct unit unit_of(u64 interval_ns)
{
	if (interval_ns % 1000)
		return (struct unit){ "hh:mm:ss.ns", "%H:%M:%S.%k", 18 };
	if (interval_ns % 1000000)
		return (struct unit){ "hh:mm:ss.us", "%H:%M:%S.%f", 15 };
	if (interval_ns % 1000000000)
		return (struct unit){ "hh:mm:ss.ms", "%H:%M:%S.%l", 12 };
	return (struct unit){ "hh:mm:ss", "%H:%M:%S", 8 };
}

struct range {
	bool is_signed;
	s64 min, max;
};

static bool less(const struct range *r, s64 a, s64 b)
{
	return r->is_signed ? a < b : (u64)a < (u64)b;
}

/* One more on each side of a single value, as far as the type goes. */
static void widen(struct range *r)
{
	if (r->min != (r->is_signed ? INT64_MIN : 0))
		r->min--;
	if (r->max != (r->is_signed ? INT64_MAX : -1))
		r->max++;
}

static struct range range_of(const struct series *s)
{
	struct range r = { .is_signed = s->type->is_signed };
	bool any = false;
	s64 v;

	for (u64 e = s->first; e - s->first < s->n; e++) {
		if (!series_at(s, e, &v))
			continue;
		if (!any || less(&r, v, r.min))
			r.min = v;
		if (!any || less(&r, r.max, v))
			r.max = v;
		any = true;
	}
	if (r.min == r.max)
		widen(&r);
	return r;
}

/* width * (v - min) / (max - min), cut. */
static u32 position(const struct range *r, u32 width, s64 v)
{
	u64 span = (u64)r->max - (u64)r->min, at = (u64)v - (u64)r->min;

	return span ? (u32)((unsigned __int128)width * at / span) : 0;
}

static void put_number(struct buf *b, bool is_signed, s64 v)
{
	if (is_signed)
		buf_s64(b, v);
	else
		buf_u64(b, (u64)v);
}

static void put_limits(struct buf *b, const struct unit *u, const struct range *r)
{
	struct buf max = { 0 };
	size_t start;

	buf_pad(b, ' ', u->len + 1);
	start = b->len;
	put_number(b, r->is_signed, r->min);
	if (b->len - start < MIN_WIDTH)
		buf_pad(b, ' ', MIN_WIDTH - (b->len - start));
	put_number(&max, r->is_signed, r->max);
	buf_pad(b, ' ', CHART_WIDTH - MIN_WIDTH - max.len);
	buf_add(b, max.s, max.len);
	buf_putc(b, '\n');
	buf_release(&max);
}

static void put_edge_line(struct buf *b, const struct unit *u, const char *head, char end)
{
	size_t len = strlen(head);

	buf_puts(b, head);
	buf_pad(b, ' ', u->len + 1 - len);
	buf_putc(b, end);
	buf_pad(b, '_', CHART_WIDTH - 2);
	buf_putc(b, end);
	buf_putc(b, '\n');
}

static void put_epoch(struct buf *b, const struct series *s, const struct range *r, u64 epoch)
{
	char line[CHART_WIDTH];
	bool spans_zero = r->is_signed && r->min < 0 && r->max > 0;
	s64 v = 0;
	bool any = series_at(s, epoch, &v);

	memset(line, ' ', sizeof line);
	line[0] = line[CHART_WIDTH - 1] = '|';
	if (spans_zero && position(r, CHART_WIDTH, 0))
		line[MIN(position(r, CHART_WIDTH, 0), (u32)CHART_WIDTH - 1)] = '.';
	if (any)
		line[position(r, CHART_WIDTH - 1, v)] = '*';
	buf_putc(b, ' ');
	buf_add(b, line, sizeof line);
	buf_putc(b, ' ');
	if (any)
		put_number(b, r->is_signed, v);
	else
		buf_putc(b, '-');
	buf_putc(b, '\n');
}

void put_series(struct buf *b, const struct names *names, const struct series *s)
{
	struct unit u = unit_of(s->type->tseries.interval_ns);

	if (!s->n) {
		buf_puts(b, "<no data>");
		return;
	}

	struct range r = range_of(s);

	put_limits(b, &u, &r);
	put_edge_line(b, &u, u.head, '|');
	for (u64 e = s->first; e - s->first < s->n; e++) {
		time_text(b, u.time, series_wall_ns(names, s, e));
		put_epoch(b, s, &r, e);
	}
	put_edge_line(b, &u, "", 'v');
	put_limits(b, &u, &r);
}
