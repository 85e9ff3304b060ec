/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of outputs, and the only file that compares their names. */
#include "output/output.h"

#define O(name) &output_##name,
const struct output *const outputs[] = {
#include "output/index.h"
	NULL,
};
#undef O

const struct output *output_find(const char *name)
{
	for (u32 i = 0; outputs[i]; i++)
		if (streq(outputs[i]->name, name))
			return outputs[i];
	return NULL;
}

const struct output *output_by_suffix(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? output_find(dot + 1) : NULL;
}
