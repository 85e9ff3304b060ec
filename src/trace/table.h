/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of a map, merged across CPUs and engines. The session fills a table; table_sort()
 * orders it; outputs print it. */
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
	u32 top;                /* print only the N largest; 0: all */
	s64 div;                /* divide values (not lhist); 0, 1: no */
	bool shown_by_name;     /* print(@x): an empty keyless aggregation prints as zero */
	enum table_order order; /* print(@x, sort="key"|"value") */
	bool descending;        /* order="desc": the largest first */
	const u32 *pct;         /* pct=(50, 99.9): in thousandths of a percent: 50000, 99900 */
	u32 n_pct;
};

/* Appends the values in thread slots as rows. */
void table_add_threads(struct table *t, struct arena *a, const struct thread_slot *slots);
/*
 * Sorts the rows in ascending order: by value for integers, count, sum, min, max, avg, stats; by
 * total count for hist, lhist, llhist; all others by key (first field most significant, strings
 * bytewise, integers signed). Equal values are sorted by key. Keys whose stacks print the same are
 * merged. Then drops all but the last `top` rows, and reverses the order for `descending`. Call it
 * once after filling the table; outputs print the rows in order.
 */
void table_sort(struct table *t, const struct names *names);
/* The number that print shows for a scalar-like value (int, count, sum, min, max; avg: average);
 * the total count of a histogram. */
s64 table_number(const struct type *t, const void *value);
/* Compares two keys of type t: < 0, 0 or > 0. */
int table_key_compare(const struct names *names, const struct type *t, const void *a,
		      const void *b);
/*
 * A percentile of hist, lhist, llhist (interpolated inside its bucket) or samples; pct in
 * thousandths of a percent. False: the value is empty or of another type.
 */
bool table_percentile(const struct type *t, const void *value, u32 pct, s64 *out);
/* Inclusive bounds of bucket i of hist, lhist, llhist; open sides are INT64_MIN and INT64_MAX. */
void table_bounds(const struct type *t, u32 i, s64 *lo, s64 *hi);
/* Reads an integer of size and sign from memory. */
s64 value_int(const struct type *t, const void *p);
/* Member i of a tuple, likewise; 0: it has fewer. */
s64 tuple_int(const struct type *t, const void *p, u32 i);

#endif
