/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ and Rust functions as people write them. */
#ifndef SONDE_OBJECT_DEMANGLE_H
#define SONDE_OBJECT_DEMANGLE_H

#include "base/base.h"

/* malloc'ed; NULL: not a mangled name. */
char *demangle(const char *name);
/* Rust's alone: v0 ("_R...") and the older form, which looks like C++ and ends in a hash ("_ZN...17h...E"). */
char *demangle_rust(const char *name);
/* C++'s alone: "_Z...", with what compilers append to copies of a function (".cold"). */
char *demangle_cxx(const char *name);
/*
 * Whether people call the function so, '*' for anything: "ns::run(int)", "ns::run", of a template
 * "twice<long>(long)", "twice<long>", "twice"; without wildcards also with its result, "long twice<long>(long)".
 * Not what a compiler split off it (".cold"). Names of Rust likewise, as they are.
 */
bool demangle_matches(const char *symbol, const char *pattern);
bool demangle_cxx_matches(const char *symbol, const char *pattern);

#endif
