/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The front half of a compilation by itself, for commands that need no program: fmt, list. */
#ifndef SONDE_CLI_FRONT_H
#define SONDE_CLI_FRONT_H

#include "cli/cli.h"

struct front {
	struct system_access system;
	struct arena arena;
	struct intern names;
	struct sources sources;
	struct diags diags;
	struct env env;
	struct lang lang;
	struct source *src; /* the script */
};

/* From c->o's script; files of the system are opened when they are first used. */
void front_init(struct front *f, const struct cli *c);
void front_release(struct front *f);

#endif
