/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints for words and probes of other tracers. */
#ifndef SONDE_DIALECT_HINTS_H
#define SONDE_DIALECT_HINTS_H

#include "base/arena.h"

/* The substitute for a word of DTrace or SystemTap. NULL: the word is unknown. */
const char *foreign_word(const char *name);
/* The equivalent of a DTrace or SystemTap probe, allocated in a. NULL: the probe is unknown. */
const char *foreign_probe(struct arena *a, const char *text);

#endif
