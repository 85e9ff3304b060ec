/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel features. The compiler calls feature_has(); the engine determines the answer by trying the
 * feature (never by version alone), lazily, and caches it per boot. The rows are in
 * type/features.def.
 *
 * Without the right to try a feature it is assumed present, so that the user sees the kernel's
 * refusal of the real operation and not a missing feature.
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
	FEATURE_DENIED, /* no right to try it, or a prerequisite is disabled */
};

struct features {
	s8 known[N_FEATURES]; /* enum feature_answer */
	/* set by the engine; NULL: no feature */
	enum feature_answer (*probe)(struct features *f, enum feature id);
	/*
	 * Whether a program of a type (BPF_PROG_TYPE_*), attached as attach_type to the kernel's
	 * BTF type attach_id, may call the kernel function with that BTF id. NULL: none may.
	 */
	bool (*may_call)(struct features *f, u32 func_id, u32 prog_type, u32 attach_type,
			 u32 attach_id);
	void *ctx;
	const char *engine; /* that lacks what the kernel may have; NULL: they are the kernel's */
	bool pretended;     /* some of known are set by the user (--no-feature) */
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
