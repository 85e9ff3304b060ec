/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of a map, read and merged across CPUs: what print(@x) and the end of a run show.
 * Engines fill it; table_sort() orders it as language.md 5.3 says; outputs render it.
 */
#ifndef SONDE_TRACE_TABLE_H
#define SONDE_TRACE_TABLE_H

#include "trace/names.h"
#include "type/thread_slot.h"

struct table_row {
	const void *key; /* map->key_size bytes; NULL for a keyless map */
	void *value;     /* of map->value type; aggregations merged to one copy */
};

enum table_order { TABLE_BY_KIND /* see table_sort */, TABLE_BY_KEY, TABLE_BY_VALUE };

struct table {
	const struct map_desc *map;
	VEC(struct table_row) rows;
	u32 top;                /* print the largest N only; 0: all */
	u32 div;                /* divide values (not lhist); 0, 1: no */
	bool shown_by_name;     /* print(@x): an empty keyless aggregation prints as zero */
	enum table_order order; /* print(@x, sort="key"|"value") */
	bool descending;        /* order="desc": the largest first */
	const u32 *pct;         /* pct=(50, 99.9): in thousandths of a percent: 50000, 99900 */
	u32 n_pct;
};

/* The values in thread slots, as further rows. */
void table_add_threads(struct table *t, struct arena *a, const struct thread_slot *slots);
/*
 * Ascending by value for integers, count, sum, min, max, avg, stats; hist, lhist, llhist by total
 * count; all else by key (first field most significant, strings bytewise, integers signed).
 * Keys whose stacks look the same become one. Equal values go by key. Then drops all but the last `top`, and turns the rest around for
 * `descending`. Whoever fills a table calls this once; outputs print rows as they come.
 */
void table_sort(struct table *t, const struct names *names);
/* The number that print shows for a scalar-like value (int, count, sum, min, max; avg: average);
 * the total count of a histogram. */
s64 table_number(const struct type *t, const void *value);
/* Below 0, 0, above 0: the order of two keys of type t. */
int table_key_compare(const struct names *names, const struct type *t, const void *a,
		      const void *b);
/*
 * A percentile of hist, lhist, llhist (interpolated inside its bucket) or samples; pct in
 * thousandths of a percent. False when the value is empty or of another type.
 */
bool table_percentile(const struct type *t, const void *value, u32 pct, s64 *out);
/* Inclusive bounds of bucket i of hist, lhist, llhist; open sides are INT64_MIN and INT64_MAX. */
void table_bounds(const struct type *t, u32 i, s64 *lo, s64 *hi);
/* Reads an integer of size and sign from memory. */
s64 value_int(const struct type *t, const void *p);

#endif
