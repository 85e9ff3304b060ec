/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe patterns: '*' matches any sequence of characters, all others match themselves; anchored. */
#ifndef SONDE_BASE_GLOB_H
#define SONDE_BASE_GLOB_H

#include "base/base.h"

bool glob_match(const char *pattern, const char *s);
bool glob_has_wildcard(const char *s);

#endif
