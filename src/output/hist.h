/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms and time series for outputs: the rows that are shown, and charts as text. */
#ifndef SONDE_OUTPUT_HIST_H
#define SONDE_OUTPUT_HIST_H

#include "trace/sink.h"

/* hist, lhist, llhist: the buckets from the first to the last that are not empty. */
struct hist_view {
	const struct type *type;
	const void *value;
	u32 first, n; /* n 0: nothing to show */
	s64 div;      /* of counts; 1 for lhist */
};

struct hist_view hist_view(const struct type *t, const void *value, s64 div);
/* Count of bucket i (i counts from 0 = first), divided. */
u64 hist_count(const struct hist_view *v, u32 i);
/* Inclusive bounds; false in *has_lo, *has_hi for an open side. */
void hist_row(const struct hist_view *v, u32 i, s64 *lo, bool *has_lo, s64 *hi, bool *has_hi);
/* One line for each row. */
void put_hist(struct buf *b, const struct type *t, const void *value, s64 div);

/* "p99.9" of 99900: the name of a percentile. */
void put_pct_name(struct buf *b, u32 pct);

/* tseries: the intervals that are shown, by number (epoch = time / interval). */
struct series {
	const struct type *type;
	const void *value;
	u64 first, last; /* epochs, both shown */
	u64 n;           /* 0: no data */
};

/* The newest epoch of all rows; false: there is no data. All keys of a map share one time axis. */
bool series_newest(const struct table *t, u64 *epoch);
struct series series_view(const struct type *t, const void *value, u64 newest);
/* A series that is shown by itself. */
struct series series_alone(const struct type *t, const void *value);
/* The value of an epoch; false: nothing was measured then. */
bool series_at(const struct series *s, u64 epoch, s64 *value);
u64 series_wall_ns(const struct names *names, const struct series *s, u64 epoch);
void put_series(struct buf *b, const struct names *names, const struct series *s);

static inline bool type_is_hist(const struct type *t)
{
	return t->kind == TY_HIST || t->kind == TY_LHIST || t->kind == TY_LLHIST;
}

/* A map without keys that holds one value, which is 0 where it was never set; an empty histogram or
 * series has nothing to show. */
static inline bool table_has_zero(const struct table *t)
{
	const struct type *type = t->map->value;

	if (t->rows.n || t->map->key || !type)
		return false;
	return t->map->zeroed || (t->shown_by_name && !type_is_hist(type) &&
				  type->kind != TY_TSERIES && type->kind != TY_SAMPLES);
}

#endif
