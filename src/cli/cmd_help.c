/* SPDX-License-Identifier: GPL-2.0-or-later */
/* */
#include "cli/cli.h"
static int run(struct cli *c) { return 1; }
const struct command command_help = { .name = "help", .args = "", .brief = "", .run = run };
