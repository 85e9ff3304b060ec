/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of outputs and the only place where their names are compared. */
#include "output/index.h"

const struct output *const outputs[] = {
	&output_text,
	&output_json,
	&output_folded,
	NULL,
};

const struct output *output_find(const char *name)
{
	for (const struct output *const *o = outputs; *o; o++)
		if (streq((*o)->name, name))
			return *o;
	return NULL;
}
