/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel can do, as plain data. The compiler asks feature_has(); the engine answers by trying
 * (never by version alone), lazily, and caches the answer per boot. Rows are in type/features.def.
 */
#ifndef SONDE_TYPE_FEATURES_H
#define SONDE_TYPE_FEATURES_H

#include "base/base.h"

enum feature {
#define F(name, text, since, without) FEAT_##name,
#include "type/features.def"
#undef F
	N_FEATURES
};

struct feature_row {
	const char *name, *text, *since, *without;
};
extern const struct feature_row feature_rows[N_FEATURES];

struct features {
	s8 known[N_FEATURES]; /* 0 not asked yet, 1 yes, -1 no */
	bool (*probe)(struct features *f, enum feature id); /* engine's; NULL: unknown means no */
	void *ctx;
};

static inline bool feature_has(struct features *f, enum feature id)
{
	if (!f->known[id])
		f->known[id] = f->probe && f->probe(f, id) ? 1 : -1;
	return f->known[id] > 0;
}

#endif
