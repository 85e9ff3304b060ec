/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In: a symbol's name; out: the name in its language. Rust's two schemes are read by demangle_rust.c; C++
 * is left to the C++ library of the system, opened when the first such name comes.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "sym/demangle.h"

typedef char *(*cxa_demangle_fn)(const char *name, char *buf, size_t *len, int *status);

static char *demangle_cxx(const char *name)
{
#if SONDE_STATIC
	return NULL; /* a static program has no libraries */
#else
	static cxa_demangle_fn fn;
	static bool tried;
	int status = 0;

	if (!tried) {
		void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

		if (!lib)
			lib = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
		tried = true;
		if (lib)
			fn = (cxa_demangle_fn)(uintptr_t)dlsym(lib, "__cxa_demangle");
	}
	return fn ? fn(name, NULL, NULL, &status) : NULL;
#endif
}

char *demangle(const char *name)
{
	char *rust;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	rust = demangle_rust(name);
	return rust || name[1] == 'R' ? rust : demangle_cxx(name);
}
