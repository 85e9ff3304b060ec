/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readable names of C++, Rust and D functions. */
#ifndef SONDE_OBJECT_DEMANGLE_H
#define SONDE_OBJECT_DEMANGLE_H

#include "base/base.h"

/* malloc'ed; NULL: not a mangled name. */
char *demangle(const char *name);
/*
 * Rust only: v0 ("_R...") and the legacy form, which looks like C++ and ends in a hash
 * ("_ZN...17h...E").
 */
char *demangle_rust(const char *name);
/* D only: "_D...", and "_Dmain". */
char *demangle_d(const char *name);
/* C++ only: "_Z...", with suffixes of a function's copies (".cold"). */
char *demangle_cxx(const char *name);
/*
 * The pattern, in which '*' matches anything, names the function: "ns::run(int)", "ns::run", of a
 * template "twice<long>(long)", "twice<long>", "twice"; without wildcards also with its result,
 * "long twice<long>(long)". Parts that a compiler split off (".cold") do not match. Rust names
 * match in full, D names with or without their parameters.
 */
bool demangle_matches(const char *symbol, const char *pattern);
bool demangle_cxx_matches(const char *symbol, const char *pattern);

#endif
