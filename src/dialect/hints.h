/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What other tracers call things, for the hint after an error. */
#ifndef SONDE_DIALECT_HINTS_H
#define SONDE_DIALECT_HINTS_H

#include "base/arena.h"

/* A word of DTrace or SystemTap: what to write instead. NULL: the word is unknown. */
const char *foreign_word(const char *name);
/* A probe of DTrace or SystemTap, as a probe of this language (in a). NULL: the probe is unknown. */
const char *foreign_probe(struct arena *a, const char *text);

#endif
