/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies what is left of a recording that was overwritten (store/overwrite.h). */
#ifndef SONDE_STORE_COMPACT_H
#define SONDE_STORE_COMPACT_H

#include "base/err.h"

/* Makes the file `to`, which only its owner can read. 0, or -errno with err set. */
int store_compact(const char *from, const char *to, struct err *err);

#endif
