/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern matching with '*' only. On a mismatch the last star takes one more character; earlier
 * stars need no retry, so the worst case is pattern length times text length.
 */
#include "base/glob.h"

bool glob_match(const char *pattern, const char *s)
{
	const char *star = NULL, *retry = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = s;
		} else if (*pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool glob_has_wildcard(const char *s)
{
	return strchr(s, '*') != NULL;
}
