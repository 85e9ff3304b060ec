/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of engines. */
#include "engine/engine.h"

#define E(name) extern const struct engine engine_##name;
#define E_BY_OPTION E
#include "engine/index.h"
#undef E

#define E(name) &engine_##name,
#define E_BY_OPTION E
const struct engine *const engines[] = {
#include "engine/index.h"
	NULL,
};

const struct engine *const named_engines[] = {
#include "engine/index.h"
	NULL,
};
#undef E

const struct engine *engine_find(const char *name)
{
	for (u32 i = 0; engines[i]; i++)
		if (streq(engines[i]->name, name))
			return engines[i];
	return NULL;
}
