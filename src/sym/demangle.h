/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++ and Rust functions as people write them. */
#ifndef SONDE_SYM_DEMANGLE_H
#define SONDE_SYM_DEMANGLE_H

/* malloc'ed; NULL: not a mangled name, or no demangler for it is here. */
char *demangle(const char *name);
/* Rust's alone: v0 ("_R...") and the older form, which looks like C++ and ends in a hash ("_ZN...17h...E"). */
char *demangle_rust(const char *name);

#endif
