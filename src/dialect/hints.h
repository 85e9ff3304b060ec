/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hints for words and probes of other tracers. */
#ifndef SONDE_DIALECT_HINTS_H
#define SONDE_DIALECT_HINTS_H

#include "base/arena.h"

/* The substitute for a word of DTrace or SystemTap. NULL: the word is unknown. */
const char *foreign_word(const char *name);
/* A hint for the text at which the parser stopped, of which "before" bytes precede at: a sign or
 * word of another language where "expected" was expected (as the message words it). NULL: none. */
const char *foreign_text(const char *expected, const char *at, u32 before);
/* A hint for a statement that begins with word (may be NULL). NULL: none. */
const char *foreign_statement(const char *word);
/* A hint for what stands where a probe should. NULL: none. */
const char *foreign_head(const char *text);
/* The equivalent of a DTrace or SystemTap probe, allocated in a. NULL: the probe is unknown. */
const char *foreign_probe(struct arena *a, const char *text);

#endif
