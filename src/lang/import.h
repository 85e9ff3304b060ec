/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Imports of a script: its own and those of what it imports. */
#ifndef SONDE_LANG_IMPORT_H
#define SONDE_LANG_IMPORT_H

#include "lang/lang.h"

struct headers {
	VEC(struct source *) files; /* in the order of the imports */
};

/* Adds the imported scripts to l->script and the C headers to *headers. False: errors were
 * reported. */
bool import_scripts(struct lang *l, struct headers *headers);

#endif
