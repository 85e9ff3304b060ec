/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a symbol of Rust, C++ and D: a name, or none. */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "object/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 3), *name;

	/* one of the schemes, for most inputs */
	memcpy(text, "_R", 2);
	memcpy(text + 2, data, size);
	text[size + 2] = '\0';
	name = demangle_rust(text + (size && data[0] == '_' ? 2 : 0));
	if (name && strlen(name) > 64 << 10)
		abort();
	free(name);
	memcpy(text, "_Z", 2);
	name = demangle_cxx(text);
	if (name && strlen(name) > 128 << 10)
		abort();
	free(name);
	memcpy(text, "_D", 2);
	name = demangle_d(text);
	if (name && strlen(name) > 64 << 10)
		abort();
	free(name);
	free(text);
	return 0;
}
