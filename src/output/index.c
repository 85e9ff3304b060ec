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

static bool has_suffix(const char *path, const struct output *o)
{
	const char *dot = strrchr(path, '.');

	return o->suffix ? ends_with(path, o->suffix) : dot && streq(dot + 1, o->name);
}

const struct output *output_by_suffix(const char *path)
{
	const struct output *found = NULL;

	for (u32 i = 0; outputs[i]; i++) /* .speedscope.json rather than .json */
		if (has_suffix(path, outputs[i]) && (!found || outputs[i]->suffix))
			found = outputs[i];
	return found;
}
