/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engines there are, one line each. */
#include "engine/engine.h"

#define ENGINES(E)                                                                                 \
	E(kernel)                                                                                  \
	E(interpreter)

#define E(name) extern const struct engine engine_##name;
ENGINES(E)
#undef E

#define E(name) &engine_##name,
const struct engine *const engines[] = { ENGINES(E) NULL };
#undef E

const struct engine *engine_find(const char *name)
{
	for (u32 i = 0; engines[i]; i++)
		if (streq(engines[i]->name, name))
			return engines[i];
	return NULL;
}
