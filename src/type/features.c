/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feature table: the rows of type/features.def as data for help, errors and the kernel engine.
 */
#include "type/features.h"

const struct feature_row feature_rows[N_FEATURES] = {
#define F(name, text, since, without) [FEAT_##name] = { #name, text, since, without },
#include "type/features.def"
#undef F
};
