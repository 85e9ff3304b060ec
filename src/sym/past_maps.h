/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Former mappings of code: replaced by exec() or by the mapping of another file. They give names to
 * addresses of older hits.
 */
#ifndef SONDE_SYM_PAST_MAPS_H
#define SONDE_SYM_PAST_MAPS_H

#include "sym/procmaps.h"

struct past_mapping {
	struct mapping m;
	u64 until; /* CLOCK_MONOTONIC ns */
	/* when a read of the maps had it last, if `until` is the next read; 0: it is exact */
	u64 seen;
};

/* Zeroed before first use. */
struct past_maps {
	struct arena arena;
	VEC(struct past_mapping)
	list; /* in the order in which they ended; the oldest are dropped */
};

/* The mapping ended. The path is copied. */
void past_maps_add(struct past_maps *p, const struct mapping *m, u64 until);
/* A read of the maps at `until` lacks it; one at `seen` had it. */
void past_maps_add_missed(struct past_maps *p, const struct mapping *m, u64 seen, u64 until);
/* A new mapping replaces some of `maps`. */
void past_maps_add_replaced(struct past_maps *p, const struct procmaps *maps,
			    const struct mapping *by, u64 time);
/*
 * Missed mappings ended at `time`: those that were seen before and missed after it. by: only those
 * that this mapping replaced; NULL: all.
 */
void past_maps_ended(struct past_maps *p, const struct mapping *by, u64 time);
/* What was mapped there at that time if it has ended since; NULL: nothing known. */
const struct mapping *past_maps_at(const struct past_maps *p, u64 address, u64 time);
/* What was mapped there last. */
const struct mapping *past_maps_last(const struct past_maps *p, u64 address);
void past_maps_release(struct past_maps *p);

#endif
