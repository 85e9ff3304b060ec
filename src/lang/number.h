/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Integer literals of scripts: bases, separators, exponents, C suffixes and durations. */
#ifndef SONDE_LANG_NUMBER_H
#define SONDE_LANG_NUMBER_H

#include "base/diag.h"

enum number_fault {
	NUMBER_FINE,
	NUMBER_BAD_UNDERSCORE,
	NUMBER_BAD_COEFFICIENT,
	NUMBER_BAD_SUFFIX,
	NUMBER_BAD_DIGIT,
	NUMBER_TOO_BIG,
};

struct number {
	u64 value, max; /* max: the limit that NUMBER_TOO_BIG exceeds */
	enum number_fault fault;
	u32 len;               /* of the whole word */
	u32 suffix, fault_at;  /* offsets in the word */
	const char *base_name; /* "octal" ... for messages */
};

/*
 * Reads the word of letters, digits and underscores at s, which begins with a digit; returns its
 * length.
 */
u32 number_scan(const char *s, u32 room, struct number *num);
void number_report(const struct number *num, struct diags *diags, struct span span, const char *s);

#endif
