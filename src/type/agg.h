/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory layout of aggregations and rendered values, shared by the compiler, the engines and the
 * outputs.
 *
 * Keyed aggregations are values of a per-CPU hash; keyless ones are slots in an array map, one slot
 * for each CPU (cpu & mask). In both, a reader merges the copies with agg_merge().
 */
#ifndef SONDE_TYPE_AGG_H
#define SONDE_TYPE_AGG_H

#include "type/type.h"

/* count: u64. */
struct agg_sum { /* keyless slots record whether sum(0) ran; keyed ones have the same layout */
	s64 sum;
	u64 is_set; /* nonzero; merged copies are summed */
};
struct agg_minmax {
	s64 value; /* or u64, by the type's sign */
	u64 is_set;
};
struct agg_avg { /* avg and stats */
	s64 total;
	u64 count;
};
/* hist: u64 bucket[agg_buckets(t)]; index from hist_bucket(). lhist: likewise. */
struct agg_tseries_bucket {
	s64 value;
	u64 meta;  /* count for avg, is_set for min and max, time for last */
	u64 epoch; /* timestamp / interval */
};

/*
 * samples: a reservoir. n counts all values seen; the first MIN(n, type->count) entries are valid.
 */
struct agg_samples {
	u64 n;
	s64 value[];
};

/*
 * Bits of the address where a ksym_t or usym_t was made of func, beside the number of its site: no
 * address is like this.
 */
#define SYM_OF_SITE (1ull << 62)
struct usym_value {
	u64 addr;
	u32 pid;
	u32 pad;
};
struct timestamp_value {
	u64 ns;
	u32 mode;   /* enum timestamp_mode */
	u32 format; /* index into program.strings */
};
enum timestamp_mode { TS_BOOT, TS_MONOTONIC, TS_TAI, TS_REAL };

/*
 * A stack as a value (map key, map value, record field): frames are stored once, in the stacks map,
 * under their hash, which is odd. hash 0 is the empty stack. Another even one is the id of a user
 * stack that is unwound afterwards (struct unwind_raw); its n is the limit.
 */
struct stack_value {
	u64 hash;
	/*
	 * User stacks: the process. Kernel stacks: enum stack_from, and from bit STACK_CUT_SHIFT
	 * the number of the n entries that are no frames, if the script uses the length.
	 */
	u32 pid;
	u32 n; /* frames */
};
static inline bool stack_is_raw(const struct stack_value *v)
{
	return v->hash && !(v->hash & 1);
}
/*
 * With trampolines the traced function may or may not be on its own stack, depending on how the
 * kernel attached them: the function's address (0: unknown) precedes the frames, and the reader
 * normalizes the stack. If the context has registers the stack begins at them, without tracer
 * frames.
 */
enum stack_from { STACK_FROM_CONTEXT, STACK_FROM_ENTRY, STACK_FROM_EXIT, STACK_FROM_REGS };
enum { STACK_CUT_SHIFT = 8 };
/* Value in the stacks map: u64 ip[], n from the reference; of user stacks the last word is the time
 * of the first hit (CLOCK_MONOTONIC). */
enum { STACK_DEFAULT_FRAMES = 127, STACK_MAX_FRAMES = 1024, STACK_SPARE_FRAMES = 8 };

/* Size in bytes of one copy of an aggregation. */
u32 agg_size(const struct type *t);
/* An update only adds, so processors may share a copy by atomic adds. */
bool agg_only_adds(const struct type *t);
/* Number of buckets of hist, lhist, llhist. */
u32 agg_buckets(const struct type *t);
/* Merges src into dst, both of agg_size(t) bytes. */
void agg_merge(const struct type *t, void *dst, const void *src);
/* A copy has been updated at least once (keyless slots start zeroed). */
bool agg_is_set(const struct type *t, const void *copy);

/*
 * hist: bucket of a value. k = log2 of sub-buckets. Index 0: negative; for k = 0: 1 is [0], 2 is
 * [1], 3 is [2,4), ... For k > 0: each value below 2^k has its own bucket, then each power of two
 * has 2^k.
 */
u32 hist_bucket(s64 value, u32 k);
/* Inclusive bounds of a bucket; bucket 0 is (.., -1]. */
void hist_bounds(u32 index, u32 k, s64 *lo, s64 *hi);
/* lhist: 0 is below min, then the steps from 1, the last is max and above. */
u32 lhist_bucket(s64 value, s64 min, s64 max, s64 step);
/* Inclusive bounds; a last step that does not fit ends at max - 1. */
void lhist_bounds(u32 index, s64 min, s64 max, s64 step, s64 *lo, s64 *hi);
/*
 * llhist: 0 below base^low; for each magnitude m in low..high, [base^m, base^(m+1)) in buckets of
 * base^(m+1) / min(steps, base^(m+1)); last: base^(high+1) and above.
 */
u32 llhist_bucket(const struct llhist_shape *s, s64 value);
void llhist_bounds(const struct llhist_shape *s, u32 index, s64 *lo, s64 *hi);

#endif
