/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel can do, as plain data. The compiler asks feature_has(); the engine answers by trying
 * (never by version alone), lazily, and caches the answer per boot. Rows are in type/features.def.
 *
 * Who may not try does not know: such a feature is taken for granted, so that the kernel's refusal of the real
 * thing is what the user is told, and not that the kernel lacks something.
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

enum feature_answer {
	FEATURE_NO = -1,
	FEATURE_UNASKED,
	FEATURE_YES,
	FEATURE_DENIED, /* the right to try it is missing, or what it needs is switched off */
};

struct features {
	s8 known[N_FEATURES];                                              /* enum feature_answer */
	enum feature_answer (*probe)(struct features *f, enum feature id); /* engine's; NULL: no */
	void *ctx;
};

static inline enum feature_answer feature_answer(struct features *f, enum feature id)
{
	if (f->known[id] == FEATURE_UNASKED)
		f->known[id] = f->probe ? (s8)f->probe(f, id) : FEATURE_NO;
	return (enum feature_answer)f->known[id];
}

static inline bool feature_has(struct features *f, enum feature id)
{
	return feature_answer(f, id) > 0;
}

#endif
