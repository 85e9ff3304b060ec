/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, and --version. */
#include <stdio.h>
#include "cli/cli.h"

#define C(name) &command_##name,
const struct command *const commands[] = {
#include "cli/index.h"
	NULL,
};
#undef C

const struct command *command_find(const char *name)
{
	for (u32 i = 0; commands[i]; i++)
		if (streq(commands[i]->name, name))
			return commands[i];
	return NULL;
}

const char *command_near(const char *word)
{
	struct near near;

	near_init(&near, word);
	for (u32 i = 0; commands[i]; i++)
		near_try(&near, commands[i]->name);
	return near_best(&near);
}

/* ---- --version */

static int version(struct cli *c)
{
	puts(c->line.drop_in ? "bpftrace v0.27.1" : "sonde " SONDE_VERSION);
	return 0;
}

const struct command command_version = { .name = "-V", .brief = "the version", .run = version };
